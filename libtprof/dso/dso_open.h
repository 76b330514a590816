/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Finds the mapped file and verifies its identity. */
#ifndef TPROF_DSO_OPEN_H
#define TPROF_DSO_OPEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>

#include "dso.h"

/* @broker opens files of other processes; it may be NULL everywhere. */

/*
 * Opens the file of an identity for reading, through a process that has it mapped at [start, end), or by its path.
 * @id->path must not end in " (deleted)". @seen is the earliest known time of the mapping (CLOCK_REALTIME): a file that
 * was modified later may have inherited the inode number. Returns a file descriptor owned by the caller, or -ENOENT.
 */
int dso_open_mapped(struct broker *broker, const struct dso_id *id, const struct timespec *seen, pid_t pid,
		    uint64_t start, uint64_t end);

/* stat(2) of a path in the root of process @pid (0: our own). Returns 0 or -1. */
int dso_stat_at_path(struct broker *broker, const char *path, pid_t pid, struct stat *st);

bool dso_is_later(const struct timespec *a, const struct timespec *b);

/* Is the file @id at its path, in the root of process @pid (0: our own)? */
bool dso_is_at_path(struct broker *broker, const struct dso_id *id, pid_t pid);

/*
 * The vdso of this process, which all processes share, as a file. Returns a file descriptor owned by the caller, or
 * -errno.
 */
int dso_open_vdso(void);

#endif
