// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Waits and runs of threads (the events off-cpu and on-cpu) on the engine perf. There is no perf event: raw tracepoint
 * programs of the filter observe context switches, and count in the ledger of the filter. So nothing can be missing
 * that the programs do not count themselves.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf_engine.h"
#include "profile/ledger.h"

static bool has_waits(const struct engine *engine)
{
	return object_follows_threads(&engine->sampling->object);
}

/* The period of waits. */
static uint64_t period_of(const struct engine *engine)
{
	uint32_t event = engine->sampling->object.wait_event;

	return event ? engine->periods[event - 1] : 1;
}

int perf_waits_attach(struct engine *engine, struct object *object, struct tprof_error *error)
{
	int err;

	if (!has_waits(engine))
		return 0;
	err = filter_attach_waits(object->filter, object->wait_fds);
	if (!err)
		err = program_barrier_prepare(&engine->wait_barrier);
	if (!err)
		return 0;
	error_set(error, -err, "event %s: context switches cannot be observed: %s",
		  engine->sampling->object.wait_event ? EVENT_WAIT_NAME : engine->sampling->object.run_event ?
		  EVENT_RUN_NAME : EVENT_WAKEUP_NAME, strerror(-err));
	error_hint(error, "%s", err == -EPERM || err == -EACCES ? "run as root, or with CAP_BPF and CAP_PERFMON" :
								   "tprof doctor shows what this kernel can do");
	return err;
}

void perf_waits_detach(struct object *object)
{
	for (size_t i = 0; i < sizeof(object->wait_fds) / sizeof(object->wait_fds[0]); i++) {
		if (object->wait_fds[i] >= 0)
			close(object->wait_fds[i]);
	}
}

static void set_mode(struct engine *engine, enum tprof_wait_mode mode)
{
	for (size_t i = 0; i < engine->nr_objects; i++)
		filter_set_waits(engine->objects[i].filter, mode, period_of(engine));
}

static int take(struct engine *engine, enum tprof_wait_mode mode)
{
	int first_err = 0;

	for (size_t i = 0; i < engine->nr_objects; i++) {
		int err = filter_take_waits(engine->objects[i].filter, mode);

		if (err && !first_err)
			first_err = err;
	}
	return first_err;
}

/* Finds the threads that wait already. The programs know all others from here on. */
static int seed(struct engine *engine)
{
	int err;

	set_mode(engine, TPROF_WAIT_SEED);
	/* No program runs any more that has seen the mode before. */
	err = program_barrier_wait(&engine->wait_barrier);
	for (size_t i = 0; !err && i < engine->nr_objects; i++)
		err = filter_seed_waits(engine->objects[i].wait_fds);
	return err;
}

/* Threads that have waited before, or during a pause, wait from now on. */
int perf_waits_enable(struct engine *engine)
{
	int err = 0, take_err;

	if (!has_waits(engine))
		return 0;
	if (!engine->follows_waits)
		err = seed(engine);
	engine->follows_waits = true;
	take_err = take(engine, TPROF_WAIT_FOLLOW);
	set_mode(engine, TPROF_WAIT_COUNT);
	return err ? err : take_err;
}

int perf_waits_disable(struct engine *engine)
{
	int err = perf_waits_count(engine);

	if (has_waits(engine))
		set_mode(engine, TPROF_WAIT_FOLLOW);
	return err;
}

/* The time up to now counts with the old period. */
int perf_waits_set_period(struct engine *engine, size_t event, uint64_t period)
{
	int err = perf_waits_count(engine);

	if (err)
		return err;
	engine->periods[event] = period;
	if (engine->enabled)
		set_mode(engine, TPROF_WAIT_COUNT);
	return 0;
}

int perf_waits_count(struct engine *engine)
{
	return has_waits(engine) && engine->enabled ? take(engine, TPROF_WAIT_COUNT) : 0;
}

void perf_waits_ledger(const struct engine *engine, const struct object *object, size_t event, bool settled,
		       struct tprof_ledger *ledger)
{
	/* The slot after those of the CPUs has the waits in progress. */
	for (unsigned int slot = 0; slot <= engine->nr_possible; slot++) {
		const struct tprof_program_ledger counted = settled ?
			served_settled(&object->served, event, slot) : served_counted(&object->served, event, slot);

		ledger_add_programs(ledger, &counted);
		ledger->counter += (double)counted.fired.samples;
	}
}
