// SPDX-License-Identifier: GPL-2.0-only
/* Copies of counters, and their differences. */
#include "counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int take_events(struct counts *counts, const struct tprof_counters *counters)
{
	counts->nr_events = tprof_counters__nr_events(counters);
	counts->events = calloc(counts->nr_events, sizeof(*counts->events));
	if (!counts->events)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr_events; i++) {
		const struct tprof_counter_event *event = tprof_counters__event(counters, i);
		struct counts_event *copy = &counts->events[i];

		*copy = (struct counts_event){ strdup(event->name), strdup(event->unit), event->group };
		if (!copy->name || !copy->unit)
			return -ENOMEM;
	}
	return 0;
}

static int take_row(struct counts *counts, const struct tprof_counters *counters, size_t index)
{
	const struct tprof_counter_unit *unit = tprof_counters__unit(counters, index);
	struct counts_row *row = &counts->rows[index];

	*row = (struct counts_row){
		.name = strdup(unit->name), .cpu = unit->cpu, .pid = unit->pid, .tid = unit->tid, .ended = unit->ended,
		.counts = calloc(counts->nr_events, sizeof(*row->counts)),
	};
	if (!row->name || !row->counts)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr_events; i++) {
		struct tprof_counter_value value = { .sz = sizeof(value) };

		if (tprof_counters__value(counters, index, i, &value))
			return -EINVAL;
		row->counts[i] = (struct count){
			.state = (enum tprof_counter_state)value.state, .value = (double)value.value,
			.raw = value.raw, .enabled_ns = value.enabled_ns, .running_ns = value.running_ns,
		};
	}
	return 0;
}

int counts_take(struct counts *counts, const struct tprof_counters *counters)
{
	int err;

	*counts = (struct counts){ .user_s = -1, .system_s = -1 };
	err = take_events(counts, counters);
	if (err)
		return err;
	counts->nr_rows = tprof_counters__nr_units(counters);
	counts->rows = calloc(counts->nr_rows + 1, sizeof(*counts->rows));
	if (!counts->rows)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr_rows && !err; i++)
		err = take_row(counts, counters, i);
	return err;
}

void counts_fini(struct counts *counts)
{
	for (size_t i = 0; counts->events && i < counts->nr_events; i++) {
		free(counts->events[i].name);
		free(counts->events[i].unit);
	}
	for (size_t i = 0; counts->rows && i < counts->nr_rows; i++) {
		free(counts->rows[i].name);
		free(counts->rows[i].counts);
	}
	free(counts->events);
	free(counts->rows);
	*counts = (struct counts){ 0 };
}

double count_share(const struct count *count)
{
	if (!count->enabled_ns || count->running_ns >= count->enabled_ns)
		return count->running_ns ? 1 : 0;
	return (double)count->running_ns / (double)count->enabled_ns;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void subtract(struct count *count, const struct count *before)
{
	double share;

	if (count->state == TPROF_NOT_SUPPORTED)
		return;
	count->raw = less(count->raw, before->raw);
	count->enabled_ns = less(count->enabled_ns, before->enabled_ns);
	count->running_ns = less(count->running_ns, before->running_ns);
	share = count_share(count);
	count->state = share > 0 ? TPROF_COUNTED : TPROF_NOT_COUNTED;
	count->value = share > 0 ? (double)count->raw / share : 0;
}

void counts_subtract(struct counts *counts, const struct counts *before)
{
	for (size_t row = 0; row < counts->nr_rows && row < before->nr_rows; row++)
		for (size_t i = 0; i < counts->nr_events; i++)
			subtract(&counts->rows[row].counts[i], &before->rows[row].counts[i]);
}

static int by_first_event(const void *a, const void *b)
{
	const struct counts_row *left = a, *right = b;

	return (left->counts[0].value < right->counts[0].value) - (left->counts[0].value > right->counts[0].value);
}

void counts_sort(struct counts *counts)
{
	if (counts->nr_rows && counts->nr_events)
		qsort(counts->rows, counts->nr_rows, sizeof(*counts->rows), by_first_event);
}

const struct count *counts_find(const struct counts *counts, const struct counts_row *row, const char *event)
{
	for (size_t i = 0; i < counts->nr_events; i++)
		if (!strcmp(counts->events[i].name, event) && row->counts[i].state == TPROF_COUNTED)
			return &row->counts[i];
	return NULL;
}
