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
#include "uapi/tprof_wait.h"

struct bpf_link;
struct bpf_prog;
struct tprof_capture;
struct tprof_session;
struct tprof_spent;

/*
 * The struct_ops that a filter implements (see uapi/tprof_device.h).
 *
 * @sample:     called for each sample in scope; returns a verdict. Hard interrupt context or interrupts disabled, never
 *              NMI; must not sleep, cannot fail
 * @name:       name of the filter
 * @flags:      TPROF_FILTER_*_STACK, TPROF_FILTER_OWNER
 * @session_fd: file descriptor of the session to attach to, looked up in the process that attaches
 * @offcpu:     called for each wait in scope, instead of @sample; may be NULL. Otherwise as @sample
 * @wakeup:     likewise for each wake-up of a thread in scope
 * @prog:       the program behind @sample, to be called directly; set by the module; NULL: call @sample. The map that
 *              holds this struct holds a reference
 *
 * BPF frees the struct, the program and its trampoline after an RCU grace period.
 */
struct tprof_filter_ops {
	int (*sample)(const struct tprof_sample *s);
	char name[TPROF_NAME_LEN];
	u32 flags;
	s32 session_fd;
	int (*offcpu)(const struct tprof_wait *w);
	int (*wakeup)(const struct tprof_wakeup *w);
	struct bpf_prog *prog;
};

/* State of a filter on one CPU. Times are in units of tprof_clock(). */
struct tprof_filter_cpu {
	struct tprof_filter *filter;		/* I */
	u64 calls;				/* c, like all members below */
	u64 run;
	u64 kept;
	u64 bad;
	u64 longest;
	s64 left;				/* of the slice: after each, filter_at_limit() looks at budgets */
	s64 slice;				/* part of the budget: at most a millisecond */
	s64 rest;				/* budget left in the current one-second window, without the slice */
	u64 window_began;			/* start of that window */
};

/* The process that attached or last replaced the program of a filter. */
struct tprof_filter_owner {
	pid_t pid;				/* in the initial namespace */
	char comm[TPROF_COMM_LEN];
	char name[TPROF_NAME_LEN];		/* name of the filter in its tprof_filter_ops */
};

struct tprof_filter {
	const struct tprof_filter_ops *ops;	/* s,R: the program that is called; NULL: over budget */
	const struct tprof_filter_ops *program;	/* s: the last one */
	bool direct;				/* s: it is called directly */
	struct tprof_session *session;		/* I: holds a reference */
	struct bpf_link *link;			/* I: owner of the filter; identifies it, no reference */
	struct list_head list;			/* F: all filters */
	u64 id;					/* I */
	u32 state;				/* A: TPROF_FILTER_* */
	u64 disabled_ns;			/* A: CLOCK_MONOTONIC when it last exceeded its budget */
	struct irq_work warn;			/* prints the over-budget warning in a context where printk() is safe */
	u32 flags;				/* s */
	struct tprof_filter_owner owner;	/* O */
	struct delayed_work resume;		/* calls a replacement when the second is over */
	bool replaced;				/* s: the program replaces one over its budget, not called yet */
	bool detached;				/* s */
	bool has_owners;			/* s: it is a user of owner.c, until it is freed */
	struct tprof_spent *spent;		/* s: memory for what it has spent when it is detached */
	struct tprof_filter_cpu __percpu *cpu;
	struct rcu_work gone;
};

/* The filters of a session in calling order. Immutable; replaced as a whole under RCU. */
struct tprof_filters {
	struct rcu_head rcu;
	unsigned int nr;
	struct tprof_filter *list[];
};

int tprof_filters_init(struct tprof_session *session);

/*
 * Tells the sources whether filters of the session need kernel stacks or owners with staged samples. To be called after
 * a change of events or filters, with the session's mutex held.
 */
void tprof_filters_tell_needs(struct tprof_session *session);

/* Frees filters, and calls replacements. */
extern struct workqueue_struct *tprof_filter_workqueue;

/* Converts a budget in thousandths of a second to units of tprof_clock(). */
u64 tprof_filter_budget(u32 permille);
/* Time that filters have taken over stays spent. With the session's mutex held, before its first start. */
void tprof_filters_change_budget(struct tprof_session *session, u64 budget);

/* The struct_ops callbacks reg, update and unreg of a link. */
int tprof_filter_attach(const struct tprof_filter_ops *ops, struct bpf_link *link);
int tprof_filter_replace(const struct tprof_filter_ops *ops, struct bpf_link *link);
void tprof_filter_detach(struct bpf_link *link);

/*
 * Enables a filter that exceeded its budget; does nothing if it is active. With the session's mutex held. Errors:
 * ENOENT; EAGAIN (less than a second ago: a client that asks again and again would have no budget).
 */
int tprof_filter_enable(struct tprof_session *session, u64 id);

/* Fills @info, with counters summed over all CPUs; size and index do not change. */
void tprof_filter_read(const struct tprof_filter *filter, struct tprof_filter_info *info);
struct tprof_filter_owner tprof_filter_owner(const struct tprof_filter *filter);
/* Calls @show for each filter, with filters_mutex held. */
void tprof_filter_for_each(void (*show)(struct tprof_filter *filter, void *ctx), void *ctx);

int tprof_filter_init(void);
/* To be called after the last filter was detached; waits until all filters are freed. */
void tprof_filter_exit(void);

/* One second in units of tprof_clock(). */
extern u64 tprof_filter_window;
/* Module parameter: call the programs of filters without their trampolines. For filters that are loaded later. */
extern bool tprof_direct_calls;
extern unsigned int tprof_default_budget_permille;

#endif
