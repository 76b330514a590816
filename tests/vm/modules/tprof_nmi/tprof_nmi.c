// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "nmi", for tests only: real NMIs on x86-64, at a steady rate or in bursts. Emulated machines have no counter
 * that overflows into an NMI, so this is the only way to capture samples in NMIs.
 *
 * A timer on the next CPU sends the NMIs of a CPU, so that they interrupt whatever runs there: user code, sections with
 * interrupts disabled, filters, the module itself. A timer on the same CPU would only interrupt itself. At most one NMI
 * is pending for each CPU; periods that end meanwhile add to the weight of the next. An NMI is ours if one of ours is
 * pending, which is true only if nothing else sends NMIs, as in the test machines.
 *
 *	/sys/module/tprof_nmi/parameters/fired		read: samples and weight that have fired since the module was
 *							loaded
 *	/sys/module/tprof_nmi/parameters/burst		write N: N NMIs to this CPU, one by one, interrupts disabled
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "compat.h"
#include "tprof_source.h"

/* 20,000 a second on each CPU, more than an emulated CPU can handle. */
#define MIN_PERIOD_NS	50000

enum { IDLE, CLAIMED, SENT };

struct nmi_cpu {
	unsigned int cpu;			/* receives the NMIs */
	struct hrtimer timer;			/* on another CPU; migrates if that goes offline */
	u64 period;				/* changes only while the timer is stopped */
	u64 owed;				/* used by the timer: weight of periods without an NMI of their own */
	atomic_t state;				/* claim() gives exclusive access to the next two members */
	struct tprof_source *source;		/* NULL: not started */
	u64 weight;				/* of the pending NMI */
	u64 fired, fired_weight;		/* written by the handler */
};

static DEFINE_PER_CPU(struct nmi_cpu, nmi_cpus);

static bool claim(struct nmi_cpu *p)
{
	return atomic_cmpxchg(&p->state, IDLE, CLAIMED) == IDLE;
}

static void send(struct nmi_cpu *p, u64 weight)
{
	p->weight = weight;
	/* Pairs with the acquire in the handler, which any NMI calls. */
	atomic_set_release(&p->state, SENT);
	apic->send_IPI(p->cpu, NMI_VECTOR);
}

/* No NMI is pending when it returns. */
static void set_source(struct nmi_cpu *p, struct tprof_source *source)
{
	while (!claim(p))
		cpu_relax();
	p->source = source;
	atomic_set_release(&p->state, IDLE);
}

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct nmi_cpu *p = this_cpu_ptr(&nmi_cpus);

	if (atomic_read_acquire(&p->state) != SENT)
		return NMI_DONE;
	tprof_source_fire(p->source, regs, p->weight, 0, 0);
	WRITE_ONCE(p->fired, p->fired + 1);
	WRITE_ONCE(p->fired_weight, p->fired_weight + p->weight);
	/* Pairs with the next claim: the handler no longer uses the source. */
	atomic_set_release(&p->state, IDLE);
	return NMI_HANDLED;
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct nmi_cpu *p = container_of(timer, struct nmi_cpu, timer);

	p->owed += hrtimer_forward_now(timer, ns_to_ktime(p->period)) * p->period;
	if (claim(p)) {
		send(p, p->owed);
		p->owed = 0;
	}
	return HRTIMER_RESTART;
}

static unsigned int next_cpu(unsigned int cpu)
{
	unsigned int next = cpumask_next(cpu, cpu_online_mask);

	return next < nr_cpu_ids ? next : cpumask_first(cpu_online_mask);
}

static void start_here(void *info)
{
	struct nmi_cpu *p = info;

	hrtimer_start(&p->timer, ns_to_ktime(p->period), HRTIMER_MODE_REL_PINNED_HARD);
}

static int nmi_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	struct nmi_cpu *p = per_cpu_ptr(&nmi_cpus, cpu);
	int err = -ENODEV;

	/* No CPU goes offline while this lock is held; nmi_offline() handles CPUs that go offline later. */
	cpus_read_lock();
	if (cpu_online(cpu)) {
		p->period = period;
		p->owed = 0;
		set_source(p, source);
		err = smp_call_function_single(next_cpu(cpu), start_here, p, 1);
	}
	cpus_read_unlock();
	return err;
}

static void nmi_stop(struct tprof_source *source, unsigned int cpu)
{
	struct nmi_cpu *p = per_cpu_ptr(&nmi_cpus, cpu);

	hrtimer_cancel(&p->timer);
	set_source(p, NULL);
}

static void nmi_offline(struct tprof_source *source, unsigned int cpu)
{
	nmi_stop(source, cpu);
}

static struct tprof_source_ops ops = {
	.version = TPROF_SOURCE_VERSION,
	.name = "nmi",
	.owner = THIS_MODULE,
	.min_period = MIN_PERIOD_NS,
	.max_period = TPROF_MAX_TIMER_NS,
	.start = nmi_start,
	.stop = nmi_stop,
	.offline = nmi_offline,
};

/* Waits for each NMI, because further NMIs are merged with a pending one. */
static int send_to_self(unsigned int nr)
{
	struct nmi_cpu *p = this_cpu_ptr(&nmi_cpus);

	while (nr--) {
		while (!claim(p))
			cpu_relax();
		if (!p->source) {
			atomic_set_release(&p->state, IDLE);
			return -ENODEV;
		}
		send(p, p->period);
		while (atomic_read(&p->state) == SENT)
			cpu_relax();
	}
	return 0;
}

static int set_burst(const char *value, const struct kernel_param *param)
{
	unsigned long flags;
	unsigned int nr;
	int err = kstrtouint(value, 0, &nr);

	if (err)
		return err;
	local_irq_save(flags);
	err = send_to_self(nr);
	local_irq_restore(flags);
	return err;
}

static const struct kernel_param_ops burst_ops = {
	.set = set_burst,
};

module_param_cb(burst, &burst_ops, NULL, 0200);
MODULE_PARM_DESC(burst, "write a number: so many NMIs to this CPU, with interrupts off");

static int get_fired(char *buffer, const struct kernel_param *param)
{
	u64 samples = 0, weight = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		samples += READ_ONCE(per_cpu_ptr(&nmi_cpus, cpu)->fired);
		weight += READ_ONCE(per_cpu_ptr(&nmi_cpus, cpu)->fired_weight);
	}
	return sysfs_emit(buffer, "%llu %llu\n", samples, weight);
}

static const struct kernel_param_ops fired_ops = {
	.get = get_fired,
};

module_param_cb(fired, &fired_ops, NULL, 0400);
MODULE_PARM_DESC(fired, "samples and weight that were fired");

static int __init nmi_load(void)
{
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu) {
		struct nmi_cpu *p = per_cpu_ptr(&nmi_cpus, cpu);

		p->cpu = cpu;
		hrtimer_setup(&p->timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	}
	err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "tprof_nmi");
	if (err)
		return err;
	err = tprof_source_register(&ops);
	if (err)
		unregister_nmi_handler(NMI_LOCAL, "tprof_nmi");
	return err;
}

static void __exit nmi_unload(void)
{
	tprof_source_unregister(&ops);
	unregister_nmi_handler(NMI_LOCAL, "tprof_nmi");
}

module_init(nmi_load);
module_exit(nmi_unload);

MODULE_DESCRIPTION("Source \"nmi\" of tprof, for tests: NMIs that CPUs send each other");
MODULE_LICENSE("GPL");
