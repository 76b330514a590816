// SPDX-License-Identifier: GPL-2.0-only
/*
 * The per-CPU staging buffers. A producer runs with interrupts disabled, so only an NMI can interrupt it, and an NMI
 * has committed its sample when it returns. The consumer runs on the same CPU with interrupts disabled, not in NMI, so
 * it never sees an uncommitted sample. Hence a head position that is advanced by local_cmpxchg() is sufficient.
 *
 * NMI-safe: tprof_stage_reserve(), tprof_stage_commit(), tprof_stage_kick(). No locks, no allocation, no printk().
 */
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <asm/local.h>
#include <trace/events/power.h>

#include "compat.h"
#include "deliver.h"
#include "stage.h"
#include "tracepoint.h"

/*
 * About two hundred samples, or forty with the deepest call stacks: milliseconds with interrupts disabled at usual
 * rates.
 */
#define STAGE_BYTES	(48U << 10)

/*
 * Runs of the irq_work in each window. A sampled event can be part of the interrupt of the irq_work itself, such as a
 * function that every interrupt calls: then each run causes the next one, and the CPU would do nothing else. So after
 * these runs, samples of code with interrupts disabled wait for the end of the window, unless the buffer is half full.
 * At most a few percent of a CPU on a machine; in an emulator, half of it.
 */
#define MAX_RUNS	16
#define WINDOW_NS	NSEC_PER_MSEC

struct stage {
	local_t head;				/* c: bytes reserved; also written in NMI */
	unsigned long tail;			/* c: bytes delivered */
	void *buffer;				/* I */
	struct irq_work work;
	struct hrtimer window;			/* c: ends the window */
	unsigned int runs;			/* c: in this window */
	u64 window_ends_ns;			/* c: CLOCK_MONOTONIC */
	bool waits;				/* c: samples wait for the end of the window */
	bool leaves;				/* c: the CPU is going offline: samples must not wait */
};

static DEFINE_PER_CPU(struct stage, stages);

static unsigned int staged_bytes(unsigned int nr_frames)
{
	return ALIGN(struct_size_t(struct tprof_staged, frames, nr_frames), 8);
}

/*
 * Tests whether an irq_work that is queued on this CPU will run. When the CPU dies, the kernel runs what is pending
 * after it has marked the CPU as offline. A later one would never run, and neither would any other after it.
 */
static bool delivers(void)
{
	return cpu_online(raw_smp_processor_id());
}

struct tprof_staged *tprof_stage_reserve(unsigned int nr_frames)
{
	struct stage *stage = this_cpu_ptr(&stages);
	unsigned int bytes = staged_bytes(nr_frames);
	unsigned int fill, place;
	unsigned long head;
	struct tprof_staged *staged;

	if (unlikely(!delivers()))
		return NULL;
	do {
		head = local_read(&stage->head);
		place = head % STAGE_BYTES;
		fill = place + bytes > STAGE_BYTES ? STAGE_BYTES - place : 0;
		if (head + fill + bytes - READ_ONCE(stage->tail) > STAGE_BYTES)
			return NULL;
	} while (local_cmpxchg(&stage->head, head, head + fill + bytes) != head);

	if (fill) {
		staged = stage->buffer + place;
		staged->size = fill;
		staged->kind = TPROF_STAGED_FILLER;
		place = 0;
	}
	staged = stage->buffer + place;
	staged->size = bytes;
	staged->kind = TPROF_STAGED_SAMPLE;
	return staged;
}

/*
 * The idle task runs, in no interrupt handler. An irq_work would wake the CPU and run the idle loop once more, with the
 * same events, without end; so samples that are staged here are delivered when the CPU enters its next idle state.
 */
static bool is_idle_loop(void)
{
	return is_idle_task(current) && !in_interrupt();
}

/*
 * The interrupted code had interrupts disabled: it may be part of an interrupt. All other samples are delivered at
 * once, while the user stack of the task is as it was.
 */
static bool had_irqs_disabled(const struct pt_regs *regs)
{
#ifdef CONFIG_X86_64
	return regs && !(regs->flags & X86_EFLAGS_IF);
#else
	return regs && !interrupts_enabled(regs);
#endif
}

void tprof_stage_commit(struct tprof_staged *staged)
{
	struct stage *stage = this_cpu_ptr(&stages);
	bool waits = READ_ONCE(stage->waits) && had_irqs_disabled(staged->capture.regs);

	get_task_struct(staged->capture.task);
	staged->capture.regs = NULL;
	staged->capture.frames = staged->frames;
	if (!(waits || is_idle_loop()) || local_read(&stage->head) - stage->tail > STAGE_BYTES / 2)
		irq_work_queue(&stage->work);
}

void tprof_stage_kick(void)
{
	struct stage *stage = this_cpu_ptr(&stages);

	if (!READ_ONCE(stage->waits) && delivers() && !is_idle_loop())
		irq_work_queue(&stage->work);
}

/*
 * Delivers the samples that are staged on entry. On the buffer's CPU, interrupts disabled. Samples that an NMI adds
 * meanwhile have queued the irq_work again. They are not delivered in this run, because NMIs may add samples faster
 * than filters handle them, and the CPU must handle its other interrupts.
 */
static void stage_drain(struct stage *stage)
{
	unsigned long end = local_read(&stage->head);
	struct tprof_staged *staged;

	while (stage->tail != end) {
		staged = stage->buffer + stage->tail % STAGE_BYTES;
		if (staged->kind != TPROF_STAGED_FILLER) {
			tprof_deliver(staged->source, &staged->capture);
			put_task_struct(staged->capture.task);
			if (unlikely(staged->capture.sample.flags & TPROF_SAMPLE_WAKEUP))
				put_task_struct(staged->capture.woken);
		}
		/* Pairs with READ_ONCE() in tprof_stage_reserve(), on this CPU: a compiler barrier is sufficient. */
		barrier();
		WRITE_ONCE(stage->tail, stage->tail + staged->size);
	}
	tprof_deliver_missed();
}

/* Counts a run, and makes samples wait if there were too many. On the buffer's CPU, interrupts disabled. */
static void count_run(struct stage *stage)
{
	u64 now = ktime_get_mono_fast_ns();

	if (now >= stage->window_ends_ns) {
		stage->window_ends_ns = now + WINDOW_NS;
		stage->runs = 0;
	}
	if (++stage->runs < MAX_RUNS || stage->waits || stage->leaves)
		return;
	/* First, so that a sample of what the timer does waits, too. */
	WRITE_ONCE(stage->waits, true);
	hrtimer_start(&stage->window, ns_to_ktime(WINDOW_NS), HRTIMER_MODE_REL_PINNED_HARD);
}

static void stage_work(struct irq_work *work)
{
	struct stage *stage = container_of(work, struct stage, work);

	count_run(stage);
	stage_drain(stage);
}

static enum hrtimer_restart window_ended(struct hrtimer *timer)
{
	struct stage *stage = container_of(timer, struct stage, window);

	WRITE_ONCE(stage->waits, false);
	/* The timer was migrated, because its CPU went offline. */
	if (stage == this_cpu_ptr(&stages))
		stage_drain(stage);
	return HRTIMER_NORESTART;
}

void tprof_stage_drain(void)
{
	stage_drain(this_cpu_ptr(&stages));
}

static void drain_here(void *unused)
{
	tprof_stage_drain();
}

/*
 * Deliveries run with interrupts disabled, so the IPI to each CPU is handled after them. Not irq_work_sync(): while
 * NMIs keep adding samples, the irq_work never becomes idle. on_each_cpu_mask() calls drain_here() with interrupts
 * disabled, also on the calling CPU.
 */
void tprof_quiesce(const struct cpumask *cpus)
{
	on_each_cpu_mask(cpus, drain_here, NULL, 1);
}

/*
 * Probe of cpu_idle, called after those of perf. Interrupts disabled, no locks held, RCU is watching: as in a hard
 * interrupt.
 */
static void on_cpu_idle(void *unused, unsigned int state, unsigned int cpu)
{
	if (state != PWR_EVENT_EXIT)
		tprof_stage_drain();
}

/* Probe of sched_switch, called after those of perf: the idle loop has ended without another idle state. */
static void on_switch(void *unused, bool preempt, struct task_struct *prev, struct task_struct *next,
		      unsigned int prev_state)
{
	struct stage *stage = this_cpu_ptr(&stages);

	if (is_idle_task(prev) &&
	    (local_read(&stage->head) != stage->tail || __this_cpu_read(tprof_delivery.missed)))
		irq_work_queue(&stage->work);
}

static struct tprof_tracepoint probe_list[] = {
	{ "cpu_idle", on_cpu_idle },
	{ "sched_switch", on_switch },
};

static struct tprof_tracepoints probes = TPROF_TRACEPOINTS(probe_list);

int tprof_stage_get(void)
{
	return tprof_tracepoints_get(&probes);
}

void tprof_stage_put(void)
{
	tprof_tracepoints_put(&probes);
}

/* No timer delivers what waits after the CPU has gone. */
void tprof_stage_cpu_offline(unsigned int cpu)
{
	struct stage *stage = per_cpu_ptr(&stages, cpu);

	WRITE_ONCE(stage->leaves, true);
	hrtimer_cancel(&stage->window);
	/* Before the last run, so that a sample that comes after it is delivered, too. */
	WRITE_ONCE(stage->waits, false);
	irq_work_queue(&stage->work);
	irq_work_sync(&stage->work);
}

void tprof_stage_cpu_online(unsigned int cpu)
{
	WRITE_ONCE(per_cpu_ptr(&stages, cpu)->leaves, false);
}

int tprof_stage_init(void)
{
	unsigned int cpu;
	int err = tprof_tracepoints_init(&probes);

	if (err)
		return err;
	for_each_possible_cpu(cpu) {
		struct stage *stage = per_cpu_ptr(&stages, cpu);

		/* At run time: a static IRQ_WORK_INIT_HARD() in per-CPU data of a module is not initialized. */
		stage->work = IRQ_WORK_INIT_HARD(stage_work);
		hrtimer_setup(&stage->window, window_ended, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
		stage->buffer = kzalloc_node(STAGE_BYTES, GFP_KERNEL, cpu_to_node(cpu));
		if (!stage->buffer) {
			tprof_stage_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void tprof_stage_exit(void)
{
	unsigned int cpu;

	tprof_tracepoints_exit(&probes);
	for_each_possible_cpu(cpu) {
		struct stage *stage = per_cpu_ptr(&stages, cpu);

		if (stage->buffer) {
			/* In this order: a run can start the timer. */
			irq_work_sync(&stage->work);
			hrtimer_cancel(&stage->window);
		}
		kfree(stage->buffer);
		stage->buffer = NULL;
	}
}
