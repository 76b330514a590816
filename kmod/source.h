/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources, and the subscriptions of sessions to them.
 *
 * All sessions that sample the same event share one source. It fires with the shortest of their periods; sessions with
 * longer periods skip samples. A source is created for the first subscription and freed with the last.
 */
#ifndef _TPROF_SOURCE_PRIVATE_H
#define _TPROF_SOURCE_PRIVATE_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <asm/local.h>

#include "tprof_source.h"

struct tprof_session;

/* An event that a client has described, after all checks. Immutable. */
struct tprof_choice {
	const struct tprof_source_ops *ops;	/* holds a reference on its module */
	u64 period;
	u64 event[];				/* output of ops->parse(), ops->event_size bytes */
};

/* An event of a session. */
struct tprof_subscription {
	struct tprof_session *session;		/* I */
	struct tprof_choice *choice;		/* I: owned */
	u32 index;				/* I: within the session */
	u64 period;				/* S, read by the sample path at any time; 0: counts only */
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
	u64 measured;				/* c: time of deliveries that were measured; decays, see throttle.c */
	u64 overhead;				/* c: of a delivery, without filters: moving average */
	u32 load;				/* c, read by throttle.c: share of the CPU before that check */
	u32 factor;				/* S: the periods on this CPU are so many times as long */
	struct tprof_missed missed[TPROF_NR_MISSED];
	bool running;				/* S */
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
	atomic_t kernel_stacks;			/* A: users that need a kernel stack with staged samples */
	struct tprof_source_cpu __percpu *cpu;
	void __percpu *private;			/* memory of the ops: tprof_source_cpu() */
	struct rcu_head rcu;
};

/* source_registry.c */
/* Takes a reference on the module of the source. Returns NULL if no such source is registered. */
const struct tprof_source_ops *tprof_source_ops_get(const char *name);
void tprof_source_ops_put(const struct tprof_source_ops *ops);
unsigned int tprof_source_nr_ops(void);
/* Fills @info for the source with index info->index. Errors: ENOENT. */
int tprof_source_describe(struct tprof_source_info *info);

/*
 * source_choice.c. In the context of the client, which may be blocked for any time by a file system or by its own
 * memory, so without locks. Returns an ERR_PTR() on failure: ENOENT (no such source), EINVAL, ENOMEM, and the errors of
 * the source.
 */
struct tprof_choice *tprof_choice_new(const char *source, const void *attr, size_t attr_size, u64 period);
/* Accepts NULL. Process context. */
void tprof_choice_free(struct tprof_choice *choice);

/* source.c. With the session's mutex held; these functions take the sources mutex. */
/* Takes over @choice, unless it fails. Errors: ENOSPC (max_events_per_user), ENOMEM. */
int tprof_subscription_open(struct tprof_subscription *sub, struct tprof_session *session, u32 index,
			    struct tprof_choice *choice);
void tprof_subscription_close(struct tprof_subscription *sub);
/* Tests whether the session samples the CPU. */
bool tprof_subscription_is_on(const struct tprof_subscription *sub, unsigned int cpu);
/* Starts the subscription: samples are delivered from now on. Errors: ENOMEM, and those of the source. */
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

/*
 * source_cpu.c: a source on its CPUs. With the sources mutex held. The CPU hotplug callbacks see the source between
 * tprof_source_link() and tprof_source_unlink().
 */
void tprof_source_link(struct tprof_source *source);
void tprof_source_unlink(struct tprof_source *source);

/* Reads the counter of a CPU, including the counts before the source was last started there. */
void tprof_source_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count);
/*
 * Starts the source on the CPUs on which a subscription needs it, and stops it on all others. Returns the error of the
 * first CPU on which it cannot be started; the other CPUs are updated all the same.
 */
int tprof_source_update_cpus(struct tprof_source *source);
/* To be called when the shortest period may have changed. Errors as above. */
int tprof_source_update_period(struct tprof_source *source);

#define TPROF_MAX_PERIOD_FACTOR	4096U
/* Makes the period on a CPU @factor times as long. Keeps the one before if the source does not support it. */
void tprof_source_set_factor(struct tprof_source *source, unsigned int cpu, u32 factor);
/* To be called when a subscription has joined, or was cleared: its period_factor becomes what it is at least. */
void tprof_source_note_factors(struct tprof_source *source);
/*
 * On this CPU, makes the source fire for weight that has accumulated. Returns the part of the next sample's weight that
 * has already elapsed. Interrupts disabled.
 */
u64 tprof_source_settle_here(struct tprof_source *source);
/*
 * Makes the source fire for weight that has accumulated on each of these CPUs. Waits for an interrupt that is late, at
 * most SETTLE_TRIES times. Process context.
 */
void tprof_source_settle(struct tprof_source *source, const struct cpumask *cpus);
/* Takes the CPUs on which the source does not run from source->cpus. To be called after their tprof_quiesce(). */
void tprof_source_forget_cpus(struct tprof_source *source);

/* source_cpu.c: CPU hotplug callbacks. Process context, on that CPU. */
int tprof_sources_cpu_online(unsigned int cpu);
void tprof_sources_cpu_offline(unsigned int cpu);
/* Waits for the work of the callbacks. To be called after the callbacks are removed. */
void tprof_sources_settle(void);

/* source.c. Calls @show for each source with the sources mutex held. */
void tprof_source_for_each(void (*show)(struct tprof_source *source, void *ctx), void *ctx);
u64 tprof_source_fired(const struct tprof_source *source);
/* Time that the delivery of its samples took on all CPUs, without that of filters; an estimate. */
u64 tprof_source_delivery_ns(const struct tprof_source *source);

/*
 * tprof_source_fire() for a source's own hard interrupt: no NMI, no task context, and no re-entry, because interrupts
 * are disabled during a delivery. @time_ns: CLOCK_MONOTONIC.
 */
void tprof_source_fire_irq(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 time_ns);

/*
 * tprof_source_fire() for events that fire synchronously in the code that triggers them (software events, tracepoints,
 * breakpoints). During a delivery that code is a filter, also where in_nmi() is true, since exceptions look like NMIs.
 * Such a sample is counted as reentry: if it were staged, its delivery would trigger the next one, without end.
 */
void tprof_source_fire_caused(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data);

extern const struct tprof_source_ops tprof_source_timer;
extern const struct tprof_source_ops tprof_source_perf;
extern const struct tprof_source_ops tprof_source_kprobe;
extern const struct tprof_source_ops tprof_source_uprobe;
/* Errors: EOPNOTSUPP. */
int tprof_source_timer_init(void);
void tprof_source_timer_exit(void);
int tprof_source_perf_init(void);
void tprof_source_perf_exit(void);

#endif
