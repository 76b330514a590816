/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Facts about the sandbox that sessions and `tprof doctor` share. */
#ifndef TPROF_SANDBOX_INSIDE_H
#define TPROF_SANDBOX_INSIDE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True if /proc hides processes from users who may not trace them (hidepid). Then sessions keep that capability and do
 * without Landlock.
 */
bool sandbox_is_proc_hiding(void);

#endif
