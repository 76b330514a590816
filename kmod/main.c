// SPDX-License-Identifier: GPL-2.0-only
/* Initialization and exit of tprof.ko. */
#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#include "chardev.h"
#include "cpu_source.h"
#include "debugfs.h"
#include "factors.h"
#include "filter_kfunc.h"
#include "filter_struct_ops.h"
#include "kprobe_source.h"
#include "owner.h"
#include "payer.h"
#include "perf_source.h"
#include "run_source.h"
#include "sample.h"
#include "session.h"
#include "source.h"
#include "stage.h"
#include "steps.h"
#include "stream_memory.h"
#include "throttle.h"
#include "timer_source.h"
#include "uprobe_source.h"
#include "wait_follow.h"
#include "wait_source.h"
#include "wake_source.h"

#define CREATE_TRACE_POINTS
#include "tprof_trace.h"

unsigned int tprof_default_budget_permille = 500;

static int set_budget(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 1, 1000);
}

static const struct kernel_param_ops budget_ops = {
	.set = set_budget,
	.get = param_get_uint,
};

module_param_cb(budget_permille, &budget_ops, &tprof_default_budget_permille, 0644);
MODULE_PARM_DESC(budget_permille,
		 "how much of a CPU a filter may take, in thousandths, where its session says nothing (500)");

static int set_percent(const char *value, const struct kernel_param *param)
{
	return param_set_uint_minmax(value, param, 0, 100);
}

static const struct kernel_param_ops percent_ops = {
	.set = set_percent,
	.get = param_get_uint,
};

module_param_cb(cpu_time_max_percent, &percent_ops, &tprof_cpu_time_max_percent, 0644);
MODULE_PARM_DESC(cpu_time_max_percent,
		 "how much of each CPU the samples of all sessions may take, in percent; 0 and 100: no limit (5)");

module_param_named(direct_calls, tprof_direct_calls, bool, 0644);
MODULE_PARM_DESC(direct_calls,
		 "call the BPF programs of filters without their trampolines; for filters loaded afterwards (Y)");

module_param_named(stream_limit_mb, tprof_stream_limit_mb, uint, 0644);
MODULE_PARM_DESC(stream_limit_mb, "what the streams of all sessions may take together, in MiB (256)");

static int cpuhp_state;

static int on_cpu_online(unsigned int cpu)
{
	tprof_stage_cpu_online(cpu);
	return tprof_sources_cpu_online(cpu);
}

static int on_cpu_offline(unsigned int cpu)
{
	tprof_sources_cpu_offline(cpu);
	tprof_stage_cpu_offline(cpu);
	return 0;
}

static const struct tprof_source_ops *const sources[] = {
	&tprof_source_timer,
	&tprof_source_perf,
	&tprof_source_wait,
	&tprof_source_wakeup,
	&tprof_source_run,
#ifdef CONFIG_KRETPROBES
	&tprof_source_kprobe.source,
#endif
#ifdef CONFIG_UPROBES
	&tprof_source_uprobe.source,
#endif
};

static void exit_sources(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sources); i++)
		tprof_source_unregister(sources[i]);
	tprof_waits_exit();
	tprof_source_timer_exit();
	tprof_source_perf_exit();
}

static int __init init_sources(void)
{
	unsigned int i;
	int err = tprof_source_perf_init();

	if (err)
		return err;
	err = tprof_source_timer_init();
	if (!err)
		err = tprof_waits_init();
	for (i = 0; i < ARRAY_SIZE(sources) && !err; i++)
		err = tprof_source_register(sources[i]);
	if (err)
		exit_sources();
	return err;
}

static int __init tprof_init(void)
{
	int err = tprof_stage_init();

	if (err)
		return err;
	err = tprof_sample_init();
	if (err)
		goto stage;
	tprof_scopes_init();
	err = tprof_steps_init();
	if (err)
		goto sample;
	err = init_sources();
	if (err)
		goto steps;
	err = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "tprof:online", on_cpu_online, on_cpu_offline);
	if (err < 0)
		goto sources;
	cpuhp_state = err;
	err = tprof_owners_init();
	if (err)
		goto cpuhp;
	err = tprof_filter_init();
	if (err)
		goto owners;
	err = tprof_filter_kfunc_init();
	if (!err)
		err = tprof_filter_struct_ops_init();
	if (err) {
		pr_err("tprof: filters cannot be registered (%d): was the module built with BTF?\n", err);
		goto filter;
	}
	tprof_debugfs_init();
	err = tprof_chardev_init();
	if (err)
		goto debugfs;
	pr_info("tprof: version %s, ABI %u, %zu sources\n", TPROF_VERSION, TPROF_ABI_VERSION, ARRAY_SIZE(sources));
	return 0;
debugfs:
	tprof_debugfs_exit();
filter:
	tprof_filter_exit();
owners:
	tprof_owners_exit();
cpuhp:
	cpuhp_remove_state_nocalls(cpuhp_state);
	tprof_sources_settle();
sources:
	exit_sources();
steps:
	tprof_steps_exit();
sample:
	tprof_sample_exit();
stage:
	tprof_stage_exit();
	return err;
}

/* Sessions, filters and sources of other modules hold a reference on this module, so none is left here. */
static void __exit tprof_exit(void)
{
	tprof_chardev_exit();
	tprof_filter_exit();
	tprof_debugfs_exit();
	tprof_owners_exit();
	cpuhp_remove_state_nocalls(cpuhp_state);
	tprof_sources_settle();
	exit_sources();
	tprof_throttle_exit();
	tprof_factors_exit();
	tprof_sample_exit();
	tprof_scopes_exit();
	/* Pending RCU callbacks are code of this module. */
	rcu_barrier();
	tprof_payer_exit();
	tprof_stage_exit();
	tprof_steps_exit();
}

module_init(tprof_init);
module_exit(tprof_exit);

MODULE_DESCRIPTION("Sampling profiler with BPF filters that run at each sample");
MODULE_VERSION(TPROF_VERSION);
MODULE_LICENSE("GPL");
