// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Units of counters: what values belong to. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "counters.h"

static void unit_free(struct count_unit *unit)
{
	if (!unit)
		return;
	free(unit->drained);
	free(unit->scaled);
	free(unit->readings);
	free(unit->name);
	free(unit);
}

int count_unit_rename(struct count_unit *unit, const char *name)
{
	char *copy;

	if (unit->name && !strcmp(unit->name, name))
		return 0;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	utf8_clean(copy);
	free(unit->name);
	unit->name = copy;
	unit->shown.name = copy;
	return 0;
}

long counters_add_unit(struct tprof_counters *counters, const struct tprof_counter_unit *shown)
{
	struct count_unit *unit;

	if (array_grow_pointers(&counters->units, counters->nr_units, &counters->units_capacity))
		return -ENOMEM;
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return -ENOMEM;
	unit->shown = *shown;
	unit->readings = calloc(counters->nr_events, sizeof(*unit->readings));
	unit->scaled = calloc(counters->nr_events, sizeof(*unit->scaled));
	if (!unit->readings || !unit->scaled || count_unit_rename(unit, shown->name)) {
		unit_free(unit);
		return -ENOMEM;
	}
	counters->units[counters->nr_units] = unit;
	return (long)counters->nr_units++;
}

void counters_free_units(struct tprof_counters *counters)
{
	for (size_t i = 0; i < counters->nr_units; i++)
		unit_free(counters->units[i]);
	free(counters->units);
	counters->units = NULL;
	counters->nr_units = counters->units_capacity = 0;
}

double count_scale(const struct count_reading *reading)
{
	if (!reading->running_ns || reading->running_ns >= reading->enabled_ns)
		return (double)reading->raw;
	return (double)reading->raw * (double)reading->enabled_ns / (double)reading->running_ns;
}

static void add(struct count_unit *unit, size_t event, const struct count_reading *reading)
{
	unit->readings[event].raw += reading->raw;
	unit->readings[event].enabled_ns += reading->enabled_ns;
	unit->readings[event].running_ns += reading->running_ns;
	unit->scaled[event] += count_scale(reading);
}

void counters_sum_slots(struct tprof_counters *counters)
{
	for (size_t i = 0; i < counters->nr_units; i++) {
		memset(counters->units[i]->readings, 0, counters->nr_events * sizeof(struct count_reading));
		memset(counters->units[i]->scaled, 0, counters->nr_events * sizeof(double));
	}
	for (size_t i = 0; i < counters->nr_slots; i++) {
		const struct count_slot *slot = &counters->slots[i];

		for (size_t event = 0; event < counters->nr_events; event++) {
			add(counters->units[slot->unit], event, &slot->now[event]);
			add(counters->units[slot->unit], event, &slot->banked[event]);
		}
	}
}
