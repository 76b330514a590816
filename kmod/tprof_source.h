/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interface for modules that add a source of samples to tprof. A struct tprof_source is one programmed event of it.
 * tprof decides on which CPUs the source runs and with which period, and delivers its samples to all sessions that
 * sample it.
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
 * While a session has an event of the source, the module that registered it cannot be unloaded.
 */
#ifndef _TPROF_SOURCE_H
#define _TPROF_SOURCE_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "uapi/tprof_device.h"

struct cpumask;
struct module;
struct seq_file;
struct tprof_source;

#define TPROF_SOURCE_VERSION	5

/* The counter of a source on a CPU, since it was started there. */
struct tprof_source_count {
	u64 value;		/* units of the event */
	u64 enabled_ns;		/* time enabled */
	u64 running_ns;		/* time running; less than the time enabled under multiplexing */
};

/*
 * Operations of a source. Unless stated otherwise they are called in process context and may sleep, one at a time for a
 * source, except for offline, which may be called at any time. The CPU hotplug lock is not held: a CPU may go offline
 * while the source is started on it.
 *
 * @version:    TPROF_SOURCE_VERSION
 * @name:       as in struct tprof_event; at most 15 characters
 * @owner:      THIS_MODULE
 * @event_size: size in bytes of the event that parse() fills from the client's attr; events with equal bytes share one
 *              source. At most TPROF_SOURCE_EVENT_MAX. 0: there is only one event
 * @cpu_size:   size in bytes of the per-CPU memory of tprof_source_cpu(), which is zeroed
 * @min_period, @max_period: range of the period; 0: no limit
 * @can_count:  the source may be started with the period 0, to count without sampling
 * @parse:      checks the client's attributes (@attr is a copy of @size bytes) and fills @event, which is zeroed. Only
 *              @parse and @check are called in the context of the client: they resolve what depends on its memory, its
 *              names or its rights. No lock is held. Returns 0, -EINVAL, -E2BIG, -EOPNOTSUPP, ... Optional: without it
 *              attributes are refused
 * @release:    releases what @parse acquired for @event, when the event is refused or its session is closed. Each event
 *              that was parsed is released; events with equal bytes may share a source, so the source may use what any
 *              of them has acquired. Optional
 * @check:      tests whether @event can be sampled with that period (0: counted), before a session is started. Context
 *              as @parse. Returns 0, -EOPNOTSUPP, -EPERM, ... Optional
 * @prepare:    prepares all CPUs, before @start. It may take long: only sessions with an equal event wait for it, and a
 *              signal ends their wait. Returns 0 or an error, with which the start of the session fails. Optional
 * @unprepare:  undoes @prepare, when no session runs that has the event. It may take long, and meanwhile another source
 *              may be prepared for an equal event. Optional
 * @start:      starts to count on @cpu and to call tprof_source_fire() after each @period units. Returns 0, -ENODEV if
 *              the CPU is offline, -ENXIO if the CPU does not have the event (the session samples the others then), or
 *              another error
 * @stop:       stops the source on @cpu; when it returns, the source does not fire there. Also called after @offline,
 *              and for CPUs that are offline
 * @offline:    called on @cpu before it goes offline: stops what would continue without the CPU. The source may still
 *              be started before the CPU is offline; stop is called in that case too. Optional
 * @set_period: changes the period on @cpu, from the next sample on. Returns 0, -ENODEV if the CPU is offline, or
 *              another error. Optional: without it the source is stopped and started
 * @collect:    called before @settle: fires, on @cpus, for what has accumulated on no CPU. Optional
 * @settle:     called on a CPU with interrupts disabled: fires there for weight that has accumulated. Returns the
 *              remainder: the part of the weight of the next samples that has already elapsed. Optional: without it the
 *              remainder is taken for 0, and a session that joins gets it
 * @due:        called after @settle in the same context: returns true if a sample should have fired before @ns
 *              (CLOCK_MONOTONIC) and its interrupt is late; tprof then waits for it, for a tenth of a second at most.
 *              Optional: without it no sample is taken for late
 * @read:       reads the counter on @cpu, while it is started and right after it was stopped. Optional: without it the
 *              value is the weight of all samples
 * @describe:   prints @event for debugfs, without newline or tab. Optional
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
	void (*release)(void *event);
	int (*check)(const void *event, u64 period);
	int (*prepare)(struct tprof_source *source);
	void (*unprepare)(struct tprof_source *source);
	int (*start)(struct tprof_source *source, unsigned int cpu, u64 period);
	void (*stop)(struct tprof_source *source, unsigned int cpu);
	void (*offline)(struct tprof_source *source, unsigned int cpu);
	int (*set_period)(struct tprof_source *source, unsigned int cpu, u64 period);
	void (*collect)(struct tprof_source *source, const struct cpumask *cpus);
	u64 (*settle)(struct tprof_source *source);
	bool (*due)(struct tprof_source *source, u64 ns);
	void (*read)(struct tprof_source *source, unsigned int cpu, struct tprof_source_count *count);
	void (*describe)(const void *event, struct seq_file *m);
};

#define TPROF_SOURCE_EVENT_MAX	256

/*
 * Registers a source; @ops must stay valid until it is unregistered. Returns 0, -EINVAL (another version, no name, no
 * start or stop, event_size too large or without parse), -EBUSY (the name is taken), -ENOMEM. Process context.
 */
int tprof_source_register(const struct tprof_source_ops *ops);
/* Does nothing if @ops is not registered. Process context. */
void tprof_source_unregister(const struct tprof_source_ops *ops);

/* Returns the event that parse() filled. Any context. */
const void *tprof_source_event(const struct tprof_source *source);
/* Returns the source's per-CPU memory of @cpu. Any context. */
void *tprof_source_cpu(const struct tprof_source *source, unsigned int cpu);

/*
 * Reports a sample on this CPU. Any context, also NMI; preemption must be disabled.
 *
 * @regs:   registers of the interrupted code, or of the place where the event occurred; NULL: the interrupted context
 *          is unknown, and the sample is counted as lost (engine_missed)
 * @weight: how much of the event the sample represents: usually the period
 * @addr, @data: as in struct tprof_sample
 */
void tprof_source_fire(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data);
/*
 * Reports a sample whose address the hardware has recorded: the interrupt came some instructions later. Context as
 * above.
 *
 * @regs: registers of the code that the interrupt hit, where call stacks are unwound; NULL: unknown, the sample has no
 *        kernel call stack. Not the registers of the record, whose stack pointer may be that of other code
 * @ip:   the recorded address: that of the sample, and its mode, user or kernel
 *
 * The leaf of a call stack is @ip. If that is not the address in @regs, TPROF_FRAME_SKID follows, and then the call
 * stack of @regs.
 */
void tprof_source_fire_precise(struct tprof_source *source, struct pt_regs *regs, unsigned long ip, u64 weight,
			       u64 addr, u64 data);
/*
 * Reports a sample of the idle task without registers, for idle time; @ip: where the CPU went idle. Context as above.
 */
void tprof_source_fire_idle(struct tprof_source *source, unsigned long ip, u64 weight);

/*
 * tprof_owner_enter(), tprof_owner_leave() - a section in which the kernel works for somebody
 *
 * @subsystem: a number that the module has chosen for itself, not 0
 * @id:        a number of the module: for whom or for what it works
 *
 * Samples of the section have this owner (struct tprof_work_owner), and so has work that is queued in it. The section
 * is one of the current thread, or of the current soft or hard interrupt, and is left in the same context: it does not
 * include interrupts that come in between. Sections nest, at least two deep. A thread leaves its sections before it
 * returns to user mode. Any context but NMI. Costs next to nothing while no filter asks for owners; a section that was
 * entered before that has none.
 */
void tprof_owner_enter(u32 subsystem, u64 id);
void tprof_owner_leave(void);

#endif /* _TPROF_SOURCE_H */
