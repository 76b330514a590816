// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The table of engines, best first. */
#include "engine.h"

#include <errno.h>
#include <string.h>

#include "event/rate.h"

static const struct engine_ops *const engines[] = {
	&engine_kmod,
	&engine_perf,
};

#define NR_ENGINES (sizeof(engines) / sizeof(engines[0]))

static const struct engine_ops *find_named(const char *name, struct tprof_error *error)
{
	for (size_t i = 0; i < NR_ENGINES; i++) {
		if (strcmp(engines[i]->name, name) == 0)
			return engines[i];
	}
	errno = -error_set(error, EINVAL, "engine %s: there is no such engine", name);
	error_hint(error, "tprof list engines");
	return NULL;
}

static const struct engine_ops *find_best(const struct log *log, struct tprof_error *error)
{
	int err = -EOPNOTSUPP;

	for (size_t i = 0; i < NR_ENGINES; i++) {
		err = engines[i]->usable(error);
		if (err == 0)
			return engines[i];
		/* An engine that is not present is not reported; one that is present but unusable is. */
		if (err != -ENODEV && i + 1 < NR_ENGINES)
			log_info(log, "%s%s%s", error->text, error->hint[0] ? "; " : "", error->hint);
	}
	errno = -err;
	return NULL;
}

const struct engine_ops *engine_find(const char *name, const struct log *log, struct tprof_error *error)
{
	const struct engine_ops *engine;
	struct tprof_error why = { 0 };
	int err;

	if (name) {
		engine = find_named(name, error);
		if (!engine)
			return NULL;
		err = engine->usable(error);
		errno = err == -ENODEV ? EOPNOTSUPP : -err;
		return err ? NULL : engine;
	}
	engine = find_best(log, &why);
	if (!engine && error)
		*error = why;
	return engine;
}

int tprof_engine__each(int (*fn)(void *ctx, const char *name, int usable, const struct tprof_error *why), void *ctx)
{
	for (size_t i = 0; i < NR_ENGINES; i++) {
		struct tprof_error why = { 0 };
		int usable = engines[i]->usable(&why);
		int stop = fn(ctx, engines[i]->name, usable, &why);

		if (stop)
			return stop;
	}
	return 0;
}

void sampling_first_periods(const struct sampling *sampling, uint64_t *periods)
{
	for (size_t e = 0; e < sampling->nr_events; e++) {
		const struct sampled_event *sampled = &sampling->events[e];

		periods[e] = rate_first_period(&sampled->event, sampled->rate_hz, sampled->period);
	}
}
