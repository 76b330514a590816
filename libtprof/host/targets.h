/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The processes and threads that a session samples, and whether any of them still runs. Only one is watched at a time,
 * with a pidfd, so that thousands of targets need one file descriptor. Before Linux 6.9 threads have no pidfd: their
 * process is watched, and every check reads /proc.
 */
#ifndef TPROF_TARGETS_H
#define TPROF_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "proc.h"
#include "tprof/object.h"

struct target {
	enum tprof_scope_kind kind;
	pid_t id;
	uint64_t start_time;		/* clock ticks since boot; detects that the id was reused */
};

/* A zeroed struct is empty. */
struct targets {
	struct target *all;
	size_t nr, capacity;
	size_t nr_ended;		/* the first nr_ended targets have ended; the next one is watched */
	bool watches;
	int pidfd;			/* valid if watches */
	bool asks;			/* the pidfd is that of the thread's process: check /proc too */
	struct proc_text text;
};

/* Errors: ESRCH (no such process or thread), ENOMEM, those of reading /proc. */
int targets_add(struct targets *targets, enum tprof_scope_kind kind, pid_t id);
/* False: it is not a target. If it was added several times, all of them are removed. */
bool targets_remove(struct targets *targets, enum tprof_scope_kind kind, pid_t id);
void targets_release(struct targets *targets);

/*
 * Checks without blocking which targets have ended, and registers the next one with the epoll set. EPOLLIN then means
 * that another call is due. If no pidfd could be opened, the epoll set does not wake up; a later call tries again.
 */
void targets_reap(struct targets *targets, int epoll_fd);

/* Does this target still run? Reads /proc. */
bool target_runs(struct targets *targets, size_t index);

/* Were there targets, and have all of them ended? */
bool targets_gone(const struct targets *targets);

#endif
