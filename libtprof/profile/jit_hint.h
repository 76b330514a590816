/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Hint for profiles with much time in JIT code that has no name. */
#ifndef TPROF_JIT_HINT_H
#define TPROF_JIT_HINT_H

#include "profile.h"

/*
 * Adds the hint to the warnings of the profile if it applies and is not there yet. Call once the shares are computed.
 */
void jit_hint_add(struct tprof_profile *profile);

#endif
