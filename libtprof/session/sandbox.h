/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The sandbox as `tprof doctor` tells of it, and what sessions do with theirs. */
#ifndef TPROF_SANDBOX_INSIDE_H
#define TPROF_SANDBOX_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Does /proc hide processes from those who may not trace them (hidepid)? Then that right is kept, and there is no
 * Landlock.
 */
bool sandbox_is_proc_hiding(void);

#endif
