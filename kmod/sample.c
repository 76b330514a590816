// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples: captured, and delivered to sessions.
 *
 * On the NMI path: what stands before the delivery in this file. No locks, no allocation, no printing. The delivery
 * runs with interrupts off and never in NMI; on one CPU one runs at a time.
 */
#include <linux/cgroup.h>
#include <linux/hardirq.h>
#include <linux/mm_types.h>
#include <linux/panic_notifier.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/timekeeping.h>
#include <asm/irq_regs.h>

#include "clock.h"
#include "filter_run.h"
#include "sample.h"
#include "session.h"
#include "source.h"
#include "stage.h"
#include "unwind.h"

struct sample_cpu {
	struct tprof_capture capture;		/* c: the one that is captured and delivered at once */
	bool busy;				/* c: a delivery is running */
	bool missed;				/* c: a source has something in its missed[]; set in any context */
};

static DEFINE_PER_CPU(struct sample_cpu, sample_cpus);
static bool panicking;

static __always_inline u64 cgroup_of(struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	/* Interrupts are off, which RCU respects. */
	return cgroup_id(task_css_set_check(task, true)->dfl_cgrp);
#else
	return 0;
#endif
}

/* Who is running, without what differs between sessions. */
static __always_inline void capture_task(struct tprof_sample *s, struct task_struct *task)
{
	const struct mm_struct *mm = READ_ONCE(task->mm);

	s->tgid = task->tgid;
	s->tid = task->pid;
	s->ns_tgid = s->tgid;
	s->ns_tid = s->tid;
	s->cgroup_id = cgroup_of(task);
	if (mm) {
		s->exec_id = READ_ONCE(mm->start_code) >> 12;
	} else {
		s->exec_id = 0;
		s->flags |= TPROF_SAMPLE_KTHREAD;
	}
	/* What interrupts do while the CPU has nothing else to do is work. */
	if (!task->pid && !(s->flags & (TPROF_SAMPLE_IRQ | TPROF_SAMPLE_SOFTIRQ)))
		s->flags |= TPROF_SAMPLE_IDLE;
	memcpy(s->comm, task->comm, sizeof(s->comm));
	s->comm[sizeof(s->comm) - 1] = '\0';
}

/*
 * What kind of code was running. The registers of the interrupt that we are in are those of what it came upon, which is
 * one level of hard interrupt further out than this code.
 */
static __always_inline u32 mode_flags(struct pt_regs *regs)
{
	unsigned long hard = hardirq_count();
	u32 flags = TPROF_SAMPLE_KERNEL;

	/* No interrupt is served in user mode, but for the one that we are in. */
	if (user_mode(regs))
		return TPROF_SAMPLE_USER | (in_nmi() ? TPROF_SAMPLE_NMI : 0);
	if (in_nmi()) {
		flags |= TPROF_SAMPLE_NMI;
		/* Each level of them counts as one of hard interrupts too. */
		hard -= in_nmi() / NMI_OFFSET * HARDIRQ_OFFSET;
	} else if (regs == get_irq_regs() && hard) {
		hard -= HARDIRQ_OFFSET;
	}
	if (hard)
		return flags | TPROF_SAMPLE_IRQ | (in_serving_softirq() ? TPROF_SAMPLE_SOFTIRQ : 0);
	if (in_serving_softirq())
		return flags | TPROF_SAMPLE_SOFTIRQ;
	/* By what the kernel's own account of guest time goes; the address is that of the host's entry. */
	if (unlikely(current->flags & PF_VCPU))
		flags = (flags & TPROF_SAMPLE_NMI) | TPROF_SAMPLE_GUEST;
	return flags;
}

static __always_inline void capture(struct tprof_capture *c, struct pt_regs *regs, unsigned long ip, u32 flags,
				    u64 weight, u64 addr, u64 data, u64 time_ns)
{
	struct tprof_sample *s = &c->sample;

	s->ip = ip;
	s->time_ns = time_ns;
	s->weight = weight;
	s->addr = addr;
	s->data = data;
	s->cpu = raw_smp_processor_id();
	s->flags = flags;
	c->task = current;
	c->regs = regs;
	c->frames = NULL;
	c->nr_frames = 0;
	capture_task(s, c->task);
}

/* Interrupts off, or NMI. */
static void count_missed(struct tprof_source *source, enum tprof_missed_reason reason, u64 weight)
{
	struct tprof_missed *missed = &this_cpu_ptr(source->cpu)->missed[reason];

	local_inc(&missed->samples);
	local_add(weight, &missed->weight);
	__this_cpu_write(sample_cpus.missed, true);
}

/*
 * Puts the sample where the irq_work of this CPU finds it. Interrupts off, or NMI.
 * @regs: NULL: of the idle task, at @ip
 */
static noinline void stage(struct tprof_source *source, struct pt_regs *regs, unsigned long ip, u64 weight, u64 addr,
			   u64 data)
{
	u32 flags = regs ? mode_flags(regs) : TPROF_SAMPLE_KERNEL;
	bool stack = (flags & TPROF_SAMPLE_KERNEL) && regs && atomic_read(&source->kernel_stacks);
	struct tprof_staged *staged = tprof_stage_reserve(stack ? TPROF_UNWIND_MAX : 0);

	if (!staged) {
		count_missed(source, TPROF_MISSED_STAGING, weight);
		tprof_stage_kick();
		return;
	}
	staged->source = source;
	capture(&staged->capture, regs, ip, flags, weight, addr, data, ktime_get_mono_fast_ns());
	if (stack)
		staged->capture.nr_frames = tprof_unwind_kernel(regs, current, staged->frames, TPROF_UNWIND_MAX);
	tprof_stage_commit(staged);
}

/* Nobody knows what was running. */
static void miss(struct tprof_source *source, u64 weight)
{
	count_missed(source, TPROF_MISSED_REGS, weight);
	tprof_stage_kick();
}

void tprof_source_fire(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data)
{
	struct sample_cpu *cpu = this_cpu_ptr(&sample_cpus);
	unsigned long irq_flags;

	if (READ_ONCE(panicking))
		return;
	if (in_nmi()) {
		if (regs)
			stage(source, regs, instruction_pointer(regs), weight, addr, data);
		else
			miss(source, weight);
		return;
	}
	local_irq_save(irq_flags);
	if (unlikely(!regs)) {
		miss(source, weight);
	} else if (unlikely(cpu->busy)) {
		/*
		 * What a filter causes and sees again would go on for ever; so would an interrupt to book it, if an
		 * event were on its way. The delivery that is running books it in the end.
		 */
		count_missed(source, TPROF_MISSED_REENTRY, weight);
	} else if (likely(in_hardirq())) {
		capture(&cpu->capture, regs, instruction_pointer(regs), mode_flags(regs), weight, addr, data,
			ktime_get_mono_fast_ns());
		tprof_deliver(source, &cpu->capture);
	} else {
		stage(source, regs, instruction_pointer(regs), weight, addr, data);
	}
	local_irq_restore(irq_flags);
}
EXPORT_SYMBOL_GPL(tprof_source_fire);

void tprof_source_fire_caused(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data)
{
	if (likely(!__this_cpu_read(sample_cpus.busy)))
		tprof_source_fire(source, regs, weight, addr, data);
	else
		count_missed(source, TPROF_MISSED_REENTRY, weight);
}

void tprof_source_fire_irq(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 time_ns)
{
	struct sample_cpu *cpu = this_cpu_ptr(&sample_cpus);

	if (unlikely(READ_ONCE(panicking)))
		return;
	if (unlikely(!regs)) {
		miss(source, weight);
		return;
	}
	capture(&cpu->capture, regs, instruction_pointer(regs), mode_flags(regs), weight, 0, 0, time_ns);
	tprof_deliver(source, &cpu->capture);
}

void tprof_source_fire_idle(struct tprof_source *source, unsigned long ip, u64 weight)
{
	unsigned long irq_flags;

	local_irq_save(irq_flags);
	stage(source, NULL, ip, weight, 0, 0);
	local_irq_restore(irq_flags);
}
EXPORT_SYMBOL_GPL(tprof_source_fire_idle);

/*
 * How much of the weight that has come together is delivered now: whole multiples of the session's period, so that each
 * unit of the event has the same chance to be the one that a sample stands for. 0: the sample is skipped.
 */
static __always_inline u64 take_weight(s64 *carry, u64 weight, u64 period)
{
	s64 over;

	/* The usual sample: it is one period of the session's, and what is carried stays as it is. */
	if (likely(weight == period && (u64)*carry < period))
		return period;
	over = *carry + weight - period;
	if (over < 0) {
		*carry = over + period;
		return 0;
	}
	if (over < (s64)period) {
		*carry = over;
		return period;
	}
	*carry = (u64)over % period;
	return over + period - *carry;
}

/* Ids as the session's pid namespace has them. */
static void localize(struct tprof_capture *c, const struct tprof_session *session)
{
	struct tprof_sample *s = &c->sample;

	s->ns_tgid = session->pidns ? task_tgid_nr_ns(c->task, session->pidns) : s->tgid;
	s->ns_tid = session->pidns ? task_pid_nr_ns(c->task, session->pidns) : s->tid;
}

static bool in_scope(const struct tprof_session *session, const struct tprof_capture *c)
{
	bool has;

	if (!READ_ONCE(session->scoped))
		return true;
	rcu_read_lock();
	has = tprof_scope_has(session, c);
	rcu_read_unlock();
	return has;
}

/* A sample that the session is to have. Returns under what to book it. */
static unsigned int deliver_taken(struct tprof_session *session, struct tprof_capture *c)
{
	unsigned int book;

	if (!in_scope(session, c))
		return TPROF_OUTCOME_OUT_OF_SCOPE;
	if ((session->flags & TPROF_CONFIG_STALL) && !tprof_stream_has_room(session, &c->sample))
		return TPROF_BOOK_LOST(TPROF_LOST_STREAM_FULL);
	localize(c, session);
	book = filters_run(session, c);
	c->sample.ns_tgid = c->sample.tgid;
	c->sample.ns_tid = c->sample.tid;
	return book;
}

/* For a session that does not want all that comes as it comes, and for all when the idle task is running. */
static noinline void deliver_chosen(struct tprof_subscription *sub, struct tprof_capture *c, u64 weight)
{
	struct tprof_session *session = sub->session;
	bool idle = c->sample.flags & TPROF_SAMPLE_IDLE;
	unsigned int book = TPROF_OUTCOME_DECIMATED;
	struct tprof_session_cpu *cpu;
	u64 taken;

	if (!session->all_cpus && !cpumask_test_cpu(c->sample.cpu, session->cpus))
		return;
	cpu = this_cpu_ptr(session->cpu);
	taken = take_weight(&cpu->carry[sub->index], weight, READ_ONCE(sub->period));
	if (taken) {
		c->sample.weight = taken;
		c->sample.event = sub->index;
		book = deliver_taken(session, c);
	}
	tprof_account_book(&cpu->account, book, 1, taken, idle && taken);
}

/* For one that does, when a task is running. The usual ways to book are constants to the compiler. */
static __always_inline void deliver_plain(const struct tprof_subscription *sub, struct tprof_capture *c, u64 weight)
{
	struct tprof_session *session = sub->session;
	struct tprof_session_cpu *cpu = this_cpu_ptr(session->cpu);
	const u32 index = sub->index;
	u64 taken = take_weight(&cpu->carry[index], weight, READ_ONCE(sub->period));
	unsigned int book;

	if (unlikely(!taken)) {
		tprof_account_book(&cpu->account, TPROF_OUTCOME_DECIMATED, 1, 0, false);
		return;
	}
	c->sample.weight = taken;
	c->sample.event = index;
	book = filters_run(session, c);
	if (likely(book == TPROF_OUTCOME_DONE))
		tprof_account_book(&cpu->account, TPROF_OUTCOME_DONE, 1, taken, false);
	else
		tprof_account_book(&cpu->account, book, 1, taken, false);
}

static __always_inline void deliver_to_all(const struct tprof_subscribers *subscribers, struct tprof_capture *c)
{
	struct tprof_subscription *const *at = subscribers->list;
	struct tprof_subscription *const *end = at + subscribers->nr;
	u64 weight = c->sample.weight;

	c->clock = tprof_clock();
	if (unlikely(c->sample.flags & TPROF_SAMPLE_IDLE)) {
		for (; at < end; at++)
			deliver_chosen(*at, c, weight);
		return;
	}
	for (; at < end; at++) {
		if (likely(READ_ONCE((*at)->session->plain)))
			deliver_plain(*at, c, weight);
		else
			deliver_chosen(*at, c, weight);
	}
}

/* Each call of a filter does that, and it costs less where it is done already: from five on it pays. */
static noinline void deliver_to_many(const struct tprof_subscribers *subscribers, struct tprof_capture *c)
{
	rcu_read_lock();
	migrate_disable();
	deliver_to_all(subscribers, c);
	migrate_enable();
	rcu_read_unlock();
}

void tprof_deliver(struct tprof_source *source, struct tprof_capture *c)
{
	struct tprof_source_cpu *source_cpu = this_cpu_ptr(source->cpu);
	const struct tprof_subscribers *subscribers;

	lockdep_assert_irqs_disabled();
	__this_cpu_write(sample_cpus.busy, true);
	source_cpu->fired++;
	source_cpu->weight += c->sample.weight;
	/* Interrupts are off, which RCU respects: nothing of this goes meanwhile. */
	subscribers = rcu_dereference_sched(source->subscribers);
	if (subscribers->nr > 4)
		deliver_to_many(subscribers, c);
	else
		deliver_to_all(subscribers, c);
	__this_cpu_write(sample_cpus.busy, false);
	if (unlikely(__this_cpu_read(sample_cpus.missed)))
		tprof_deliver_missed();
}

static const unsigned int missed_books[TPROF_NR_MISSED] = {
	[TPROF_MISSED_STAGING] = TPROF_BOOK_LOST(TPROF_LOST_STAGING_FULL),
	[TPROF_MISSED_REENTRY] = TPROF_BOOK_LOST(TPROF_LOST_REENTRY),
	[TPROF_MISSED_REGS] = TPROF_BOOK_LOST(TPROF_LOST_ENGINE_MISSED),
};

static void deliver_missed(struct tprof_source *source, enum tprof_missed_reason reason)
{
	struct tprof_source_cpu *source_cpu = this_cpu_ptr(source->cpu);
	struct tprof_missed *missed = &source_cpu->missed[reason];
	const struct tprof_subscribers *subscribers = rcu_dereference(source->subscribers);
	unsigned long samples = local_xchg(&missed->samples, 0);
	unsigned long weight = local_xchg(&missed->weight, 0);
	unsigned int i, cpu_id = raw_smp_processor_id();

	if (!samples && !weight)
		return;
	source_cpu->fired += samples;
	source_cpu->weight += weight;
	for (i = 0; i < subscribers->nr; i++) {
		struct tprof_subscription *sub = subscribers->list[i];
		struct tprof_session_cpu *cpu = this_cpu_ptr(sub->session->cpu);

		if (!sub->session->all_cpus && !cpumask_test_cpu(cpu_id, sub->session->cpus))
			continue;
		tprof_account_book(&cpu->account, missed_books[reason], samples,
				   take_weight(&cpu->carry[sub->index], weight, READ_ONCE(sub->period)), false);
	}
}

void tprof_deliver_missed(void)
{
	struct tprof_source *source;
	int reason;

	if (!__this_cpu_read(sample_cpus.missed))
		return;
	__this_cpu_write(sample_cpus.missed, false);
	barrier();
	rcu_read_lock();
	list_for_each_entry_rcu(source, &tprof_sources, list) {
		for (reason = 0; reason < TPROF_NR_MISSED; reason++)
			deliver_missed(source, reason);
	}
	rcu_read_unlock();
}

void tprof_quiesce(void)
{
	/* Deliveries run with interrupts off: an interrupt on each CPU comes after them. */
	tprof_stage_flush();
}

static int on_panic(struct notifier_block *block, unsigned long action, void *data)
{
	WRITE_ONCE(panicking, true);
	return NOTIFY_DONE;
}

static struct notifier_block panic_block = {
	.notifier_call = on_panic,
};

int tprof_sample_init(void)
{
	return atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
}

void tprof_sample_exit(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
}
