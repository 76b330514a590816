/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads of a profile of the filter `reasons`: how long each of them ran, was ready to run, and was blocked, and
 * why. `tprof top --threads` shows them.
 */
#ifndef TPROF_THREADS_H
#define TPROF_THREADS_H

#include "base/needle.h"
#include "tprof.h"

#define THREADS_FILTER "reasons"
#define THREADS_EVENTS "off-cpu,on-cpu"

/* X(NAME, name) in the order in which the key cycles through them. */
#define THREADS_SORTS(X)	\
	X(RUNNING, "running")	\
	X(READY, "ready")	\
	X(BLOCKED, "blocked")	\
	X(NAME, "name")		\
	X(TID, "tid")

enum threads_sort {
#define X(NAME, name) THREADS_SORT_##NAME,
	THREADS_SORTS(X)
#undef X
	THREADS_NR_SORTS
};

const char *threads_sort_name(enum threads_sort sort);
/* 0, or -ENOENT. */
int threads_sort_find(const char *name, enum threads_sort *sort);

/* A thread. The texts belong to the profile. */
struct thread {
	pid_t tid, pid;
	const char *comm;
	const char *process;	/* with the process id: "name (1)" */
	uint64_t running_ns, ready_ns, blocked_ns;
	/* The most frequent reason of the time in which it was blocked, and the most frequent waker; NULL: none. */
	const char *state, *syscall, *waker;
	uint64_t reason_ns, waker_ns;
};

/* A zeroed struct is empty. */
struct threads {
	struct thread *threads;
	size_t nr;
	size_t nr_all;		/* also those that the needle leaves out */
	uint64_t duration_ns;
};

/* Fills in the threads of a profile, which must outlive them; with a needle, those that contain it. 0 or -errno. */
int threads_fill(struct threads *threads, const struct tprof_profile *profile, enum threads_sort sort,
		 const struct needle *needle);
void threads_free(struct threads *threads);

/* The share of the interval, in percent. */
double threads_percent(const struct threads *threads, uint64_t ns);
/* "name (1)", and why the thread waits: "sleeping in futex", or "". Return @text. */
const char *thread_name(const struct thread *thread, char *text, size_t size);
const char *thread_reason(const struct thread *thread, char *text, size_t size);

/* Write a profile to stdout; at most @limit threads, 0: all. 0 or -errno. */
int threads_write_text(const struct tprof_profile *profile, enum threads_sort sort, uint64_t limit);
int threads_write_json(const struct tprof_profile *profile, enum threads_sort sort, uint64_t limit);

#endif
