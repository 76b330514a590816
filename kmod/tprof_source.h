/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a module brings a source of samples of its own to tprof. A source is one programmed event; tprof decides on which
 * CPUs it runs and how often it fires, and hands its samples to all sessions that asked for it.
 *
 *	static const struct tprof_source_ops ops = {
 *		.version = TPROF_SOURCE_VERSION,
 *		.name = "mine",
 *		.owner = THIS_MODULE,
 *		.start = mine_start,
 *		.stop = mine_stop,
 *	};
 *
 *	err = tprof_source_register(&ops);
 *	...
 *	tprof_source_unregister(&ops);
 *
 * While a session has an event of the source, the module that brought it cannot be unloaded.
 */
#ifndef _TPROF_SOURCE_H
#define _TPROF_SOURCE_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "uapi/tprof_device.h"

struct module;
struct seq_file;
struct tprof_source;

#define TPROF_SOURCE_VERSION	2

/* What the counter itself says, since the source was started on that CPU. */
struct tprof_source_count {
	u64 value;		/* units of the event */
	u64 enabled_ns;
	u64 running_ns;
};

/*
 * All calls come in process context and may sleep, and never two at a time for one source, but for offline, which may
 * come at any time. CPUs are not held where they are: a CPU may go while it is being started.
 *
 * @version:    TPROF_SOURCE_VERSION
 * @name:       as in struct tprof_event; at most 15 characters
 * @owner:      THIS_MODULE
 * @event_size: bytes that parse() makes of the client's attr; two events are the same if these bytes are. At most
 *              TPROF_SOURCE_EVENT_MAX. 0: the source has one event
 * @cpu_size:   bytes of tprof_source_cpu(), zeroed, for each CPU
 * @min_period, @max_period: what a client may ask for; 0: no limit
 * @can_count:  may be started with the period 0, to count without sampling
 * @parse:      checks the client's @attr of @size bytes (a copy) and fills @event, which is zeroed. 0, or EINVAL,
 *              E2BIG, EOPNOTSUPP, ... Optional: then the client's attr has to be empty
 * @check:      can @event be had with that period (0: counted)? Better asked before the start. EOPNOTSUPP, EPERM, ...
 *              Optional
 * @start:      begins to count on @cpu and to call tprof_source_fire() after each @period units. ENODEV: the CPU has
 *              gone
 * @stop:       when it returns, the source does not fire on @cpu any more, and will not. Also comes after @offline, and
 *              for CPUs that have gone
 * @offline:    @cpu, on which it is called, is about to go: stops there what would not end with the CPU. A start may
 *              still come before it is gone, but a stop comes then too. Optional
 * @set_period: another period, from the next firing on. ENODEV: the CPU has gone. Optional: stop and start are called
 *              instead
 * @settle:     called on a CPU with interrupts off: gives out there what makes a sample by now, and returns what
 *              remains: of what the next samples will stand for, the part that lies in the past. Optional: then that
 *              is taken for 0, and who joins gets it
 * @due:        called there after that: has a sample been due since before @ns, by CLOCK_MONOTONIC, because its
 *              interrupt is late? Then who wants all samples waits a moment for it. Optional: then none is
 * @read:       the counter on @cpu, while it is started and right after it was stopped. Optional: then the weight of
 *              what fired is taken for it
 * @describe:   prints @event, without a newline or tab, for lists. Optional
 */
struct tprof_source_ops {
	u32 version;
	char name[TPROF_NAME_LEN];
	struct module *owner;
	size_t event_size;
	size_t cpu_size;
	u64 min_period;
	u64 max_period;
	bool can_count;
	int (*parse)(const void *attr, size_t size, void *event);
	int (*check)(const void *event, u64 period);
	int (*start)(struct tprof_source *source, unsigned int cpu, u64 period);
	void (*stop)(struct tprof_source *source, unsigned int cpu);
	void (*offline)(struct tprof_source *source, unsigned int cpu);
	int (*set_period)(struct tprof_source *source, unsigned int cpu, u64 period);
	u64 (*settle)(struct tprof_source *source);
	bool (*due)(struct tprof_source *source, u64 ns);
	void (*read)(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count);
	void (*describe)(const void *event, struct seq_file *m);
};

#define TPROF_SOURCE_EVENT_MAX	256

/* 0, or EINVAL (another version, no name, no start or stop), EBUSY (the name is taken). */
int tprof_source_register(const struct tprof_source_ops *ops);
void tprof_source_unregister(const struct tprof_source_ops *ops);

/* What parse() made of the event. */
const void *tprof_source_event(const struct tprof_source *source);
/* The source's own memory for a CPU. Any context. */
void *tprof_source_cpu(const struct tprof_source *source, unsigned int cpu);

/*
 * A firing on this CPU: any context, also NMI; neither preemption nor migration may be possible.
 *
 * @regs:   registers of what was interrupted, or where the event happened
 * @weight: how much of the event it stands for: usually the period
 * @addr, @data: as in struct tprof_sample
 */
void tprof_source_fire(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data);
/* The same without registers, for time that the idle task spent; @ip: where. */
void tprof_source_fire_idle(struct tprof_source *source, unsigned long ip, u64 weight);

#endif /* _TPROF_SOURCE_H */
