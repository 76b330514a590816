/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources.
 *
 * All sessions that sample the same event share one source. It fires with the shortest of their periods; sessions with
 * longer periods skip samples. A source is created for the first subscription that is prepared, and freed when the last
 * is not any more.
 */
#ifndef _TPROF_SOURCE_PRIVATE_H
#define _TPROF_SOURCE_PRIVATE_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <asm/local.h>

#include "tprof_source.h"

struct tprof_subscription;

/* Subscriptions that get the samples of a source. Immutable; replaced as a whole under RCU. */
struct tprof_subscribers {
	struct rcu_head rcu;
	unsigned int nr;
	struct tprof_subscription *list[];
};

/* Samples that were not captured and are not in the ledgers yet. Written on their CPU in any context, also NMI. */
struct tprof_missed {
	local_t samples;
	local_t weight;
};

enum tprof_missed_reason {
	TPROF_MISSED_STAGING,			/* the staging buffer was full */
	TPROF_MISSED_REENTRY,			/* the event fired during a delivery */
	TPROF_MISSED_REGS,			/* no pt_regs: the interrupted context is unknown */
	TPROF_MISSED_UNWANTED,
	TPROF_MISSED_BELOW_MIN = TPROF_MISSED_UNWANTED,	/* a wait that is shorter than the minimum */
	TPROF_MISSED_OUT_OF_SCOPE,		/* a thread begins to wait that is in the scope of no session */
	TPROF_MISSED_THREADS,			/* likewise, and the table of waiting threads is full */
	TPROF_NR_MISSED,
};

struct tprof_source_cpu {
	u64 fired;				/* c */
	u64 weight;				/* c */
	u64 delivery;				/* c: time of deliveries without filters, in tprof_clock() */
	u64 cost;				/* c: time that its samples cost; decays, see throttle.c */
	u64 fired_before;			/* c: fired at the last delivery that was measured */
	u64 overhead;				/* c: of a delivery, without filters: moving average */
	u32 load;				/* c, read by throttle.c: share of the CPU before that check */
	u32 factor;				/* S: the periods on this CPU are so many times as long */
	u64 floor;				/* S: the shortest period that throttling permits; 0: any, see factor */
	unsigned long floor_until;		/* S: jiffies: with a factor of 1, the floor is forgotten then */
	struct tprof_missed missed[TPROF_NR_MISSED];
	bool running;				/* S */
	bool absent;				/* S: this CPU does not have the event */
	bool gone;				/* under cpus_mutex: the CPU went offline or online since the start */
	struct tprof_source_count past;		/* S: counts up to the last stop on this CPU */
	u64 started_ns;				/* S */
};

/* The three numbers of users in tprof_source.wants, which the sample path reads at once. */
#define TPROF_WANTS_STACK	1LL		/* of the kernel */
#define TPROF_WANTS_USER_STACK	(1LL << 21)
#define TPROF_WANTS_OWNER	(1LL << 42)

static inline bool tprof_wants_stack(s64 wants)
{
	return wants & (TPROF_WANTS_USER_STACK - 1);
}

/* Of the kernel or of user mode. */
static inline bool tprof_wants_stacks(s64 wants)
{
	return wants & (TPROF_WANTS_OWNER - 1);
}

static inline bool tprof_wants_owner(s64 wants)
{
	return wants >= TPROF_WANTS_OWNER;
}

struct tprof_source {
	const struct tprof_source_ops *ops;	/* I */
	u32 id;					/* I */
	bool sampling;				/* I */
	cpumask_var_t cpus;			/* S: CPUs on which it runs, or may have left staged samples */
	struct list_head list;			/* S,R: tprof_sources */
	void *event;				/* I */
	u64 period;				/* S: shortest period of the users; 0: counts only */
	struct tprof_subscribers __rcu *subscribers; /* S,R: subscriptions that sample */
	struct list_head users;			/* S: all subscriptions, also those that only count */
	unsigned int holders;			/* S: subscriptions that hold it, users or not */
	struct mutex prepare_mutex;
	bool prepared;				/* under prepare_mutex */
	atomic64_t wants;			/* A: users that need stacks, or owners, with staged samples */
	struct tprof_source_cpu __percpu *cpu;
	void __percpu *private;			/* memory of the ops: tprof_source_cpu() */
	struct rcu_head rcu;
};

extern struct mutex tprof_sources_mutex;
/* All sources. Read under RCU; written with the sources mutex and cpus_mutex held. */
extern struct list_head tprof_sources;

static inline void tprof_count_add(struct tprof_source_count *to, const struct tprof_source_count *count)
{
	to->value += count->value;
	to->enabled_ns += count->enabled_ns;
	to->running_ns += count->running_ns;
}

static inline void tprof_count_sub(struct tprof_source_count *from, const struct tprof_source_count *count)
{
	from->value -= count->value;
	from->enabled_ns -= count->enabled_ns;
	from->running_ns -= count->running_ns;
}

/*
 * Publishes a copy of the array of subscribers that sample. With the sources mutex held.
 * @must: it cannot fail: if memory is short, the copy is charged to no cgroup.
 */
int tprof_source_publish(struct tprof_source *source, bool must);

/* Calls @show for each source with the sources mutex held. */
void tprof_source_for_each(void (*show)(struct tprof_source *source, void *ctx), void *ctx);
u64 tprof_source_fired(const struct tprof_source *source);
/* Time that the delivery of its samples took on all CPUs, without that of filters; an estimate. */
u64 tprof_source_delivery_ns(const struct tprof_source *source);

#endif
