/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* A session of the module, set up for what is to be sampled. */
#ifndef TPROF_KMOD_SESSION_H
#define TPROF_KMOD_SESSION_H

#include "engine.h"

/*
 * Creates it with its event, CPUs, modes, thread name, cgroups and stream; processes come later (kmod_scope.h).
 * Returns its descriptor, or -errno with a sentence.
 */
int kmod_session_open(const struct sampling *sampling, uint64_t period, struct tprof_error *error);

#endif
