/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The engine interface. An engine takes samples and runs filters on them. A session has one engine.
 *
 * Order of calls: open, attach for each filter, target for all processes, enable, then ledger, adapt and read_samples
 * repeatedly, disable, close. All calls come from one thread.
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

/* Selection of samples, set when the session is opened; the same for every engine. */
struct sampling {
	struct event event;
	char fallback[256];		/* reason if the event is not the requested one; else empty */
	uint64_t rate_hz;		/* 0: the period is fixed */
	uint64_t period;		/* the initial period if there is a rate and the event is not a clock */
	struct cpus cpus;
	struct tprof_object object;	/* the scope, copied to each filter object */
};

struct engine;

struct engine_ops {
	const char *name;
	bool samples_tracepoints;	/* and places in code */
	/* The kernel interprets targets in the caller's namespaces, so any pid namespace will do. */
	bool any_namespace;
	/* Events that only this engine has, by name; false: no event of this name. NULL: the engine has none. */
	bool (*own_event)(struct event *event, const char *name);
	/* 0, or -errno and why the engine cannot be used here. ENODEV: not present at all, which is not reported. */
	int (*usable)(struct tprof_error *why);
	struct engine *(*open)(const struct sampling *sampling, const struct log *log, struct tprof_error *error);
	void (*close)(struct engine *engine);
	/* Loads a filter and attaches it; it runs once the engine is enabled. The filter outlives the engine. */
	int (*attach)(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error);
	/*
	 * Adds processes, with their descendants, and threads to the targets. Allowed in any state once the side-band
	 * is open. Errors: those of the kernel; *failed is set to the pid concerned.
	 */
	int (*target)(struct engine *engine, const struct target *targets, size_t nr, pid_t *failed);
	/* Reports a fork or exit to the engine. NULL: the engine tracks them itself. */
	void (*forked)(struct engine *engine, pid_t parent, pid_t child);
	void (*exited)(struct engine *engine, pid_t tgid);
	int (*enable)(struct engine *engine);
	/* On return, no filter runs any more, and all kept samples can be read. */
	int (*disable)(struct engine *engine);
	/* Adds the ledger since enable to a zeroed ledger. No value ever decreases. */
	int (*ledger)(struct engine *engine, struct tprof_ledger *ledger);
	/*
	 * ledger() in two steps, for the samples in table generations that are swapped in between. observe() stores
	 * what is not counted per generation, right before the swap. settle() adds it to what is, once the retired
	 * generations can be read.
	 */
	int (*observe)(struct engine *engine);
	void (*settle)(struct engine *engine, struct tprof_ledger *ledger);
	/* Called about once a second: adjusts the period to the requested rate. */
	int (*adapt)(struct engine *engine);
	uint64_t (*period)(const struct engine *engine);
	/* How many times as long the period was at most, to save CPU time. NULL: the engine never does that. */
	uint32_t (*period_factor)(const struct engine *engine);
	/* File descriptor that is readable when there are kept samples. */
	int (*samples_fd)(const struct engine *engine);
	/*
	 * Passes the samples that are present at the start of the call to fn. Returns their number, the value of fn if
	 * not 0, or -errno.
	 */
	int (*read_samples)(struct engine *engine, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx);
};

/*
 * Finds an engine by name, or the best usable one if @name is NULL. If a better one is present but unusable, the log
 * says why. Errors: EINVAL (no such engine), those of usable().
 */
const struct engine_ops *engine_find(const char *name, const struct log *log, struct tprof_error *error);

extern const struct engine_ops engine_kmod;
extern const struct engine_ops engine_perf;

#endif
