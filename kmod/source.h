/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources, and the sessions that subscribe to them.
 *
 * All sessions that sample the same event share one source. It fires with the shortest of their periods; each
 * session skips as many samples as it has to. A source is made for the first subscriber and goes with the last.
 */
#ifndef _TPROF_SOURCE_PRIVATE_H
#define _TPROF_SOURCE_PRIVATE_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <asm/local.h>

#include "tprof_source.h"

struct tprof_session;

/* A session's event. */
struct tprof_subscription {
	struct tprof_session *session;		/* I */
	const struct tprof_source_ops *ops;	/* I; with a reference on its module */
	void *attr;				/* I: what ops->parse() made of it, ops->event_size bytes */
	u32 index;				/* I: within the session */
	u64 period;				/* S, read by the sample path at any time; 0: counts only */
	struct tprof_source *source;		/* S: while subscribed */
	struct list_head node;			/* S: source->users */
	struct tprof_source_count *base;	/* S: by CPU: what the counter said at the start */
	struct tprof_source_count *past;	/* S: by CPU: what was counted before the last stop */
	bool wants_stacks;			/* S: a filter of the session walks kernel stacks */
};

/* Who gets the samples. Replaced as a whole. */
struct tprof_subscribers {
	struct rcu_head rcu;
	unsigned int nr;
	struct tprof_subscription *list[];
};

/* Samples that found no room in the staging buffer; written in any context of the CPU, NMI too. */
struct tprof_missed {
	local_t samples;
	local_t weight;
};

enum tprof_missed_reason {
	TPROF_MISSED_STAGING,			/* the staging buffer was full */
	TPROF_MISSED_REENTRY,			/* a filter's own doing caused it */
	TPROF_MISSED_REGS,			/* nobody knows what was running */
	TPROF_NR_MISSED,
};

struct tprof_source_cpu {
	u64 fired;				/* c */
	u64 weight;				/* c */
	struct tprof_missed missed[TPROF_NR_MISSED];
	bool running;				/* S */
	bool gone;				/* under cpus_mutex: the CPU went or came back since it was started */
	struct tprof_source_count past;		/* S: of earlier times that the CPU was online */
	u64 started_ns;				/* S */
};

struct tprof_source {
	const struct tprof_source_ops *ops;	/* I */
	u32 id;					/* I */
	bool sampling;				/* I */
	struct list_head list;			/* S,R: tprof_sources */
	void *event;				/* I */
	u64 period;				/* S: the shortest of its users; 0: it counts only */
	struct tprof_subscribers __rcu *subscribers; /* S,R: those that sample */
	struct list_head users;			/* S: subscriptions, also those that count only */
	atomic_t kernel_stacks;			/* A: users that want a kernel stack with samples captured in NMI */
	struct tprof_source_cpu __percpu *cpu;
	void __percpu *private;			/* the ops' own */
	struct rcu_head rcu;
};

/* source_registry.c */
int tprof_sources_init(void);
void tprof_sources_exit(void);
/* With a reference on its module; NULL: there is none. */
const struct tprof_source_ops *tprof_source_ops_get(const char *name);
void tprof_source_ops_put(const struct tprof_source_ops *ops);
unsigned int tprof_source_nr_ops(void);
/* By info->index; ENOENT: there are fewer. */
int tprof_source_describe(struct tprof_source_info *info);

/* source.c. The session's mutex is held; they take the sources mutex. */
int tprof_subscription_open(struct tprof_subscription *sub, struct tprof_session *session, u32 index,
			    const struct tprof_source_ops *ops, const void *attr, size_t attr_size, u64 period);
void tprof_subscription_close(struct tprof_subscription *sub);
/* Does the session want samples of the CPU? */
bool tprof_subscription_is_on(const struct tprof_subscription *sub, unsigned int cpu);
/* From now on samples come. */
int tprof_subscribe(struct tprof_subscription *sub);
/* When it returns, all that was captured was delivered, and nothing comes any more. */
void tprof_unsubscribe(struct tprof_subscription *sub);
int tprof_subscription_set_period(struct tprof_subscription *sub, u64 period);
/* Counts of one CPU, or of all with -1. */
void tprof_subscription_read(struct tprof_subscription *sub, int cpu, struct tprof_source_count *count);
/* What came together and is not given out yet is, before the next tprof_quiesce() ends. */
void tprof_subscription_settle(struct tprof_subscription *sub);
void tprof_subscription_clear(struct tprof_subscription *sub);
void tprof_subscription_want_stacks(struct tprof_subscription *sub, bool wanted);

/* All sources; RCU, changed under the sources mutex and cpus_mutex. */
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
 * source_cpu.c: a source on its CPUs. The sources mutex is held. CPUs that come and go see it from tprof_source_link()
 * on, until tprof_source_unlink().
 */
void tprof_source_link(struct tprof_source *source);
void tprof_source_unlink(struct tprof_source *source);

/* What the counter says of a CPU, now and before it was last started there. */
void tprof_source_read(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count);
/*
 * Starts it where it is wanted and stops it where it is not. Returns what the first CPU said that cannot be started;
 * for the others it is done.
 */
int tprof_source_update_cpus(struct tprof_source *source);
/* After the shortest of the periods may have changed. */
int tprof_source_update_period(struct tprof_source *source);
/* Gives out what has come together on this CPU, and returns what has not come to a sample yet. Interrupts are off. */
u64 tprof_source_settle_here(struct tprof_source *source);
/* What is over by now becomes samples on each CPU; an interrupt that is late is waited for, but not for ever. */
void tprof_source_settle(struct tprof_source *source);

/* source_cpu.c: CPUs that come and go; in process context, on that CPU. */
int tprof_sources_cpu_online(unsigned int cpu);
void tprof_sources_cpu_offline(unsigned int cpu);
/* After the last CPU came or went. */
void tprof_sources_settle(void);

/* source.c; takes the sources mutex. */
void tprof_source_for_each(void (*show)(struct tprof_source *source, void *ctx), void *ctx);
u64 tprof_source_fired(const struct tprof_source *source);

/*
 * tprof_source_fire() in an interrupt of the source's own, where none of its other cases can be; @time_ns:
 * CLOCK_MONOTONIC.
 */
void tprof_source_fire_irq(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 time_ns);

/*
 * tprof_source_fire() for events that happen where they are caused: during a delivery that is by a filter, even in
 * what looks like an NMI, since exceptions do. Then it is booked as a re-entry; staged, it would bring on the next one,
 * for ever.
 */
void tprof_source_fire_caused(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data);

extern const struct tprof_source_ops tprof_source_timer;
extern const struct tprof_source_ops tprof_source_perf;
void tprof_source_timer_init(void);
void tprof_source_timer_exit(void);

#endif
