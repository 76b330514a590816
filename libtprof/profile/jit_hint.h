/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What to do where much of the time went to code that a compiler made and that has no name. */
#ifndef TPROF_JIT_HINT_H
#define TPROF_JIT_HINT_H

#include "profile.h"

/* Adds a sentence to the warnings of a profile, with the shares told, if one is due and is not there yet. */
void jit_hint_add(struct tprof_profile *profile);

#endif
