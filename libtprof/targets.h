/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The processes and threads that a session was asked to sample, and by a pidfd of each which of them still run. Before
 * Linux 6.9 a thread has none, and runs as long as its process. What cannot be watched, for want of descriptors, is
 * taken to run for ever.
 */
#ifndef TPROF_TARGETS_H
#define TPROF_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tprof/object.h"

struct target {
	enum tprof_scope_kind kind;
	pid_t id;
	int pidfd;		/* -1: is not watched, or not any more */
	bool ended;
};

/* A zeroed one is empty. */
struct targets {
	struct target *all;
	size_t nr;
};

/* 0 or -ENOMEM. */
int targets_add(struct targets *targets, enum tprof_scope_kind kind, pid_t id);
void targets_release(struct targets *targets);

/* Adds the descriptors of those that are not there yet to an epoll set (EPOLLIN when one has ended). 0 or -errno. */
int targets_epoll_add(const struct targets *targets, int epoll_fd);

/* Lets go of those that have ended, without waiting. */
void targets_reap(struct targets *targets);

/* Were there some, and have all been found to have ended? */
bool targets_gone(const struct targets *targets);

#endif
