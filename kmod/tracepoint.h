/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of tracepoints, registered while they have users. Most tracepoints of the kernel are not exported, so they are
 * looked up by name.
 */
#ifndef _TPROF_TRACEPOINT_H
#define _TPROF_TRACEPOINT_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct tracepoint;

struct tprof_tracepoint {
	const char *name;			/* of the tracepoint */
	void *function;
	int priority;				/* probes of higher priority are called first; that of perf has 10 */
	struct tracepoint *tracepoint;		/* I */
};

/* Probes that are registered together. */
struct tprof_tracepoints {
	struct tprof_tracepoint *list;		/* I */
	unsigned int nr;			/* I */
	struct mutex mutex;
	unsigned int users;			/* under mutex */
	bool registered;			/* under mutex */
	struct delayed_work drop;
};

#define TPROF_TRACEPOINTS(probes_list) {							\
		.list = probes_list,							\
		.nr = ARRAY_SIZE(probes_list),						\
	}

/* Looks up the tracepoints. Errors: EOPNOTSUPP (the kernel lacks one of them). */
int tprof_tracepoints_init(struct tprof_tracepoints *probes);
/* Unregisters the probes. When it returns, none is running. */
void tprof_tracepoints_exit(struct tprof_tracepoints *probes);

/* Adds a user. Process context. Errors: ENOMEM. */
int tprof_tracepoints_get(struct tprof_tracepoints *probes);
/* Removes a user. The probes may be called for some seconds yet. Process context. */
void tprof_tracepoints_put(struct tprof_tracepoints *probes);

#endif
