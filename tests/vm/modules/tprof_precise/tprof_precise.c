// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU "tprof_precise" and source "precise", for tests only: samples whose address was recorded before the interrupt, as
 * by PEBS. The PMU never counts; it overflows on request, if its event was created with precise_ip, and passes what x86
 * passes: a copy of the interrupt's registers with the recorded address, and flags and stack pointer that are not those
 * of the interrupt. On x86 it overflows in an NMI, elsewhere in an interrupt. The source passes registers and address
 * itself.
 *
 * parameters/record	the recorded address: "interrupted" (that of the interrupt), "function" (elsewhere in the same
 *			function), "kernel" (in another function), "user" (of the program that writes to `fire`)
 * parameters/regs	for the source: "kernel", "user" or "none"
 * parameters/cpus	mask of the CPUs that have the PMU, as those of hybrid processors; the others refuse its events
 * parameters/fire	write N: N samples on this CPU
 * parameters/recorded	read: the last recorded address, and the address that the interrupt hit, in hexadecimal
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>

#ifdef CONFIG_X86_64
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "tprof_source.h"

static char record[16] = "kernel", regs_of[16] = "kernel";
module_param_string(record, record, sizeof(record), 0600);
MODULE_PARM_DESC(record, "the recorded address: interrupted, function, kernel, user");
module_param_string(regs, regs_of, sizeof(regs_of), 0600);
MODULE_PARM_DESC(regs, "registers that the source passes: kernel, user, none");

static unsigned long cpus = ~0UL;
module_param(cpus, ulong, 0600);
MODULE_PARM_DESC(cpus, "mask of the CPUs that have the PMU");

static struct pmu precise_pmu;
static struct perf_event *counters[NR_CPUS];	/* enabled, by CPU */
static struct tprof_source *sources[NR_CPUS];
static unsigned long recorded, interrupted;
static bool pending;				/* an NMI of ours */

static noinline void elsewhere(void)
{
	asm volatile("nop");
}

static unsigned long choose(struct pt_regs *regs)
{
	if (sysfs_streq(record, "user"))
		return instruction_pointer(task_pt_regs(current));
	if (sysfs_streq(record, "kernel"))
		return (unsigned long)elsewhere;
	if (sysfs_streq(record, "function"))
		return instruction_pointer(regs) + 4;
	return instruction_pointer(regs);
}

static void overflow(struct pt_regs *regs)
{
	struct perf_event *event = READ_ONCE(counters[raw_smp_processor_id()]);
	struct perf_sample_data data;
	struct pt_regs mixture = *regs;

	if (!event)
		return;
	interrupted = instruction_pointer(regs);
	recorded = choose(regs);
	instruction_pointer_set(&mixture, recorded);
#ifdef CONFIG_X86_64
	mixture.flags = PERF_EFLAGS_EXACT;
	mixture.sp += 0x100;
	mixture.cs = (long)recorded < 0 ? __KERNEL_CS : __USER_CS;
#endif
	perf_sample_data_init(&data, 0, event->hw.last_period);
	event->overflow_handler(event, &data, &mixture);
}

#ifdef CONFIG_X86_64
static int on_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(pending))
		return NMI_DONE;
	overflow(regs);
	WRITE_ONCE(pending, false);
	return NMI_HANDLED;
}

static noinline void interrupt_here(void)
{
	WRITE_ONCE(pending, true);
	apic->send_IPI(raw_smp_processor_id(), NMI_VECTOR);
	while (READ_ONCE(pending))
		cpu_relax();
}

static int handle_nmis(void)
{
	return register_nmi_handler(NMI_LOCAL, on_nmi, 0, "tprof_precise");
}

static void handle_no_nmis(void)
{
	unregister_nmi_handler(NMI_LOCAL, "tprof_precise");
}
#else
static void on_work(struct irq_work *work)
{
	if (get_irq_regs())
		overflow(get_irq_regs());
	WRITE_ONCE(pending, false);
}

static noinline void interrupt_here(void)
{
	static struct irq_work work;

	work = IRQ_WORK_INIT_HARD(on_work);
	WRITE_ONCE(pending, true);
	irq_work_queue(&work);
	while (READ_ONCE(pending))
		cpu_relax();
	irq_work_sync(&work);
}

static int handle_nmis(void)
{
	return 0;
}

static void handle_no_nmis(void)
{
}
#endif

/* The registers of this place are those of the interrupt. */
static noinline void fire_here(struct tprof_source *source)
{
	struct pt_regs regs, *passed = &regs;

	perf_fetch_caller_regs(&regs);
	if (sysfs_streq(regs_of, "user"))
		passed = task_pt_regs(current);
	interrupted = instruction_pointer(passed);
	recorded = choose(passed);
	if (sysfs_streq(regs_of, "none"))
		passed = NULL;
	tprof_source_fire_precise(source, passed, recorded, 1, 0, 0);
}

static int set_fire(const char *value, const struct kernel_param *param)
{
	unsigned int nr;
	int err = kstrtouint(value, 0, &nr);

	if (err)
		return err;
	preempt_disable();
	while (nr--) {
		struct tprof_source *source = sources[smp_processor_id()];

		if (source)
			fire_here(source);
		else
			interrupt_here();
	}
	preempt_enable();
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = set_fire,
};

module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "write a number: so many samples on this CPU");

static int get_recorded(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%lx %lx\n", recorded, interrupted);
}

static const struct kernel_param_ops recorded_ops = {
	.get = get_recorded,
};

module_param_cb(recorded, &recorded_ops, NULL, 0400);
MODULE_PARM_DESC(recorded, "the last recorded address, and the interrupted one");

static int precise_event_init(struct perf_event *event)
{
	if (event->attr.type != precise_pmu.type)
		return -ENOENT;
	if (event->cpu >= 0 && !(cpus >> event->cpu & 1))
		return -ENOENT;
	return event->attr.precise_ip ? 0 : -EOPNOTSUPP;
}

static int precise_add(struct perf_event *event, int flags)
{
	event->hw.last_period = event->attr.sample_period;
	WRITE_ONCE(counters[raw_smp_processor_id()], event);
	return 0;
}

static void precise_del(struct perf_event *event, int flags)
{
	WRITE_ONCE(counters[raw_smp_processor_id()], NULL);
}

static void precise_nothing(struct perf_event *event, int flags)
{
}

static void precise_read(struct perf_event *event)
{
}

static struct pmu precise_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.event_init = precise_event_init,
	.add = precise_add,
	.del = precise_del,
	.start = precise_nothing,
	.stop = precise_nothing,
	.read = precise_read,
};

static int precise_start(struct tprof_source *source, unsigned int cpu, u64 period)
{
	WRITE_ONCE(sources[cpu], source);
	return 0;
}

/* Samples fire with preemption disabled. */
static void precise_stop(struct tprof_source *source, unsigned int cpu)
{
	WRITE_ONCE(sources[cpu], NULL);
	synchronize_rcu();
}

static const struct tprof_source_ops ops = {
	.version = TPROF_SOURCE_VERSION,
	.name = "precise",
	.owner = THIS_MODULE,
	.start = precise_start,
	.stop = precise_stop,
};

static int __init precise_init(void)
{
	int err = handle_nmis();

	if (err)
		return err;
	err = perf_pmu_register(&precise_pmu, "tprof_precise", -1);
	if (err)
		goto nmis;
	err = tprof_source_register(&ops);
	if (!err)
		return 0;
	perf_pmu_unregister(&precise_pmu);
nmis:
	handle_no_nmis();
	return err;
}

static void __exit precise_exit(void)
{
	tprof_source_unregister(&ops);
	perf_pmu_unregister(&precise_pmu);
	handle_no_nmis();
}

module_init(precise_init);
module_exit(precise_exit);

MODULE_DESCRIPTION("Samples with recorded addresses, for tests of tprof");
MODULE_LICENSE("GPL");
