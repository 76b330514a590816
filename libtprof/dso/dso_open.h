/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Finds the file that was mapped, and proves that it is the one. */
#ifndef TPROF_DSO_OPEN_H
#define TPROF_DSO_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "dso.h"

/* All: @broker opens what is another process's; it may be NULL. */

/*
 * Opens the file of an identity for reading, by the way of a process that has it mapped at [start, end), or
 * by its path. @id->path without " (deleted)". @seen is when it was first mapped, as far as is known
 * (CLOCK_REALTIME): a file changed later may have inherited the inode number. Returns a descriptor for the caller, or
 * -ENOENT.
 */
int dso_open_mapped(struct broker *broker, const struct dso_id *id, const struct timespec *seen, pid_t pid,
		    uint64_t start, uint64_t end);

/* What is at a path, as a process sees it (0: as we do). 0 or -1. */
int dso_stat_at_path(struct broker *broker, const char *path, pid_t pid, struct stat *st);

bool dso_is_later(const struct timespec *a, const struct timespec *b);

/* Is that file really at that path, as the process @pid sees it (0: as we do)? */
bool dso_is_at_path(struct broker *broker, const struct dso_id *id, pid_t pid);

/* This process's own vdso, which is everyone's, as a file. Returns a descriptor for the caller, or -errno. */
int dso_open_vdso(void);

#endif
