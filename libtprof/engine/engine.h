/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * What an engine is: something that takes samples and runs filters on them. A session has one.
 *
 * Life of an engine: open, attach each filter, target all processes, enable, ... ledger, adapt, read_samples ...,
 * disable, close. All calls come from one thread.
 */
#ifndef TPROF_ENGINE_H
#define TPROF_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/log.h"
#include "event/cpus.h"
#include "event/event.h"
#include "filter/filter.h"
#include "host/targets.h"
#include "tprof.h"
#include "tprof/object.h"

/* What to sample: decided when the session is opened, the same for every engine. */
struct sampling {
	struct event event;
	char fallback[256];		/* why the event is not the one asked for; empty if it is */
	uint64_t rate_hz;		/* 0: the period is fixed */
	uint64_t period;		/* to begin with, if there is a rate and the event is no clock */
	struct cpus cpus;
	struct tprof_object object;	/* the scope, as each filter object is told */
};

struct engine;

struct engine_ops {
	const char *name;
	bool samples_tracepoints;
	/* Whom to sample is given to the kernel as it is known in the caller's namespaces, whichever they are. */
	bool any_namespace;
	/* Events that only this engine knows, by name; false: none of this name. NULL: it knows none. */
	bool (*own_event)(struct event *event, const char *name);
	/* 0, or -errno and why it cannot work here; ENODEV: it is not there at all, which needs no word. */
	int (*usable)(struct tprof_error *why);
	struct engine *(*open)(const struct sampling *sampling, const struct log *log, struct tprof_error *error);
	void (*close)(struct engine *engine);
	/* Loads a filter and lets it see the samples, once enabled. The filter outlives the engine. */
	int (*attach)(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error);
	/*
	 * Samples processes with their descendants, and threads, too; in any state, but once the side-band is open.
	 * Errors: those of the kernel; then *failed is whom it is about.
	 */
	int (*target)(struct engine *engine, const struct target *targets, size_t nr, pid_t *failed);
	/* A process was born or has died. NULL: the engine sees that itself. */
	void (*forked)(struct engine *engine, pid_t parent, pid_t child);
	void (*exited)(struct engine *engine, pid_t tgid);
	int (*enable)(struct engine *engine);
	/* When it returns no filter runs any more, and what was kept can be read. */
	int (*disable)(struct engine *engine);
	/* Adds the account since enable to a zeroed ledger. Each number only ever grows. */
	int (*ledger)(struct engine *engine, struct tprof_ledger *ledger);
	/*
	 * The same in two steps, for the account of the samples that are in tables which are swapped in between:
	 * observe remembers what is not booked by generation, right before the swap; settle adds it to what is, once
	 * the generations that were in use can be read.
	 */
	int (*observe)(struct engine *engine);
	void (*settle)(struct engine *engine, struct tprof_ledger *ledger);
	/* Called about once a second: brings the period nearer to the rate asked for. */
	int (*adapt)(struct engine *engine);
	uint64_t (*period)(const struct engine *engine);
	/* Readable when there are samples that filters kept. */
	int (*samples_fd)(const struct engine *engine);
	/* Hands over what is there when it begins. Returns how many, or what fn returned if not 0, or -errno. */
	int (*read_samples)(struct engine *engine, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);
};

/*
 * By name, or the best usable one if @name is NULL; why a better one that is there cannot be used goes to the log.
 * Errors: EINVAL (no such engine), those of usable().
 */
const struct engine_ops *engine_find(const char *name, const struct log *log, struct tprof_error *error);

extern const struct engine_ops engine_kmod;
extern const struct engine_ops engine_perf;

#endif
