// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The ledgers of the engine perf: what the programs counted, and what the counters counted beyond that. */
#include "perf_engine.h"
#include "profile/ledger.h"

/* A reading of the counters of an event on a CPU, without the counts of the programs. */
static struct cpu_reading reading_of(const struct engine *engine, const struct object *object, size_t event, size_t c)
{
	unsigned int cpu = engine->sampling->cpus.ids[c];
	struct cpu_reading reading = { .period = engine->periods[event] };
	bool clock = event_is_clock(perf_event_of(engine, event));

	for (size_t i = object->first; i < object->first + object->nr; i++) {
		const struct perf_counter *counter = &engine->attachments[i].counters[perf_slot(engine, event, c)];

		reading.counter += perf_counter_fired(counter);
		if (!clock)
			continue;
		reading.throttled += perf_counter_throttled(counter);
		reading.idle += idle_time_samples(&engine->idle, event, cpu, counter->period);
	}
	return reading;
}

/* Adds what the programs counted, and the rest of the reading as lost. */
static void add_cpu(struct tprof_ledger *ledger, struct cpu_missing *missing, struct cpu_reading reading,
		    const struct tprof_program_ledger *counted)
{
	reading.arrived = counted->fired.samples;
	reading.idle_arrived = counted->idle.samples;
	cpu_missing_update(missing, &reading);
	ledger_add_programs(ledger, counted);
	ledger_add_missing(ledger, TPROF_LOST_ENGINE_MISSED, &missing->engine_missed);
	ledger_add_missing(ledger, TPROF_LOST_THROTTLED, &missing->throttled);
	ledger_add_missing(ledger, TPROF_LOST_IDLE_MISSED, &missing->idle_missed);
}

static int read_counters(struct engine *engine)
{
	int err = 0;

	for (size_t i = 0; i < engine->nr_attachments && !err; i++) {
		struct perf_counter *counters = engine->attachments[i].counters;

		for (size_t s = 0; s < perf_slots(engine) && !err; s++)
			err = counters[s].fd < 0 ? 0 : perf_counter_read(&counters[s]);
	}
	return err ? err : idle_time_read(&engine->idle);
}

/* Adds the values and times of the counters of an event. */
static void add_counters(const struct engine *engine, size_t event, struct tprof_ledger *ledger)
{
	for (size_t i = 0; i < engine->nr_attachments && !perf_is_of_switches(engine, event); i++) {
		for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
			const struct perf_counter *counter =
				&engine->attachments[i].counters[perf_slot(engine, event, c)];

			ledger->counter += perf_counter_quotient(counter);
			ledger->enabled_ns += counter->past_enabled_ns + counter->enabled_ns;
			ledger->running_ns += counter->past_running_ns + counter->running_ns;
		}
	}
}

static void count_object(struct engine *engine, struct object *object, size_t event, struct tprof_ledger *ledger)
{
	if (perf_is_of_switches(engine, event))
		return perf_waits_ledger(engine, object, event, false, ledger);
	for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
		const struct tprof_program_ledger counted = served_counted(&object->served, event,
									   engine->sampling->cpus.ids[c]);

		add_cpu(ledger, &object->cpus[perf_slot(engine, event, c)], reading_of(engine, object, event, c),
			&counted);
	}
}

int perf_ledger(struct engine *engine, struct tprof_ledger *events)
{
	/* Counters first: a sample that fires in between counts as arrived, never as missing. */
	int err = read_counters(engine);

	for (size_t e = 0; e < engine->sampling->nr_events && !err; e++) {
		for (size_t i = 0; i < engine->nr_objects; i++)
			count_object(engine, &engine->objects[i], e, &events[e]);
		add_counters(engine, e, &events[e]);
	}
	return err;
}

/* As in perf_ledger(), the counters come first. */
int perf_observe(struct engine *engine)
{
	int err = read_counters(engine);

	for (size_t e = 0; e < engine->sampling->nr_events && !err; e++) {
		for (size_t i = 0; i < engine->nr_objects && !perf_is_of_switches(engine, e); i++) {
			struct object *object = &engine->objects[i];

			for (size_t c = 0; c < engine->sampling->cpus.nr; c++)
				object->observed[perf_slot(engine, e, c)] = reading_of(engine, object, e, c);
		}
		engine->observed[e] = (struct tprof_ledger){ 0 };
		add_counters(engine, e, &engine->observed[e]);
	}
	return err;
}

static void settle_object(struct engine *engine, struct object *object, size_t event, struct tprof_ledger *ledger)
{
	if (perf_is_of_switches(engine, event))
		return perf_waits_ledger(engine, object, event, true, ledger);
	for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
		size_t s = perf_slot(engine, event, c);
		const struct tprof_program_ledger counted = served_settled(&object->served, event,
									   engine->sampling->cpus.ids[c]);

		add_cpu(ledger, &object->cpus[s], object->observed[s], &counted);
	}
}

void perf_settle(struct engine *engine, struct tprof_ledger *events)
{
	for (size_t e = 0; e < engine->sampling->nr_events; e++) {
		for (size_t i = 0; i < engine->nr_objects; i++)
			settle_object(engine, &engine->objects[i], e, &events[e]);
		ledger_add(&events[e], &engine->observed[e]);
	}
}

void perf_missing_update(struct engine *engine, size_t event, size_t c)
{
	for (size_t i = 0; i < engine->nr_objects; i++) {
		struct object *object = &engine->objects[i];
		struct tprof_ledger ledger = { 0 };
		const struct tprof_program_ledger counted = served_counted(&object->served, event,
									   engine->sampling->cpus.ids[c]);

		add_cpu(&ledger, &object->cpus[perf_slot(engine, event, c)], reading_of(engine, object, event, c),
			&counted);
	}
}
