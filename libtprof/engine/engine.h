/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The engine interface. An engine takes samples and runs filters on them. A session has one engine.
 *
 * Order of calls: open, load and attach for each filter, target for all processes, enable, then ledger, event_rate,
 * set_period and read_samples repeatedly, disable, close. After disable, enable continues: the ledger goes on. All
 * calls come from one thread.
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

/* An event of a session. */
struct sampled_event {
	struct event event;
	uint64_t rate_hz;		/* 0: the period is fixed */
	uint64_t period;		/* the initial period if there is a rate and the event is not a clock */
};

/* Selection of samples, set when the session is opened; the same for every engine. */
struct sampling {
	struct sampled_event events[TPROF_EVENTS_MAX];	/* an index is tprof_sample.event */
	size_t nr_events;
	char fallback[256];		/* reason if the event is not the requested one; else empty */
	struct cpus cpus;
	struct tprof_object object;	/* the scope, copied to each filter object */
	uint32_t stream_bytes;		/* 0: the default of the engine */
	bool stall;			/* if engine_ops.stalls */
};

/* Does the period of the event change, to keep the rate? */
static inline bool sampled_is_adapted(const struct sampled_event *sampled)
{
	return sampled->rate_hz && !event_is_clock(&sampled->event);
}

/* Sets the first period of each event. */
void sampling_first_periods(const struct sampling *sampling, uint64_t *periods);

struct broker;
struct engine;

struct engine_ops {
	const char *name;
	bool samples_tracepoints;	/* and places in code */
	/* Can it sample this one of the events off-cpu and on-cpu here? */
	bool (*samples_switches)(const char *name);
	bool waits_outlive_filters;	/* a filter that replaces another one gets its waits in progress */
	bool stalls;			/* can leave out filters while the stream is full */
	/* The kernel interprets targets in the caller's namespaces, so any pid namespace will do. */
	bool any_namespace;
	/* Events that only this engine has, by name; false: no event of this name. NULL: the engine has none. */
	bool (*own_event)(struct event *event, const char *name);
	/* 0, or -errno and why the engine cannot be used here. ENODEV: not present at all, which is not reported. */
	int (*usable)(struct tprof_error *why);
	struct engine *(*open)(const struct sampling *sampling, const struct log *log, struct tprof_error *error);
	void (*close)(struct engine *engine);
	/* Loads a filter, which attach() or replace() can attach. It outlives the engine. */
	int (*load)(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error);
	/* Attaches a loaded filter behind the others; it runs once the engine is enabled. */
	int (*attach)(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error);
	/*
	 * Attaches a loaded filter instead of the one at this place, in any state. Both have as many programs, and
	 * @with was in no other place before. Each sample is seen by one of the two; on return the old one does not run
	 * any more, and the counts of both are in the ledger. After an error, the old one is still attached.
	 */
	int (*replace)(struct engine *engine, size_t place, struct tprof_filter *with, struct tprof_error *error);
	/*
	 * Adds processes, with their descendants, and threads to the targets. Allowed in any state once the side-band
	 * is open. Errors: those of the kernel; *failed is set to the pid concerned.
	 */
	int (*target)(struct engine *engine, const struct target *targets, size_t nr, pid_t *failed);
	/* Reports a fork or exit to the engine. */
	void (*forked)(struct engine *engine, pid_t parent, pid_t child);
	void (*exited)(struct engine *engine, pid_t tgid);
	/*
	 * Removes a target, with its descendants, except those of the @nr others. Returns how many processes were
	 * removed, or -errno. To be called again, after programs that were running have ended and process events were
	 * read, until it returns 0.
	 */
	int (*untarget)(struct engine *engine, const struct target *target, const struct target *others, size_t nr);
	/* The cgroup was added to or removed from sampling->object, which had or has at least one. */
	int (*add_cgroup)(struct engine *engine, const struct tprof_scope_cgroup *cgroup);
	int (*remove_cgroup)(struct engine *engine, const struct tprof_scope_cgroup *cgroup);
	/* From now on the broker opens events: this process can no longer. NULL: the engine opens none itself. */
	void (*use_broker)(struct engine *engine, struct broker *broker);
	int (*enable)(struct engine *engine);
	/* On return, no filter runs any more, and all kept samples can be read. */
	int (*disable)(struct engine *engine);
	/*
	 * Counts the waits in progress up to now, so that they are in the generation in use. 0 or -errno. NULL: the
	 * engine has no waits.
	 */
	int (*count_waits)(struct engine *engine);
	/* Adds the ledger since enable to zeroed ledgers, one for each event. No value ever decreases. */
	int (*ledger)(struct engine *engine, struct tprof_ledger *events);
	/*
	 * ledger() in two steps, for the samples in table generations that are swapped in between. observe() stores
	 * what is not counted per generation, right before the swap. settle() adds it to what is, once the retired
	 * generations can be read.
	 */
	int (*observe)(struct engine *engine);
	void (*settle)(struct engine *engine, struct tprof_ledger *events);
	/*
	 * On return, filters have been called for each sample that was taken before. NULL: they always are, once the
	 * programs that are running have ended.
	 */
	int (*flush)(struct engine *engine);
	/*
	 * Called about once a second for each CPU of sampling->cpus that is online: samples it if it was not online
	 * before, or went offline in between. NULL: the engine follows CPUs itself.
	 */
	int (*cpu_online)(struct engine *engine, size_t cpu_index);
	/* How often the event occurred per second, on the busiest CPU, since the last call, @seconds ago, or enable. */
	double (*event_rate)(struct engine *engine, size_t event, double seconds);
	/* Changes the period of an event, in any state. Every firing is counted with the period that it had. */
	int (*set_period)(struct engine *engine, size_t event, uint64_t period);
	uint64_t (*period)(const struct engine *engine, size_t event);
	/* How many times as long the period was at most, to save CPU time. NULL: the engine never does that. */
	uint32_t (*period_factor)(const struct engine *engine);
	/* Forbids to change what is sampled, except the period. NULL: the engine cannot do that. */
	int (*seal)(struct engine *engine);
	/*
	 * Calls filters again that exceeded their budget of CPU time. Returns their number, or -EAGAIN (less than a
	 * second ago). NULL: the engine has no budgets.
	 */
	int (*enable_filters)(struct engine *engine);
	/*
	 * Describes the filter at this position, from 0; state->name belongs to the engine until the next call. ENOENT:
	 * there is none. NULL: the engine does not measure filters.
	 */
	int (*filter_state)(struct engine *engine, uint32_t index, struct tprof_filter_state *state);
	/*
	 * For a session that several processes can have, one after the other: its descriptors, which stay those of the
	 * engine. Returns their number, or -E2BIG. NULL: the engine has none that are the session.
	 */
	int (*descriptors)(const struct engine *engine, int *fds, size_t max);
	/* Notes what has been read of the counters, in as many bytes, aligned to 8. */
	size_t (*noted_bytes)(const struct sampling *sampling);
	void (*note)(const struct engine *engine, void *into);
	/*
	 * Instead of open(): takes the session of another process, with its descriptors, which are the engine's then,
	 * also after an error, and its note. *is_running: it samples. Errors: EPROTO (these are none of a session).
	 */
	struct engine *(*take)(const struct sampling *sampling, const struct log *log, const int *fds, size_t nr,
			       const void *noted, bool *is_running, struct tprof_error *error);
	/* Instead of load() and attach(): the filter is attached to the session that was taken. */
	int (*adopt)(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error);
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
