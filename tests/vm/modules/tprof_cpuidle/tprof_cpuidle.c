// SPDX-License-Identifier: GPL-2.0-only
/*
 * A cpuidle driver for machines that have none, for tests only: a shallow and a deep idle state, between which the
 * governor of the kernel chooses. Both of them wait with HLT, or WFI on arm64. The kernel counts the time in each of
 * them in /sys/devices/system/cpu/cpuN/cpuidle/stateM/time.
 *
 *	/sys/module/tprof_cpuidle/parameters/used	1: the driver is registered; 0: it is not
 */
#include <linux/cpuidle.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <asm/barrier.h>

static DEFINE_PER_CPU(struct cpuidle_device, devices);

/* Called and returns with interrupts disabled. */
static int enter(struct cpuidle_device *device, struct cpuidle_driver *driver, int index)
{
#ifdef CONFIG_X86
	raw_safe_halt();
	raw_local_irq_disable();
#else
	dsb(sy);
	wfi();
#endif
	return index;
}

/* Latencies and residencies in microseconds, similar to those of the states C1 and C6 of a processor. */
static struct cpuidle_driver driver = {
	.name = "tprof_cpuidle",
	.owner = THIS_MODULE,
	.states = {
		{ .name = "shallow", .desc = "shallow", .enter = enter, .exit_latency = 2, .target_residency = 2 },
		{ .name = "deep", .desc = "deep", .enter = enter, .exit_latency = 100, .target_residency = 800 },
	},
	.state_count = 2,
};

static void unregister(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		cpuidle_unregister_device(per_cpu_ptr(&devices, cpu));
	cpuidle_unregister_driver(&driver);
}

static int register_all(void)
{
	int err = cpuidle_register_driver(&driver);
	unsigned int cpu;

	if (err)
		return err;
	for_each_possible_cpu(cpu) {
		per_cpu_ptr(&devices, cpu)->cpu = cpu;
		err = cpuidle_register_device(per_cpu_ptr(&devices, cpu));
		if (err) {
			unregister();
			return err;
		}
	}
	return 0;
}

static bool used;

static int set_used(const char *value, const struct kernel_param *param)
{
	bool wanted;
	int err = kstrtobool(value, &wanted);

	if (err || wanted == used)
		return err;
	if (wanted)
		err = register_all();
	else
		unregister();
	if (!err)
		used = wanted;
	return err;
}

static const struct kernel_param_ops used_ops = {
	.set = set_used,
	.get = param_get_bool,
};

module_param_cb(used, &used_ops, &used, 0600);
MODULE_PARM_DESC(used, "1: the driver is registered; 0: it is not");

static int __init cpuidle_init(void)
{
	return 0;
}

/* The kernel holds the module while the driver is registered. */
static void __exit cpuidle_exit(void)
{
}

module_init(cpuidle_init);
module_exit(cpuidle_exit);

MODULE_DESCRIPTION("A cpuidle driver with two states that halt, for tests of tprof");
MODULE_LICENSE("GPL");
