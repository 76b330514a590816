/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources, and the subscriptions of sessions to them.
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

struct tprof_choice;
struct tprof_session;

/* An event of a session. */
struct tprof_subscription {
	struct tprof_session *session;		/* I */
	struct tprof_choice *choice;		/* I: owned */
	u32 index;				/* I: within the session */
	u64 period;				/* S, read by the sample path at any time; 0: counts only */
	struct tprof_source *held;		/* r: from prepare to unprepare, else NULL */
	struct tprof_source *source;		/* S: while subscribed, else NULL */
	struct list_head node;			/* S: source->users */
	struct tprof_source_count *base;	/* S: by CPU: the counter at the last start or clear */
	struct tprof_source_count *past;	/* S: by CPU: counts up to the last stop */
	bool wants_stacks;			/* S: a filter of the session walks kernel stacks */
	u32 period_factor;			/* S: the largest on its CPUs since the start or clear */
};

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
	atomic_t kernel_stacks;			/* A: users that need a kernel stack with staged samples */
	struct tprof_source_cpu __percpu *cpu;
	void __percpu *private;			/* memory of the ops: tprof_source_cpu() */
	struct rcu_head rcu;
};

/*
 * Holds and prepares the source of the subscription, which may take long: with the session's run_mutex held, and no
 * lock for which other users wait. Errors: ENOMEM, ERESTARTSYS (a signal came while another session prepared the
 * source), and those of the source.
 */
int tprof_subscription_prepare(struct tprof_subscription *sub);
/* Likewise. Does nothing if the subscription is not prepared. */
void tprof_subscription_unprepare(struct tprof_subscription *sub);

/* With the session's mutex held; these functions take the sources mutex. */
/* Takes over @choice, unless it fails. Errors: ENOSPC (max_events_per_user), ENOMEM. */
int tprof_subscription_open(struct tprof_subscription *sub, struct tprof_session *session, u32 index,
			    struct tprof_choice *choice);
void tprof_subscription_close(struct tprof_subscription *sub);
/* Tests whether the session samples the CPU. */
bool tprof_subscription_is_on(const struct tprof_subscription *sub, unsigned int cpu);
/* Starts the subscription, which is prepared: samples are delivered from now on. Errors: as above. */
int tprof_subscribe(struct tprof_subscription *sub);
/* When it returns, all captured samples have been delivered, and no more will be. */
void tprof_unsubscribe(struct tprof_subscription *sub);
int tprof_subscription_set_period(struct tprof_subscription *sub, u64 period);
/* Reads the counts of one CPU, or with -1 the sum of all. */
void tprof_subscription_read(struct tprof_subscription *sub, int cpu, struct tprof_source_count *count);
/* Makes the source fire for weight that has accumulated; the next tprof_quiesce() delivers these samples. */
void tprof_subscription_settle(struct tprof_subscription *sub);
void tprof_subscription_clear(struct tprof_subscription *sub);
void tprof_subscription_want_stacks(struct tprof_subscription *sub, bool wanted);

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

/* Calls @show for each source with the sources mutex held. */
void tprof_source_for_each(void (*show)(struct tprof_source *source, void *ctx), void *ctx);
u64 tprof_source_fired(const struct tprof_source *source);
/* Time that the delivery of its samples took on all CPUs, without that of filters; an estimate. */
u64 tprof_source_delivery_ns(const struct tprof_source *source);

#endif
