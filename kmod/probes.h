/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes of tracepoints, registered while they have users. Most tracepoints of the kernel are not exported, so they are
 * looked up by name.
 */
#ifndef _TPROF_PROBES_H
#define _TPROF_PROBES_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct tracepoint;

struct tprof_probe {
	const char *name;			/* of the tracepoint */
	void *function;
	int priority;				/* probes of higher priority are called first; that of perf has 10 */
	struct tracepoint *tracepoint;		/* I */
};

/* Probes that are registered together. */
struct tprof_probes {
	struct tprof_probe *list;		/* I */
	unsigned int nr;			/* I */
	struct mutex mutex;
	unsigned int users;			/* under mutex */
	bool registered;			/* under mutex */
	struct delayed_work drop;
};

#define TPROF_PROBES(probes_list) {							\
		.list = probes_list,							\
		.nr = ARRAY_SIZE(probes_list),						\
	}

/* Looks up the tracepoints. Errors: EOPNOTSUPP (the kernel lacks one of them). */
int tprof_probes_init(struct tprof_probes *probes);
/* Unregisters the probes. When it returns, none is running. */
void tprof_probes_exit(struct tprof_probes *probes);

/* Adds a user. Process context. Errors: ENOMEM. */
int tprof_probes_get(struct tprof_probes *probes);
/* Removes a user. The probes may be called for some seconds yet. Process context. */
void tprof_probes_put(struct tprof_probes *probes);

#endif
