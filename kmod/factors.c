// SPDX-License-Identifier: GPL-2.0-only
/* Remembers the floors of sources, by their events. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "cpu_source.h"
#include "factors.h"
#include "session.h"
#include "source.h"

/* Events that are remembered, the last ones. */
#define MAX_KEPT	64
/* The factor of events that are not, while their user is to blame: throttling can make it 1 within a second. */
#define BLAMED_FACTOR	16

struct kept {
	struct list_head list;			/* S: newest first */
	const struct tprof_source_ops *ops;	/* I: only compared: its module may be gone */
	unsigned long until;			/* S: jiffies */
	size_t event_size;			/* I: of the module that is gone, where another one has its address */
	void *event;				/* I: only compared */
	u64 floor[];				/* S: by CPU */
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
	struct kept *kept = kzalloc(struct_size(kept, floor, nr_cpu_ids), GFP_KERNEL | __GFP_NOWARN);

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

/* With a factor of 1, the floor is that of a shorter period than the users have. */
static u64 floor_of(const struct tprof_source *source, unsigned int cpu)
{
	const struct tprof_source_cpu *c = per_cpu_ptr(source->cpu, cpu);

	return c->factor > 1 || !time_after(jiffies, c->floor_until) ? c->floor : 0;
}

static bool has_floor(const struct tprof_source *source)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (floor_of(source, cpu))
			return true;
	}
	return false;
}

void tprof_factors_keep(const struct tprof_source *source)
{
	struct kept *kept;
	unsigned int cpu;

	drop_old();
	if (!source->sampling || !has_floor(source))
		return;
	kept = find(source) ?: add(source);
	if (!kept)
		return;
	kept->until = jiffies + TPROF_KEEP_SECONDS * HZ;
	for_each_possible_cpu(cpu)
		kept->floor[cpu] = floor_of(source, cpu);
}

/* The first user of an event that is not remembered. */
static void begin_slowly(const struct tprof_subscription *sub)
{
	unsigned int cpu;
	u64 floor;

	if (!list_is_singular(&sub->source->users) || !tprof_payer_is_blamed(&sub->session->payer))
		return;
	if (check_mul_overflow(sub->source->period, (u64)BLAMED_FACTOR, &floor))
		return;
	for_each_possible_cpu(cpu) {
		if (tprof_subscription_is_on(sub, cpu))
			tprof_source_raise_floor(sub->source, cpu, floor);
	}
}

void tprof_factors_restore(struct tprof_subscription *sub)
{
	struct kept *kept;
	unsigned int cpu;

	if (!sub->source->sampling)
		return;
	drop_old();
	kept = find(sub->source);
	if (!kept) {
		begin_slowly(sub);
		return;
	}
	for_each_possible_cpu(cpu)
		tprof_source_raise_floor(sub->source, cpu, kept->floor[cpu]);
	drop(kept);
}

void tprof_factors_exit(void)
{
	while (!list_empty(&all_kept))
		drop(list_first_entry(&all_kept, struct kept, list));
}
