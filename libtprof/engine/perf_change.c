// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Changes of a period of the engine perf. The perf events of a CPU are stopped together, and their counters read, so
 * each firing is counted with the period that it had.
 */
#include <errno.h>
#include <stdlib.h>

#include "perf_engine.h"

static void stop_cpu(struct engine *engine, size_t event, size_t c)
{
	for (size_t i = 0; i < engine->nr_attachments; i++) {
		struct perf_counter *counter = &engine->attachments[i].counters[perf_slot(engine, event, c)];

		perf_counter_disable(counter);
		perf_counter_read(counter);
	}
	perf_missing_update(engine, event, c);
}

static int start_cpu(struct engine *engine, size_t event, size_t c)
{
	int first_err = 0;

	for (size_t i = 0; i < engine->nr_attachments && engine->enabled; i++) {
		int err = perf_counter_enable(&engine->attachments[i].counters[perf_slot(engine, event, c)]);

		if (err && !first_err)
			first_err = err;
	}
	return first_err;
}

/* Of an event that is not a clock: the kernel takes the weight of each sample from its period. */
static int change_periods(struct engine *engine, size_t event, uint64_t period)
{
	int first_err = 0;

	for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
		int err = 0, started;

		stop_cpu(engine, event, c);
		for (size_t i = 0; i < engine->nr_attachments && !err; i++)
			err = perf_counter_set_period(&engine->attachments[i].counters[perf_slot(engine, event, c)],
						      period);
		started = start_cpu(engine, event, c);
		if (!first_err)
			first_err = err ? err : started;
	}
	return first_err;
}

/* Opens a perf event with that period for each counter of the event, in the order of replace_counters(). */
static int open_counters(const struct engine *engine, size_t event, uint64_t period, struct perf_counter *fresh,
			 size_t *nr)
{
	for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
		for (size_t i = 0; i < engine->nr_attachments; i++) {
			int err = perf_open_counter(engine, &engine->attachments[i], event, c, period, &fresh[*nr]);

			/* A CPU that is offline keeps its perf event, which counts no more. */
			if (err && err != -ENODEV) {
				perf_counter_close(&fresh[*nr]);
				return err;
			}
			(*nr)++;
		}
	}
	return 0;
}

static int replace_counters(struct engine *engine, size_t event, struct perf_counter *fresh)
{
	int first_err = 0;

	for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
		int err;

		stop_cpu(engine, event, c);
		for (size_t i = 0; i < engine->nr_attachments; i++, fresh++) {
			if (fresh->link_fd < 0)
				perf_counter_close(fresh);
			else
				perf_counter_continue(&engine->attachments[i].counters[perf_slot(engine, event, c)],
						      fresh);
		}
		err = start_cpu(engine, event, c);
		if (!first_err)
			first_err = err;
	}
	return first_err;
}

/*
 * Clocks get new perf events: the kernel keeps the period with which a clock was opened as the weight of its samples,
 * also if PERF_EVENT_IOC_PERIOD changes the period at which it fires.
 */
static int change_clocks(struct engine *engine, size_t event, uint64_t period)
{
	size_t nr_all = engine->sampling->cpus.nr * engine->nr_attachments, nr = 0;
	struct perf_counter *fresh = calloc(nr_all, sizeof(*fresh));
	int err = fresh ? open_counters(engine, event, period, fresh, &nr) : -ENOMEM;

	if (err) {
		while (nr)
			perf_counter_close(&fresh[--nr]);
	} else {
		err = replace_counters(engine, event, fresh);
	}
	free(fresh);
	return err;
}

int perf_set_period(struct engine *engine, size_t event, uint64_t period)
{
	bool clock = event_is_clock(perf_event_of(engine, event));
	uint64_t before = engine->periods[event];
	int err;

	if (period == before)
		return 0;
	if (perf_is_of_switches(engine, event))
		return perf_waits_set_period(engine, event, period);
	if (clock)
		idle_time_read(&engine->idle);
	err = clock ? change_clocks(engine, event, period) : change_periods(engine, event, period);
	if (err)
		return err;
	idle_time_cut(&engine->idle, event, before);
	engine->periods[event] = period;
	return 0;
}
