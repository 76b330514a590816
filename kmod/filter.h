/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Filters of a session: BPF programs that are called for each sample in scope, in the order in which they were
 * attached. A filter belongs to its BPF link; the session keeps a pointer to it.
 */
#ifndef _TPROF_FILTER_H
#define _TPROF_FILTER_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "uapi/tprof_device.h"

struct bpf_link;
struct tprof_capture;
struct tprof_session;

/*
 * What a filter object gives to the kernel (see the uapi).
 *
 * @sample:     called with a sample in scope; returns a verdict. Hard interrupt context; cannot sleep or fail
 * @name:       of the filter
 * @flags:      TPROF_FILTER_*_STACK
 * @session_fd: where to attach, looked up in the process that attaches
 */
struct tprof_filter_ops {
	int (*sample)(const struct tprof_sample *s);
	char name[TPROF_NAME_LEN];
	u32 flags;
	s32 session_fd;
};

struct tprof_filter_cpu {
	struct tprof_filter *filter;		/* I: whose it is */
	u64 calls;				/* c, as all here; times are of tprof_clock() */
	u64 run;
	u64 kept;
	u64 bad;
	u64 longest;
	s64 left;				/* of the budget in the second that is running, as far as is known */
	u64 window_began;			/* when that second began */
};

/* Who put the program in place that a filter runs. */
struct tprof_filter_owner {
	pid_t pid;				/* in the initial namespace */
	char comm[TPROF_COMM_LEN];
	char name[TPROF_NAME_LEN];		/* of the program, as a filter */
};

struct tprof_filter {
	int (*sample)(const struct tprof_sample *s); /* s,R: of its tprof_filter_ops; NULL: over budget */
	struct tprof_session *session;		/* I: with a reference */
	struct bpf_link *link;			/* I: whose it is; a name, not a reference */
	struct list_head list;			/* F: all filters */
	u64 id;					/* I */
	u32 state;				/* A: TPROF_FILTER_* */
	struct irq_work warn;			/* says that it is over budget, from where printing is safe */
	u32 flags;				/* s */
	struct tprof_filter_owner owner;	/* O */
	struct tprof_filter_cpu __percpu *cpu;
	struct rcu_work gone;
};

/* In calling order. Replaced as a whole. */
struct tprof_filters {
	struct rcu_head rcu;
	unsigned int nr;
	struct tprof_filter *list[];
};

int tprof_filters_init(struct tprof_session *session);

/* After events or filters were added: what filters need is done when samples are captured. */
void tprof_filters_tell_needs(struct tprof_session *session);

/* What a budget in thousandths is of a window, in units of tprof_clock(). */
u64 tprof_filter_budget(u32 permille);

/* The BPF side: reg, update and unreg of a link. */
int tprof_filter_attach(const struct tprof_filter_ops *ops, struct bpf_link *link);
int tprof_filter_replace(const struct tprof_filter_ops *ops, struct bpf_link *link);
void tprof_filter_detach(struct bpf_link *link);

/* Fills the numbers, summed over CPUs; size and index stay. */
void tprof_filter_read(const struct tprof_filter *filter, struct tprof_filter_info *info);
struct tprof_filter_owner tprof_filter_owner(const struct tprof_filter *filter);
/* Calls @show for each filter there is. */
void tprof_filter_for_each(void (*show)(struct tprof_filter *filter, void *ctx), void *ctx);

int tprof_filter_init(void);
/* After the last filter was detached; waits until all are freed. */
void tprof_filter_exit(void);

/* filter_struct_ops.c, filter_kfunc.c */
int tprof_filter_struct_ops_init(void);
int tprof_filter_kfunc_init(void);

/* A second of tprof_clock(). */
extern u64 tprof_filter_window;
extern unsigned int tprof_default_budget_permille;

#endif
