// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * CPUs that come online while the engine perf samples. A perf event of a CPU that goes offline counts no more, also
 * when the CPU is online again; so it gets another one then.
 */
#include <errno.h>
#include <stdlib.h>

#include "perf_engine.h"

/* The counters of a CPU: of each event, for each attachment. */
static size_t nr_counters(const struct engine *engine)
{
	return engine->sampling->nr_events * engine->nr_attachments;
}

static struct perf_counter *counter_at(const struct engine *engine, size_t index, size_t c)
{
	size_t event = index / engine->nr_attachments;

	return &engine->attachments[index % engine->nr_attachments].counters[perf_slot(engine, event, c)];
}

/* Opens a perf event for each counter of one CPU; all or none. */
static int open_counters(const struct engine *engine, size_t c, struct perf_counter *fresh)
{
	size_t nr = 0;
	int err = 0;

	while (nr < nr_counters(engine) && !err) {
		size_t event = nr / engine->nr_attachments;
		const struct attachment *attachment = &engine->attachments[nr % engine->nr_attachments];

		fresh[nr] = (struct perf_counter){ .fd = -1, .link_fd = -1 };
		if (!perf_is_of_switches(engine, event))
			err = perf_open_counter(engine, attachment, event, c, engine->periods[event], &fresh[nr]);
		nr++;
	}
	while (err && nr)
		perf_counter_close(&fresh[--nr]);
	return err;
}

static int sample_cpu(struct engine *engine, size_t c)
{
	struct perf_counter *fresh = calloc(nr_counters(engine), sizeof(*fresh));
	int err = fresh ? open_counters(engine, c, fresh) : -ENOMEM;

	for (size_t i = 0; i < nr_counters(engine) && !err; i++) {
		struct perf_counter *counter = counter_at(engine, i, c);

		if (fresh[i].fd < 0 && counter->fd >= 0)
			continue;
		if (counter->fd < 0) {
			*counter = fresh[i];
		} else {
			perf_counter_read(counter);
			perf_counter_continue(counter, &fresh[i]);
		}
		if (engine->enabled)
			perf_counter_enable(counter);
	}
	free(fresh);
	if (err)
		return err;
	idle_time_read(&engine->idle);
	idle_time_join(&engine->idle, engine->sampling->cpus.ids[c]);
	engine->enabled_ns[c] = 0;
	for (size_t e = 0; e < engine->sampling->nr_events; e++)
		engine->rate_values[perf_slot(engine, e, c)] = 0;
	return 0;
}

int perf_cpu_online(struct engine *engine, size_t c)
{
	struct perf_counter *counter = NULL, *tried = NULL;
	bool counts;

	for (size_t event = 0; event < engine->sampling->nr_events && !counter; event++) {
		if (perf_is_of_switches(engine, event))
			continue;
		tried = &engine->attachments[0].counters[perf_slot(engine, event, c)];
		if (tried->fd >= 0)
			counter = tried;
	}
	/* Only off-cpu, or a CPU that has none of the PMUs: its counters were tried, and have a period. */
	if (!tried || (!counter && tried->period))
		return 0;
	if (!counter)
		return sample_cpu(engine, c);
	if (!engine->enabled)
		return 0;
	/* The time enabled of an event that is alive goes on. */
	counts = perf_counter_read(counter) == 0 && counter->enabled_ns != engine->enabled_ns[c];
	engine->enabled_ns[c] = counter->enabled_ns;
	return counts ? 0 : sample_cpu(engine, c);
}
