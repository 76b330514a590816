/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The reason of a wait is told by the functions of the kernel in which the thread waits. */
#ifndef TPROF_WAIT_REASON_H
#define TPROF_WAIT_REASON_H

#include <stddef.h>
#include <stdint.h>

#include "tprof.h"
#include "uapi/tprof_wait.h"

/*
 * The frame of a state (enum tprof_state), such as "(preempted)" or "(sleeping: lock)"; NULL for that of a sample. The
 * reason is in it if one of the functions is known for it: the first one counts, the innermost wait.
 * @frames: the call stack, from the leaf
 */
const char *wait_reason_text(uint64_t state, const struct tprof_frame *const *frames, size_t nr);

#endif
