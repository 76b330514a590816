// SPDX-License-Identifier: GPL-2.0-only
/*
 * Captures samples, in any context. In hard interrupt context a sample is delivered immediately, else it is staged.
 *
 * NMI-safe: all of this file. No locks, no allocation, no printk().
 */
#include <linux/cgroup.h>
#include <linux/hardirq.h>
#include <linux/mm_types.h>
#include <linux/panic_notifier.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/timekeeping.h>
#include <asm/irq_regs.h>

#include "deliver.h"
#include "owner.h"
#include "sample.h"
#include "source.h"
#include "stage.h"
#include "unwind.h"

DEFINE_PER_CPU(struct tprof_capture, tprof_captures);
static bool panicking;

static __always_inline u64 cgroup_of(struct task_struct *task)
{
#ifdef CONFIG_CGROUPS
	/* Interrupts disabled, or NMI: an RCU read-side critical section. */
	return cgroup_id(task_css_set_check(task, true)->dfl_cgrp);
#else
	return 0;
#endif
}

/* Fills the members that describe the task, as seen in the initial pid namespace. */
static __always_inline void capture_ids(struct tprof_sample *s, struct task_struct *task, bool has_mm, u32 exec_id)
{
	s->tgid = task->tgid;
	s->tid = task->pid;
	s->ns_tgid = s->tgid;
	s->ns_tid = s->tid;
	s->cgroup_id = cgroup_of(task);
	s->exec_id = exec_id;
	if (!has_mm)
		s->flags |= TPROF_SAMPLE_KTHREAD;
	/* Interrupt handlers that interrupt the idle task are work: such a sample is not IDLE. */
	if (!task->pid && !(s->flags & (TPROF_SAMPLE_IRQ | TPROF_SAMPLE_SOFTIRQ)))
		s->flags |= TPROF_SAMPLE_IDLE;
	memcpy(s->comm, task->comm, sizeof(s->comm));
	s->comm[sizeof(s->comm) - 1] = '\0';
}

static __always_inline void capture_task(struct tprof_sample *s, struct task_struct *task)
{
	const struct mm_struct *mm = READ_ONCE(task->mm);

	capture_ids(s, task, mm, mm ? READ_ONCE(mm->start_code) >> 12 : 0);
}

void tprof_capture_task(struct tprof_sample *s, struct task_struct *task)
{
	capture_task(s, task);
}

void tprof_capture_other(struct tprof_sample *s, struct task_struct *task, bool has_mm, u32 exec_id)
{
	capture_ids(s, task, has_mm, exec_id);
}

/*
 * Returns the mode flags of the interrupted code. If @regs are those of the current interrupt, they describe the code
 * that it interrupted, so this interrupt's own level is subtracted from hardirq_count().
 */
static __always_inline u32 mode_flags(struct pt_regs *regs)
{
	unsigned long hard = hardirq_count();
	u32 flags = TPROF_SAMPLE_KERNEL;

	/* User mode was interrupted: no other interrupt handler is running. */
	if (user_mode(regs))
		return TPROF_SAMPLE_USER | (in_nmi() ? TPROF_SAMPLE_NMI : 0);
	if (in_nmi()) {
		flags |= TPROF_SAMPLE_NMI;
		/* nmi_enter() adds HARDIRQ_OFFSET too, for each level of NMI. */
		hard -= in_nmi() / NMI_OFFSET * HARDIRQ_OFFSET;
	} else if (regs == get_irq_regs() && hard) {
		hard -= HARDIRQ_OFFSET;
	}
	if (hard)
		return flags | TPROF_SAMPLE_IRQ | (in_serving_softirq() ? TPROF_SAMPLE_SOFTIRQ : 0);
	if (in_serving_softirq())
		return flags | TPROF_SAMPLE_SOFTIRQ;
	/* PF_VCPU, as in the kernel's guest time accounting. The ip is where the host entered the guest. */
	if (unlikely(current->flags & PF_VCPU))
		flags = (flags & TPROF_SAMPLE_NMI) | TPROF_SAMPLE_GUEST;
	return flags;
}

/* The mode flags of a sample at @ip whose interrupt came later, with @regs, or NULL. */
static u32 precise_flags(struct pt_regs *regs, unsigned long ip)
{
	bool user = ip < TASK_SIZE_MAX;

	if (regs && user == user_mode(regs))
		return mode_flags(regs);
	/* The mode has changed since: which handlers were running is unknown. */
	return (user ? TPROF_SAMPLE_USER : TPROF_SAMPLE_KERNEL) | (in_nmi() ? TPROF_SAMPLE_NMI : 0);
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

/* Counts a sample that is not captured; the next delivery adds it to the ledgers. Interrupts disabled, or NMI. */
static void count_missed(struct tprof_source *source, enum tprof_missed_reason reason, u64 weight)
{
	struct tprof_missed *missed = &this_cpu_ptr(source->cpu)->missed[reason];

	local_inc(&missed->samples);
	local_add(weight, &missed->weight);
	/* Those that no session wants can wait for the next look at the ledger (tprof_deliver_unwanted()). */
	if (reason < TPROF_MISSED_UNWANTED)
		__this_cpu_write(tprof_delivery.missed, true);
}

void tprof_sample_missed(struct tprof_source *source, enum tprof_missed_reason reason, u64 weight)
{
	count_missed(source, reason, weight);
}

bool tprof_sample_panicking(void)
{
	return READ_ONCE(panicking);
}

/*
 * Captures a sample into the staging buffer, from which an irq_work of this CPU delivers it. Interrupts disabled, or
 * NMI.
 * @regs: NULL: the sample has no kernel stack
 */
static noinline void stage(struct tprof_source *source, struct pt_regs *regs, unsigned long ip, u32 flags, u64 weight,
			   u64 addr, u64 data)
{
	s64 wants = (flags & TPROF_SAMPLE_KERNEL) && regs ? atomic64_read(&source->wants) : 0;
	bool stack = tprof_wants_stack(wants);
	struct tprof_staged *staged = tprof_stage_reserve((stack ? TPROF_UNWIND_MAX : 0) +
							  (unlikely(tprof_wants_owner(wants)) ? TPROF_STAGE_OWNER : 0));

	if (!staged) {
		count_missed(source, TPROF_MISSED_STAGING, weight);
		tprof_stage_kick();
		return;
	}
	staged->source = source;
	capture(&staged->capture, regs, ip, flags, weight, addr, data, ktime_get_mono_fast_ns());
	staged->capture.nr_user_frames = 0;
	if (stack)
		staged->capture.nr_frames = tprof_unwind_kernel(regs, ip, current, staged->frames,
								  TPROF_UNWIND_MAX);
	if (unlikely(tprof_wants_owner(wants)) && tprof_owner_of_sample(flags, tprof_stage_owner(staged)))
		staged->kind = TPROF_STAGED_OWNED;
	tprof_stage_commit(staged);
}

/* No pt_regs: the interrupted context is unknown. Interrupts disabled, or NMI. */
static void miss(struct tprof_source *source, u64 weight)
{
	count_missed(source, TPROF_MISSED_REGS, weight);
	tprof_stage_kick();
}

/* Captures a sample at @ip, wherever it comes from; @regs may be NULL. */
static __always_inline void fire(struct tprof_source *source, struct pt_regs *regs, unsigned long ip, bool precise,
				 u64 weight, u64 addr, u64 data)
{
	struct tprof_capture *c = this_cpu_ptr(&tprof_captures);
	u64 began = in_nmi() ? tprof_clock() : 0;
	u32 flags = precise ? precise_flags(regs, ip) : mode_flags(regs);
	unsigned long irq_flags;

	if (in_nmi()) {
		stage(source, regs, ip, flags, weight, addr, data);
		tprof_deliver_interrupted(began);
		return;
	}
	local_irq_save(irq_flags);
	if (unlikely(__this_cpu_read(tprof_delivery.running))) {
		/*
		 * Re-entry: a filter that triggers the event it samples would recurse. No irq_work is queued to count
		 * this, since that could trigger the event again; the running delivery counts it at its end.
		 */
		count_missed(source, TPROF_MISSED_REENTRY, weight);
	} else if (likely(in_hardirq())) {
		capture(c, regs, ip, flags, weight, addr, data, ktime_get_mono_fast_ns());
		tprof_deliver(source, c);
	} else {
		stage(source, regs, ip, flags, weight, addr, data);
	}
	local_irq_restore(irq_flags);
}

void tprof_source_fire(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data)
{
	unsigned long irq_flags;

	if (READ_ONCE(panicking))
		return;
	if (likely(regs)) {
		fire(source, regs, instruction_pointer(regs), false, weight, addr, data);
		return;
	}
	local_irq_save(irq_flags);
	miss(source, weight);
	local_irq_restore(irq_flags);
}
EXPORT_SYMBOL_GPL(tprof_source_fire);

void tprof_source_fire_precise(struct tprof_source *source, struct pt_regs *regs, unsigned long ip, u64 weight,
			       u64 addr, u64 data)
{
	if (!READ_ONCE(panicking))
		fire(source, regs, ip, true, weight, addr, data);
}
EXPORT_SYMBOL_GPL(tprof_source_fire_precise);

void tprof_source_fire_caused(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 addr, u64 data)
{
	if (likely(!__this_cpu_read(tprof_delivery.running)))
		tprof_source_fire(source, regs, weight, addr, data);
	else
		count_missed(source, TPROF_MISSED_REENTRY, weight);
}

void tprof_source_fire_irq(struct tprof_source *source, struct pt_regs *regs, u64 weight, u64 time_ns)
{
	struct tprof_capture *c = this_cpu_ptr(&tprof_captures);

	if (unlikely(READ_ONCE(panicking)))
		return;
	if (unlikely(!regs)) {
		miss(source, weight);
		return;
	}
	capture(c, regs, instruction_pointer(regs), mode_flags(regs), weight, 0, 0, time_ns);
	tprof_deliver(source, c);
}

void tprof_source_fire_idle(struct tprof_source *source, unsigned long ip, u64 weight)
{
	unsigned long irq_flags;

	local_irq_save(irq_flags);
	stage(source, NULL, ip, TPROF_SAMPLE_KERNEL, weight, 0, 0);
	local_irq_restore(irq_flags);
}
EXPORT_SYMBOL_GPL(tprof_source_fire_idle);

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
