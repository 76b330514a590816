/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Directories of pins. Their names are PID-STARTTIME of the owner, plus -N for further sessions of the same owner. */
#ifndef TPROF_PIN_DIRECTORY_H
#define TPROF_PIN_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/log.h"

#define PIN_BPFFS "/sys/fs/bpf"
#define PIN_ROOT PIN_BPFFS "/tprof"

/*
 * Start time in clock ticks since boot, in the initial time namespace: processes in other time namespaces read the name
 * too. 0: no such process.
 */
uint64_t pin_start_time(pid_t pid);

/* Does the directory belong to a session whose owner has exited? Sets *pid if the name is that of a session. */
bool pin_is_stale(const char *name, pid_t *pid);

/* Removes all stale directories and logs each. */
void pin_remove_stale(const struct log *log);

/* Removes a directory of pins with its content, and PIN_ROOT if it is then empty. */
void pin_remove_session(const char *path);

#endif
