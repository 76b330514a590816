/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The processes and threads that a session was asked to sample, and whether any of them still runs. One is watched at a
 * time, by a pidfd, so that thousands take one descriptor. Before Linux 6.9 a thread has none: its process is watched,
 * and /proc is asked at each look.
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
	uint64_t start_time;		/* clock ticks since boot: another one may get its number */
};

/* A zeroed one is empty. */
struct targets {
	struct target *all;
	size_t nr, room;
	size_t nr_ended;		/* from the first on: the next is watched, and may have ended since */
	bool watches;
	int pidfd;			/* valid if it watches */
	bool asks;			/* the pidfd is that of a thread's process */
	struct proc_text text;
};

/* Errors: ESRCH (there is none), ENOMEM, those of reading /proc. */
int targets_add(struct targets *targets, enum tprof_scope_kind kind, pid_t id);
void targets_release(struct targets *targets);

/*
 * Looks, without waiting, who has ended. The epoll set then wakes (EPOLLIN) when it is time for another look. Without a
 * descriptor to watch with it does not; a later look may have one.
 */
void targets_reap(struct targets *targets, int epoll_fd);

/* Were there some, and have all been found to have ended? */
bool targets_gone(const struct targets *targets);

#endif
