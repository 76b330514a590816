// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "bench_nmi", for the measurement of instructions per sample: a timer on each CPU that sends an NMI to the same
 * CPU. Unlike with the source "nmi" of the tests, the cost of the NMI itself is known exactly.
 *
 *	capture		read and write: whether a sample is captured in the NMI, or nothing is done
 *	spent		read: since the start, the number of NMIs with a sample, and their duration by the time stamp
 *			counter, sum and maximum, without the return from the NMI
 */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include <asm/tsc.h>

#include "compat.h"
#include "tprof_source.h"

struct nmi_cpu {
	struct hrtimer timer;
	struct tprof_source *source;		/* NULL: not started */
	u64 period;
	bool sent;				/* an NMI is pending */
	u64 samples;
	u64 cycles, longest;
};

static DEFINE_PER_CPU(struct nmi_cpu, nmi_cpus);
static bool capture;
module_param(capture, bool, 0600);
MODULE_PARM_DESC(capture, "whether samples are taken in the NMIs");

static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	struct nmi_cpu *p = this_cpu_ptr(&nmi_cpus);
	u64 began, spent;

	if (!p->sent)
		return NMI_DONE;
	p->sent = false;
	if (capture) {
		began = rdtsc();
		tprof_source_fire(p->source, regs, p->period, 0, 0);
		spent = rdtsc() - began;
		p->cycles += spent;
		p->longest = max(p->longest, spent);
		p->samples++;
	}
	return NMI_HANDLED;
}

static enum hrtimer_restart timer_fired(struct hrtimer *timer)
{
	struct nmi_cpu *p = this_cpu_ptr(&nmi_cpus);

	hrtimer_forward(timer, hrtimer_cb_get_time(timer), ns_to_ktime(p->period));
	p->sent = true;
	apic->send_IPI(smp_processor_id(), NMI_VECTOR);
	return HRTIMER_RESTART;
}

static void start_here(void *source)
{
	struct nmi_cpu *p = this_cpu_ptr(&nmi_cpus);

	p->source = source;
	p->samples = p->cycles = p->longest = 0;
	hrtimer_setup(&p->timer, timer_fired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&p->timer, ns_to_ktime(p->period), HRTIMER_MODE_REL_PINNED_HARD);
}

static int nmi_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	per_cpu_ptr(&nmi_cpus, cpu)->period = period;
	return smp_call_function_single(cpu, start_here, source, 1);
}

static void nmi_stop(struct tprof_source *source, unsigned int cpu)
{
	struct nmi_cpu *p = per_cpu_ptr(&nmi_cpus, cpu);

	hrtimer_cancel(&p->timer);
	/* Sent with interrupts disabled, so the NMI arrives before any other code runs on this CPU. */
	while (READ_ONCE(p->sent))
		cpu_relax();
}

static struct tprof_source_ops ops = {
	.version = TPROF_SOURCE_VERSION,
	.name = "bench_nmi",
	.owner = THIS_MODULE,
	.min_period = TPROF_MIN_TIMER_NS,
	.max_period = TPROF_MAX_TIMER_NS,
	.start = nmi_start,
	.stop = nmi_stop,
};

static int get_spent(char *buffer, const struct kernel_param *param)
{
	u64 samples = 0, cycles = 0, longest = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		samples += READ_ONCE(per_cpu_ptr(&nmi_cpus, cpu)->samples);
		cycles += READ_ONCE(per_cpu_ptr(&nmi_cpus, cpu)->cycles);
		longest = max(longest, READ_ONCE(per_cpu_ptr(&nmi_cpus, cpu)->longest));
	}
	return sysfs_emit(buffer, "%llu %llu %llu\n", samples, cycles, longest);
}

static const struct kernel_param_ops spent_ops = {
	.get = get_spent,
};
module_param_cb(spent, &spent_ops, NULL, 0400);
MODULE_PARM_DESC(spent, "samples, cycles that they took in their NMIs, and the most that one took");

static int __init nmi_load(void)
{
	int err = register_nmi_handler(NMI_LOCAL, on_nmi, 0, "tprof_bench");

	if (err)
		return err;
	err = tprof_source_register(&ops);
	if (err)
		unregister_nmi_handler(NMI_LOCAL, "tprof_bench");
	return err;
}

static void __exit nmi_unload(void)
{
	tprof_source_unregister(&ops);
	unregister_nmi_handler(NMI_LOCAL, "tprof_bench");
}

module_init(nmi_load);
module_exit(nmi_unload);

MODULE_DESCRIPTION("Source \"bench_nmi\": NMIs that a CPU sends itself, with what a sample costs in them");
MODULE_LICENSE("GPL");
