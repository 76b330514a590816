// SPDX-License-Identifier: GPL-2.0-only
/* Probes of tracepoints: look up, register, unregister. */
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoint.h"

/*
 * How long probes stay without users. To register or unregister them patches kernel text and interrupts all CPUs, which
 * a client that starts and stops often should not cause each time.
 */
#define DROP_DELAY	(10 * HZ)

static void find_tracepoint(struct tracepoint *tracepoint, void *ctx)
{
	struct tprof_tracepoints *probes = ctx;
	unsigned int i;

	for (i = 0; i < probes->nr; i++) {
		if (strcmp(tracepoint->name, probes->list[i].name) == 0)
			probes->list[i].tracepoint = tracepoint;
	}
}

static void unregister(struct tprof_tracepoints *probes, unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(probes->list[nr].tracepoint, probes->list[nr].function, NULL);
}

static int register_all(struct tprof_tracepoints *probes)
{
	unsigned int i;
	int err;

	for (i = 0; i < probes->nr; i++) {
		const struct tprof_tracepoint *probe = &probes->list[i];

		err = tracepoint_probe_register_prio(probe->tracepoint, probe->function, NULL, probe->priority);
		if (err) {
			unregister(probes, i);
			return err;
		}
	}
	return 0;
}

static void drop(struct work_struct *work)
{
	struct tprof_tracepoints *probes = container_of(to_delayed_work(work), struct tprof_tracepoints, drop);

	mutex_lock(&probes->mutex);
	if (probes->registered && !probes->users) {
		unregister(probes, probes->nr);
		probes->registered = false;
	}
	mutex_unlock(&probes->mutex);
}

int tprof_tracepoints_init(struct tprof_tracepoints *probes)
{
	unsigned int i;

	mutex_init(&probes->mutex);
	INIT_DELAYED_WORK(&probes->drop, drop);
	for_each_kernel_tracepoint(find_tracepoint, probes);
	for (i = 0; i < probes->nr; i++) {
		if (!probes->list[i].tracepoint) {
			pr_err("tprof: the kernel has no tracepoint %s\n", probes->list[i].name);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

void tprof_tracepoints_exit(struct tprof_tracepoints *probes)
{
	cancel_delayed_work_sync(&probes->drop);
	drop(&probes->drop.work);
	tracepoint_synchronize_unregister();
}

int tprof_tracepoints_get(struct tprof_tracepoints *probes)
{
	int err = 0;

	mutex_lock(&probes->mutex);
	if (!probes->registered)
		err = register_all(probes);
	probes->registered = !err;
	probes->users += !err;
	mutex_unlock(&probes->mutex);
	return err;
}

void tprof_tracepoints_put(struct tprof_tracepoints *probes)
{
	mutex_lock(&probes->mutex);
	if (!--probes->users)
		schedule_delayed_work(&probes->drop, DROP_DELAY);
	mutex_unlock(&probes->mutex);
}
