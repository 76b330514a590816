// SPDX-License-Identifier: GPL-2.0-only
/*
 * The per-CPU staging buffers. A producer runs with interrupts disabled, so only an NMI can interrupt it, and an NMI
 * has committed its sample when it returns. The consumer runs on the same CPU with interrupts disabled, not in NMI, so
 * it never sees an uncommitted sample. Hence a head position that is advanced by local_cmpxchg() is sufficient.
 *
 * NMI-safe: tprof_stage_reserve(), tprof_stage_commit(), tprof_stage_kick(). No locks, no allocation, no printk().
 */
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/local.h>
#include <trace/events/power.h>

#include "deliver.h"
#include "stage.h"
#include "tracepoint.h"

/*
 * About a hundred samples, or thirty with the deepest call stacks: milliseconds with interrupts disabled at usual
 * rates.
 */
#define STAGE_BYTES	(32U << 10)

struct stage {
	local_t head;				/* c: bytes reserved; also written in NMI */
	unsigned long tail;			/* c: bytes delivered */
	void *buffer;				/* I */
	struct irq_work work;
};

static DEFINE_PER_CPU(struct stage, stages);

static unsigned int staged_bytes(unsigned int nr_frames)
{
	return ALIGN(struct_size_t(struct tprof_staged, frames, nr_frames), 8);
}

struct tprof_staged *tprof_stage_reserve(unsigned int nr_frames)
{
	struct stage *stage = this_cpu_ptr(&stages);
	unsigned int bytes = staged_bytes(nr_frames);
	unsigned int fill, place;
	unsigned long head;
	struct tprof_staged *staged;

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
		staged->filler = 1;
		place = 0;
	}
	staged = stage->buffer + place;
	staged->size = bytes;
	staged->filler = 0;
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

void tprof_stage_commit(struct tprof_staged *staged)
{
	struct stage *stage = this_cpu_ptr(&stages);

	get_task_struct(staged->capture.task);
	staged->capture.regs = NULL;
	staged->capture.frames = staged->frames;
	if (!is_idle_loop() || local_read(&stage->head) - stage->tail > STAGE_BYTES / 2)
		irq_work_queue(&stage->work);
}

void tprof_stage_kick(void)
{
	if (!is_idle_loop())
		irq_work_queue(&this_cpu_ptr(&stages)->work);
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
		if (!staged->filler) {
			tprof_deliver(staged->source, &staged->capture);
			put_task_struct(staged->capture.task);
		}
		/* Pairs with READ_ONCE() in tprof_stage_reserve(), on this CPU: a compiler barrier is sufficient. */
		barrier();
		WRITE_ONCE(stage->tail, stage->tail + staged->size);
	}
	tprof_deliver_missed();
}

static void stage_work(struct irq_work *work)
{
	stage_drain(container_of(work, struct stage, work));
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

void tprof_stage_cpu_offline(unsigned int cpu)
{
	struct irq_work *work = &per_cpu_ptr(&stages, cpu)->work;

	irq_work_queue(work);
	irq_work_sync(work);
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

		if (stage->buffer)
			irq_work_sync(&stage->work);
		kfree(stage->buffer);
		stage->buffer = NULL;
	}
}
