/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Internals of the address spaces: the table of tasks (aspace_tasks.c), lookups and aging (aspace.c), side-band events
 * (aspace_events.c), scans of /proc (aspace_scan.c), and processes that a scan deferred (aspace_heirs.c).
 */
#ifndef TPROF_ASPACE_TASKS_H
#define TPROF_ASPACE_TASKS_H

#include "aspace.h"
#include "base/clock.h"
#include "base/hash.h"
#include "host/proc.h"
#include "image.h"
#include "moved.h"

struct task {
	struct hash_node node;		/* key: thread id */
	pid_t tgid;			/* 0: only its name was looked up */
	struct image *newest;		/* processes only */
	struct comm *comm;		/* threads only; NULL: has the name of its process */
	uint64_t exec_ns;		/* time of its last reported exec; 0: none */
	uint64_t scan_ns;		/* time of the last scan; 0: never */
	uint32_t scan;			/* number of the last scan that found it */
	uint32_t asked;			/* comms.age + 1 at the last scan on demand; 0: never */
	uint32_t ended_age;		/* threads only, valid if ended */
	bool ended;			/* threads only */
};

/* A process whose parent was read after the fork: its mappings are those of the parent at that later time. */
struct heir {
	pid_t parent, child;
	uint64_t fork_ns;
};

struct aspaces {
	struct dsos *dsos;
	const struct log *log;
	struct hash tasks;
	struct images images;
	struct proc_text text;
	struct moved moved;
	struct clock_offsets clocks;	/* of the time namespace of this process, which cannot change */
	uint32_t scan;			/* number of scans */
	size_t scan_max;		/* the number of processes that a scan reads */
	bool has_deferred;		/* a scan did not read all processes */
	struct heir *heirs;		/* since the last aspaces_age() */
	size_t nr_heirs, heirs_capacity;
	void (*note_jit)(void *ctx, pid_t tgid);
	void *jit_ctx;
	bool warned_memory;
	bool is_blind;
};

/* aspace_heirs.c: the image of a deferred process that forks, which is read now; NULL if it cannot be read. */
const struct image *heir_parent(struct aspaces *aspaces, pid_t parent, pid_t child, uint64_t fork_ns);
/* The process has mapped something at that time: the mappings of its heirs may be wrong. */
void heirs_check(struct aspaces *aspaces, pid_t parent, uint64_t time_ns);
/* A process has ended that was never read. */
void deferred_exit(struct aspaces *aspaces, pid_t tgid, uint64_t time_ns);

/* Warns once that memory is exhausted. */
void aspaces_warn_memory(struct aspaces *aspaces);

/* NULL if it is unknown. */
struct task *task_find(const struct aspaces *aspaces, pid_t tid);
/* Adds the task if it is unknown. NULL if there is no memory, as for the others; the warning is given. */
struct task *task_get(struct aspaces *aspaces, pid_t tid);
/* Returns the task as a process, even if the id was that of a thread before. */
struct task *task_get_process(struct aspaces *aspaces, pid_t tgid);
struct image *task_add_image(struct aspaces *aspaces, struct task *task, uint64_t birth_ns);
/* Names an image of a task. Only warns if there is no memory. */
void task_rename_image(struct aspaces *aspaces, struct image *image, const char *comm);

#endif
