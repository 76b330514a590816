/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Names of directories of pins: PID-STARTTIME of the owner, with -N for a further session of the same. */
#ifndef TPROF_PIN_DIRECTORY_H
#define TPROF_PIN_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/log.h"

#define PIN_BPFFS "/sys/fs/bpf"
#define PIN_ROOT PIN_BPFFS "/tprof"

/* In clock ticks since boot, in the initial time namespace: the name is read in others. 0: there is no such process. */
uint64_t pin_start_time(pid_t pid);

/* Is this the directory of a session whose owner is gone? Sets *pid if it is one of a session at all. */
bool pin_is_stale(const char *name, pid_t *pid);

/* Removes all of these, and says so. */
void pin_remove_stale(const struct log *log);

/* All that is below a directory of pins, the directory, and that of all sessions if it was the last. */
void pin_remove_session(const char *path);

#endif
