// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU "tprof_aux", for tests only: like those of Intel PT and Arm SPE it writes its data to an AUX area, accepts any
 * event, and never overflows.
 */
#include <linux/module.h>
#include <linux/perf_event.h>

static struct pmu aux_pmu;

static int aux_event_init(struct perf_event *event)
{
	return event->attr.type == aux_pmu.type ? 0 : -ENOENT;
}

static int aux_add(struct perf_event *event, int flags)
{
	return 0;
}

static void aux_nothing(struct perf_event *event, int flags)
{
}

static void aux_read(struct perf_event *event)
{
}

static void *aux_setup(struct perf_event *event, void **pages, int nr_pages, bool overwrite)
{
	return NULL;
}

static void aux_free(void *aux)
{
}

static struct pmu aux_pmu = {
	.module = THIS_MODULE,
	.capabilities = PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.task_ctx_nr = perf_invalid_context,
	.event_init = aux_event_init,
	.add = aux_add,
	.del = aux_nothing,
	.start = aux_nothing,
	.stop = aux_nothing,
	.read = aux_read,
	.setup_aux = aux_setup,
	.free_aux = aux_free,
};

static int __init aux_init(void)
{
	return perf_pmu_register(&aux_pmu, "tprof_aux", -1);
}

static void __exit aux_exit(void)
{
	perf_pmu_unregister(&aux_pmu);
}

module_init(aux_init);
module_exit(aux_exit);

MODULE_DESCRIPTION("A PMU without overflows, for tests of tprof");
MODULE_LICENSE("GPL");
