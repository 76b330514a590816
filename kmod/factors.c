// SPDX-License-Identifier: GPL-2.0-only
/* Remembers the factors of sources, by their events. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cpu_source.h"
#include "factors.h"
#include "source.h"
#include "throttle.h"

/* Longer than throttling takes to shorten the longest period, so that the end of a session is no way around it. */
#define KEEP_SECONDS	10
/* Events that are remembered, the last ones. */
#define MAX_KEPT	16

struct kept {
	struct list_head list;			/* S: newest first */
	const struct tprof_source_ops *ops;	/* I: only compared: its module may be gone */
	unsigned long until;			/* S: jiffies */
	size_t event_size;			/* I: of the module that is gone, where another one has its address */
	void *event;				/* I: only compared */
	u32 factor[];				/* S: by CPU */
};

static LIST_HEAD(all_kept);
static unsigned int nr_kept;			/* S */

static void drop(struct kept *kept)
{
	list_del(&kept->list);
	nr_kept--;
	kfree(kept->event);
	kfree(kept);
}

static void drop_old(void)
{
	struct kept *kept, *next;

	list_for_each_entry_safe(kept, next, &all_kept, list) {
		if (time_after(jiffies, kept->until))
			drop(kept);
	}
}

static struct kept *find(const struct tprof_source *source)
{
	struct kept *kept;

	list_for_each_entry(kept, &all_kept, list) {
		if (kept->ops == source->ops && kept->event_size == source->ops->event_size &&
		    !memcmp(kept->event, source->event, kept->event_size))
			return kept;
	}
	return NULL;
}

/* Returns NULL if memory is short. One byte more, as in the source: an event may be empty. */
static struct kept *add(const struct tprof_source *source)
{
	struct kept *kept = kzalloc(struct_size(kept, factor, nr_cpu_ids), GFP_KERNEL | __GFP_NOWARN);

	if (kept)
		kept->event = kmemdup(source->event, source->ops->event_size + 1, GFP_KERNEL | __GFP_NOWARN);
	if (!kept || !kept->event) {
		kfree(kept);
		return NULL;
	}
	if (nr_kept == MAX_KEPT)
		drop(list_last_entry(&all_kept, struct kept, list));
	kept->ops = source->ops;
	kept->event_size = source->ops->event_size;
	list_add(&kept->list, &all_kept);
	nr_kept++;
	return kept;
}

static bool is_throttled(const struct tprof_source *source)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu_ptr(source->cpu, cpu)->factor > 1)
			return true;
	}
	return false;
}

void tprof_factors_keep(const struct tprof_source *source)
{
	struct kept *kept;
	unsigned int cpu;

	drop_old();
	if (!source->sampling || !is_throttled(source))
		return;
	kept = find(source) ?: add(source);
	if (!kept)
		return;
	kept->until = jiffies + KEEP_SECONDS * HZ;
	for_each_possible_cpu(cpu)
		kept->factor[cpu] = per_cpu_ptr(source->cpu, cpu)->factor;
}

void tprof_factors_restore(struct tprof_source *source)
{
	struct kept *kept;
	unsigned int cpu;

	drop_old();
	kept = source->sampling ? find(source) : NULL;
	if (!kept)
		return;
	for_each_possible_cpu(cpu) {
		if (kept->factor[cpu] <= per_cpu_ptr(source->cpu, cpu)->factor)
			continue;
		tprof_source_set_factor(source, cpu, kept->factor[cpu]);
		tprof_throttle_restored(cpu);
	}
	drop(kept);
}

void tprof_factors_exit(void)
{
	while (!list_empty(&all_kept))
		drop(list_first_entry(&all_kept, struct kept, list));
}
