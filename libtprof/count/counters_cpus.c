// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Counters of CPUs. When a CPU goes offline, the kernel ends its events; they keep their values, but do not count again
 * when the CPU comes back. Then they are opened anew.
 */
#include <errno.h>

#include "base/clock.h"
#include "counters.h"
#include "switch_count.h"

/* Time enabled advances by as much as the clock, except if the event was ended. */
#define STALLED_NS 20000000ull

static bool has(const struct cpus *cpus, int cpu)
{
	for (size_t i = 0; i < cpus->nr; i++)
		if (cpus->ids[i] == (unsigned int)cpu)
			return true;
	return false;
}

static struct count_slot *find_slot(const struct tprof_counters *counters, int cpu)
{
	for (size_t i = 0; i < counters->nr_slots; i++)
		if (counters->slots[i].cpu == cpu)
			return &counters->slots[i];
	return NULL;
}

/* The unit of the values of a CPU; the total is the first unit. */
static long unit_of(struct tprof_counters *counters, int cpu)
{
	bool alone = counters->per == TPROF_PER_CPU;
	const struct tprof_counter_unit shown = { .name = "", .cpu = alone ? cpu : -1, .pid = -1, .tid = -1 };

	return !alone && counters->nr_units ? 0 : counters_add_unit(counters, &shown);
}

/* A CPU that goes offline at this moment is followed the next time. */
static int open_slot(struct tprof_counters *counters, struct count_slot *slot, struct tprof_error *error)
{
	int err = count_slot_open(counters, slot, error);

	if (!err && counters->by_switch)
		err = switch_count_add_cpu(counters, slot, error);
	if (!err && counters->is_started)
		err = count_slot_enable(counters, slot, true);
	return err == -ENODEV ? 0 : err;
}

static int add_cpu(struct tprof_counters *counters, int cpu, struct tprof_error *error)
{
	long unit = counters->by_switch ? 0 : unit_of(counters, cpu);
	long slot = unit < 0 ? unit : counters_add_slot(counters, -1, cpu, (size_t)unit);

	if (slot < 0)
		return error_set(error, ENOMEM, "counters: not enough memory");
	return open_slot(counters, &counters->slots[slot], error);
}

int counters_open_cpus(struct tprof_counters *counters, struct tprof_error *error)
{
	int err = 0;

	for (size_t i = 0; i < counters->cpus.nr && !err; i++)
		err = add_cpu(counters, (int)counters->cpus.ids[i], error);
	return err;
}

static void set_offline(struct tprof_counters *counters, const struct count_slot *slot, bool offline)
{
	if (counters->per == TPROF_PER_CPU && !counters->by_switch)
		counters->units[slot->unit]->shown.ended = offline;
}

/* Was the CPU offline since the last reading? Then the time enabled stands still. @before: at the last reading. */
static bool is_stalled(const struct tprof_counters *counters, const struct count_slot *slot, uint64_t before_ns,
		       const struct count_reading *before)
{
	if (!counters->is_started || slot->read_ns - before_ns < STALLED_NS)
		return false;
	for (size_t i = 0; i < counters->nr_events; i++)
		if (slot->fds[i] >= 0)
			return slot->now[i].enabled_ns == before[i].enabled_ns;
	return false;
}

static int follow_slot(struct tprof_counters *counters, struct count_slot *slot, bool online,
		       struct tprof_error *error)
{
	struct count_reading before[TPROF_COUNTERS_MAX_EVENTS];
	uint64_t before_ns = slot->read_ns;
	int err = 0;

	for (size_t i = 0; i < counters->nr_events; i++)
		before[i] = slot->now[i];
	if (slot->is_open)
		err = count_slot_read(counters, slot);
	if (err)
		return error_set(error, -err, "CPU %d: its counters cannot be read", slot->cpu);
	if (slot->is_open && (!online || is_stalled(counters, slot, before_ns, before)))
		count_slot_close(counters, slot);
	set_offline(counters, slot, !online);
	return online && !slot->is_open ? open_slot(counters, slot, error) : 0;
}

int counters_follow_cpus(struct tprof_counters *counters, struct tprof_error *error)
{
	struct cpus online;
	int err = cpus_init(&online, NULL, error);

	for (size_t i = 0; i < counters->nr_slots && !err; i++)
		err = follow_slot(counters, &counters->slots[i], has(&online, counters->slots[i].cpu), error);
	for (size_t i = 0; i < online.nr && !err && !counters->cpus.chosen; i++)
		if (!find_slot(counters, (int)online.ids[i]))
			err = add_cpu(counters, (int)online.ids[i], error);
	if (online.ids)
		cpus_release(&online);
	return err;
}
