/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The engine perf, for its own files: engine_perf.c opens, starts and stops it; perf_missing.c compares the counters
 * with what the programs counted; perf_targets.c has its processes; perf_change.c changes its periods; perf_replace.c
 * its filters; perf_cpu.c its CPUs; perf_waits.c has the events off-cpu and on-cpu, which have no perf events.
 */
#ifndef TPROF_PERF_ENGINE_H
#define TPROF_PERF_ENGINE_H

#include "cpu_missing.h"
#include "engine.h"
#include "filter/program_barrier.h"
#include "idle_time.h"
#include "perf_counter.h"
#include "ringbuf.h"
#include "served.h"

/* One program of a filter object, with its counter of each event on each CPU. */
struct attachment {
	struct tprof_filter *filter;
	int program_fd;				/* belongs to the filter */
	struct perf_counter *counters;		/* by perf_slot() */
};

/* One filter object. Its programs share ledgers, so missing samples are determined per object, event and CPU. */
struct object {
	struct tprof_filter *filter;		/* attached */
	struct served served;			/* also the filters that it replaced */
	struct cpu_missing *cpus;		/* by perf_slot() */
	struct cpu_reading *observed;		/* likewise: last reading of perf_observe() */
	size_t first, nr;			/* attachments */
	int wait_fds[FILTER_WAIT_FDS];		/* of the programs for off-cpu and on-cpu; -1: none */
};

struct engine {
	const struct sampling *sampling;
	const struct log *log;
	struct broker *broker;			/* NULL: not in a sandbox */
	struct attachment *attachments;
	size_t nr_attachments, attachments_capacity;
	struct object *objects;
	size_t nr_objects, objects_capacity;
	struct ringbuf *kept;
	size_t nr_possible;			/* possible CPUs */
	struct idle_time idle;
	struct tprof_ledger observed[TPROF_EVENTS_MAX];	/* members of the counters: last reading of perf_observe() */
	uint64_t periods[TPROF_EVENTS_MAX];
	uint64_t *enabled_ns;			/* by CPU index: time enabled when the CPU was last seen online */
	uint64_t *rate_values;			/* by perf_slot(): of the first filter's counter, for event_rate */
	bool enabled;
	bool follows_waits;			/* was enabled before: the programs know which threads wait */
	struct program_barrier wait_barrier;
};

/* Arrays have an element for each event on each possible CPU; @c is the index of the CPU in sampling->cpus. */
static inline size_t perf_slot(const struct engine *engine, size_t event, size_t c)
{
	return event * engine->nr_possible + c;
}

static inline size_t perf_slots(const struct engine *engine)
{
	return engine->sampling->nr_events * engine->nr_possible;
}

static inline const struct event *perf_event_of(const struct engine *engine, size_t event)
{
	return &engine->sampling->events[event].event;
}

/*
 * engine_perf.c: opens the counter of an attachment; 0 or -errno, then also call perf_counter_close(). On a CPU without
 * the PMU of the event, the counter stays closed.
 */
int perf_open_counter(const struct engine *engine, const struct attachment *attachment, size_t event, size_t c,
		      uint64_t period, struct perf_counter *counter);

/* perf_missing.c */
int perf_ledger(struct engine *engine, struct tprof_ledger *events);
int perf_observe(struct engine *engine);
void perf_settle(struct engine *engine, struct tprof_ledger *events);
/* Attributes what is missing of an event on one CPU, whose counters have been read, before they change. */
void perf_missing_update(struct engine *engine, size_t event, size_t c);

/* perf_targets.c */
int perf_target(struct engine *engine, const struct target *targets, size_t nr, pid_t *failed);
void perf_forked(struct engine *engine, pid_t parent, pid_t child);
void perf_exited(struct engine *engine, pid_t tgid);
int perf_untarget(struct engine *engine, const struct target *target, const struct target *others, size_t nr);
/* A cgroup was added to engine->sampling, or removed from it. */
int perf_change_cgroup(struct engine *engine, const struct tprof_scope_cgroup *cgroup);

/* perf_change.c */
int perf_set_period(struct engine *engine, size_t event, uint64_t period);

/* perf_replace.c */
int perf_replace(struct engine *engine, size_t place, struct tprof_filter *with, struct tprof_error *error);

/* perf_cpu.c */
int perf_cpu_online(struct engine *engine, size_t c);

/* Is the event off-cpu or on-cpu? Its slots have no counters. */
static inline bool perf_is_of_switches(const struct engine *engine, size_t event)
{
	return event_is_of_switches(perf_event_of(engine, event));
}

/* perf_waits.c: all of these do nothing if the session does not have the event. */
int perf_waits_attach(struct engine *engine, struct object *object, struct tprof_error *error);
void perf_waits_detach(struct object *object);
int perf_waits_enable(struct engine *engine);
int perf_waits_disable(struct engine *engine);
int perf_waits_set_period(struct engine *engine, size_t event, uint64_t period);
/* Counts the waits in progress up to now. */
int perf_waits_count(struct engine *engine);
/* Adds what the programs of the object have counted for the event. @settled: as perf_settle() */
void perf_waits_ledger(const struct engine *engine, const struct object *object, size_t event, bool settled,
		       struct tprof_ledger *ledger);

#endif
