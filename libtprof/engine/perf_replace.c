// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Replaces a filter of the engine perf. The kernel cannot replace the program of a perf event in one step, and would
 * sample in vain while there is none. So each event is stopped for that time, some microseconds, in which its counter
 * does not count; then it continues the period that was in progress. Each firing is thus seen by exactly one program.
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "perf_engine.h"
#include "perf_scope.h"

/*
 * Another process holds the link of the old program, which therefore stays attached, as when it lists all links. A new
 * event takes the place of this one, and begins a period.
 */
static int open_again(const struct engine *engine, const struct attachment *attachment, size_t event, size_t c,
		      struct perf_counter *counter)
{
	struct perf_counter fresh;
	int err = perf_open_counter(engine, attachment, event, c, counter->period, &fresh);

	if (!err)
		err = perf_counter_read(counter);
	if (err) {
		perf_counter_close(&fresh);
		/* A CPU that is offline gets an event when it is online again. */
		return err == -ENODEV ? 0 : err;
	}
	perf_counter_continue(counter, &fresh);
	return 0;
}

static int exchange(const struct engine *engine, const struct attachment *attachment, size_t event, size_t c)
{
	const struct perf_attached with = { .program_fd = attachment->program_fd, .cookie = event };
	struct perf_counter *counter = &attachment->counters[perf_slot(engine, event, c)];
	int err, started = 0;

	if (counter->fd < 0)
		return 0;
	perf_counter_disable(counter);
	err = perf_counter_attach(counter, &with);
	if (err == -EEXIST)
		err = open_again(engine, attachment, event, c, counter);
	if (engine->enabled)
		started = perf_counter_enable(counter);
	return err ? err : started;
}

/* Goes on after an error. */
static int exchange_all(struct engine *engine, struct object *object, struct tprof_filter *with)
{
	int first_err = 0;

	for (size_t i = 0; i < object->nr; i++) {
		engine->attachments[object->first + i].program_fd = bpf_program__fd(with->entries[i].program);
		engine->attachments[object->first + i].filter = with;
	}
	object->filter = with;
	for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
		for (size_t e = 0; e < engine->sampling->nr_events; e++) {
			for (size_t i = object->first; i < object->first + object->nr; i++) {
				int err = exchange(engine, &engine->attachments[i], e, c);

				if (!first_err)
					first_err = err;
			}
		}
	}
	return first_err;
}

static int copy_scope(const struct engine *engine, const struct tprof_filter *from, const struct tprof_filter *to)
{
	const struct tprof_object *scope = &engine->sampling->object;
	int err = 0;

	if (scope->scope & TPROF_SCOPE_TASKS)
		err = perf_scope_copy(from, to);
	if (!err && (scope->scope & TPROF_SCOPE_CGROUPS))
		err = perf_scope_set_cgroups(to, scope);
	return err;
}

int perf_replace(struct engine *engine, size_t place, struct tprof_filter *with, struct tprof_error *error)
{
	struct object *object = &engine->objects[place];
	struct tprof_filter *old = object->filter;
	int err = served_prepare(&object->served, with);

	if (!err)
		err = copy_scope(engine, old, with);
	if (!err) {
		served_add(&object->served, with);
		err = exchange_all(engine, object, with);
		if (err)
			exchange_all(engine, object, old);
	}
	if (!err)
		return 0;
	error_set(error, -err, "filter %s: cannot replace %s: %s", tprof_filter__name(with), tprof_filter__name(old),
		  strerror(-err));
	error_hint_files(error, -err);
	return err;
}
