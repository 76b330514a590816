/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Names of directories of pins: PID-STARTTIME of the owner, with -N for a further session of the same. */
#ifndef TPROF_PIN_H
#define TPROF_PIN_H

#include <stdbool.h>
#include <sys/types.h>

/* Is this the directory of a session whose owner is gone? Sets *pid if it is one of a session at all. */
bool pin_is_stale(const char *name, pid_t *pid);

/* All that is below a directory of pins, and the directory. */
void pin_remove_session(const char *path);

#endif
