// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMUs "cpu_core" and "cpu_atom", for tests only: those of a hybrid processor, whose CPU 0 is of one type and the
 * others of another. They have hardware, cache and raw events, all of which are alike. An event that only counts
 * counts the nanoseconds in which it is scheduled. One that samples counts on request.
 *
 * parameters/shared	Y: the PMUs are shared with guests, and refuse events that do not exclude them
 * parameters/fire	write N: N samples of each sampling event that is scheduled on this CPU
 */
#include <linux/filter.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <asm/irq_regs.h>

#define EVENTS_MAX 16

static bool shared;
module_param(shared, bool, 0600);
MODULE_PARM_DESC(shared, "the PMUs are shared with guests");

static DEFINE_PER_CPU(struct perf_event *[EVENTS_MAX], scheduled);

static struct pmu core_pmu, atom_pmu;

static bool is_of_core(int cpu)
{
	return cpu == 0;
}

static bool has_cpu(const struct pmu *pmu, int cpu)
{
	return is_of_core(cpu) == (pmu == &core_pmu);
}

static bool is_ours(const struct perf_event *event)
{
	u32 type = event->attr.type;

	/* The kernel has taken the PMU of these two from their config. */
	return type == event->pmu->type || type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
}

static int hybrid_event_init(struct perf_event *event)
{
	if (!is_ours(event) || (event->cpu >= 0 && !has_cpu(event->pmu, event->cpu)))
		return -ENOENT;
	return shared && !event->attr.exclude_guest ? -EOPNOTSUPP : 0;
}

/* The other PMU's tasks: true if the CPU does not have it. */
static bool hybrid_filter(struct pmu *pmu, int cpu)
{
	return !has_cpu(pmu, cpu);
}

static void count(struct perf_event *event)
{
	u64 now = local_clock(), before = local64_xchg(&event->hw.prev_count, now);

	if (!is_sampling_event(event))
		local64_add(now - before, &event->count);
}

static void hybrid_start(struct perf_event *event, int flags)
{
	event->hw.state = 0;
	local64_set(&event->hw.prev_count, local_clock());
}

static void hybrid_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	count(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int hybrid_add(struct perf_event *event, int flags)
{
	struct perf_event **slots = *this_cpu_ptr(&scheduled);

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	for (int i = 0; i < EVENTS_MAX; i++) {
		if (slots[i])
			continue;
		slots[i] = event;
		if (flags & PERF_EF_START)
			hybrid_start(event, flags);
		return 0;
	}
	return -EAGAIN;
}

static void hybrid_del(struct perf_event *event, int flags)
{
	struct perf_event **slots = *this_cpu_ptr(&scheduled);

	hybrid_stop(event, flags);
	for (int i = 0; i < EVENTS_MAX; i++)
		if (slots[i] == event)
			slots[i] = NULL;
}

static void hybrid_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		count(event);
}

/* As the kernel does it, whose function is not exported. */
static void overflow(struct perf_event *event)
{
	struct perf_sample_data data;
	struct pt_regs regs, *passed = &regs;

	perf_fetch_caller_regs(&regs);
	perf_sample_data_init(&data, 0, event->attr.sample_period);
	local64_add(event->attr.sample_period, &event->count);
	if (event->prog) {
		struct bpf_perf_event_data_kern context = {
			.regs = perf_arch_bpf_user_pt_regs(passed), .data = &data, .event = event,
		};

		rcu_read_lock();
		bpf_prog_run(event->prog, &context);
		rcu_read_unlock();
		return;
	}
	event->overflow_handler(event, &data, &regs);
}

static int set_fire(const char *value, const struct kernel_param *param)
{
	unsigned long flags;
	unsigned int nr;
	int err = kstrtouint(value, 0, &nr);

	if (err)
		return err;
	local_irq_save(flags);
	while (nr--) {
		for (int i = 0; i < EVENTS_MAX; i++) {
			struct perf_event *event = (*this_cpu_ptr(&scheduled))[i];

			if (event && is_sampling_event(event) && !(event->hw.state & PERF_HES_STOPPED))
				overflow(event);
		}
	}
	local_irq_restore(flags);
	return 0;
}

static const struct kernel_param_ops fire_ops = {
	.set = set_fire,
};

module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "write a number: so many samples of each event on this CPU");

static ssize_t show_cpus(bool core, char *buffer)
{
	cpumask_var_t mask;
	ssize_t length;
	int cpu;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		if (is_of_core(cpu) == core)
			cpumask_set_cpu(cpu, mask);
	length = cpumap_print_to_pagebuf(true, buffer, mask);
	free_cpumask_var(mask);
	return length;
}

static ssize_t core_show(struct device *device, struct device_attribute *attr, char *buffer)
{
	return show_cpus(true, buffer);
}

static ssize_t atom_show(struct device *device, struct device_attribute *attr, char *buffer)
{
	return show_cpus(false, buffer);
}

static struct device_attribute core_cpus = __ATTR(cpus, 0444, core_show, NULL);
static struct device_attribute atom_cpus = __ATTR(cpus, 0444, atom_show, NULL);

static struct attribute *core_attrs[] = { &core_cpus.attr, NULL };
static struct attribute *atom_attrs[] = { &atom_cpus.attr, NULL };

static const struct attribute_group core_group = { .attrs = core_attrs };
static const struct attribute_group atom_group = { .attrs = atom_attrs };

PMU_FORMAT_ATTR(event, "config:0-7");

static struct attribute *format_attrs[] = { &format_attr_event.attr, NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };

static ssize_t loops_show(struct device *device, struct device_attribute *attr, char *buffer)
{
	return sysfs_emit(buffer, "event=0x12\n");
}

static DEVICE_ATTR_RO(loops);

static struct attribute *events_attrs[] = { &dev_attr_loops.attr, NULL };
static const struct attribute_group events_group = { .name = "events", .attrs = events_attrs };

static const struct attribute_group *core_groups[] = { &core_group, &format_group, &events_group, NULL };
static const struct attribute_group *atom_groups[] = { &atom_group, &format_group, &events_group, NULL };

#define HYBRID_PMU(groups)									\
	{											\
		.module = THIS_MODULE, .attr_groups = groups, .task_ctx_nr = perf_hw_context,	\
		.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE,				\
		.event_init = hybrid_event_init, .add = hybrid_add, .del = hybrid_del,		\
		.start = hybrid_start, .stop = hybrid_stop, .read = hybrid_read,		\
		.filter = hybrid_filter,							\
	}

static struct pmu core_pmu = HYBRID_PMU(core_groups);
static struct pmu atom_pmu = HYBRID_PMU(atom_groups);

static int __init hybrid_init(void)
{
	int err = perf_pmu_register(&core_pmu, "cpu_core", -1);

	if (err)
		return err;
	err = perf_pmu_register(&atom_pmu, "cpu_atom", -1);
	if (err)
		perf_pmu_unregister(&core_pmu);
	return err;
}

static void __exit hybrid_exit(void)
{
	perf_pmu_unregister(&atom_pmu);
	perf_pmu_unregister(&core_pmu);
}

module_init(hybrid_init);
module_exit(hybrid_exit);

MODULE_DESCRIPTION("The PMUs of a hybrid processor, for tests of tprof");
MODULE_LICENSE("GPL");
