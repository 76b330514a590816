// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The events of a session: chosen from its options, and described to the client. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/sized.h"
#include "event/event_core.h"
#include "event/rate.h"
#include "profile/ledger.h"
#include "handover.h"
#include "uapi/tprof_device.h"

TPROF_ASSERT(TPROF_EVENTS_MAX == TPROF_MAX_EVENTS);
TPROF_ASSERT(TPROF_EVENTS_MAX == TPROF_OBJECT_EVENTS);

/* The event if none is requested. */
#define DEFAULT_EVENT "cycles"
#define FALLBACK_EVENT "cpu-clock"

/* Messages begin with the members of @opts, as tprof.h promises. */
static int check(const struct tprof_event_opts *opts, struct tprof_error *error)
{
	if (opts->rate_hz && opts->period) {
		error_set(error, EINVAL, "rate_hz and period exclude each other");
		error_hint(error, "give a rate, or a fixed period");
		return -EINVAL;
	}
	return session_check_rate(opts->rate_hz, opts->period, error);
}

static int refuse_singly_counted(const struct event *event, struct tprof_error *error)
{
	const char *kind = event_is_place(event) ? event->source : "tracepoint";

	error_set(error, EOPNOTSUPP, "event %s: the perf engine cannot run filters on %ss", event->name, kind);
	error_hint(error, "use the kernel module, --engine kmod; tprof doctor shows how to load it");
	return -EOPNOTSUPP;
}

static int refuse_switches(const struct engine_ops *ops, const struct event *event, struct tprof_error *error)
{
	error_set(error, EOPNOTSUPP, "event %s: the engine %s cannot observe %s, or its module is too old", event->name,
		  ops->name, event_of_switches_plural(event));
	error_hint(error, "use --engine perf");
	return -EOPNOTSUPP;
}

static int refuse_missing(const struct sampling *sampling, const struct event *event, struct tprof_error *error)
{
	error_set(error, EOPNOTSUPP, "event %s: %s sample it%s", event->name,
		  sampling->cpus.chosen ? "none of the chosen CPUs can" : "this machine cannot",
		  event->precise ? " so precisely" : "");
	error_hint(error, "%s", event->precise ? "use fewer p, or none" :
						 "tprof list events; " FALLBACK_EVENT " works everywhere");
	return -EOPNOTSUPP;
}

/* A PMU that is shared with guests refuses to sample them. */
static int probe(struct tprof_session *session, struct event *event)
{
	struct event host = *event;
	int err = event_probe(event, &session->sampling.cpus);

	if (err != -EOPNOTSUPP || !event_may_leave_guests(event))
		return err;
	host.excludes |= EVENT_EXCLUDE_GUEST;
	if (event_is_missing(event_probe(&host, &session->sampling.cpus)))
		return err;
	*event = host;
	log_info(&session->log, "event %s: guests are not sampled", event->name);
	return 0;
}

static int choose_event(struct tprof_session *session, const char *name, struct event *event, struct tprof_error *error)
{
	const struct engine_ops *ops = session->ops;
	struct sampling *sampling = &session->sampling;
	int err;

	if (name && ops->own_event && ops->own_event(event, name))
		return 0;
	err = event_parse(event, name ? name : DEFAULT_EVENT, error);
	if (err)
		return err;
	if (event_is_of_switches(event))
		return ops->samples_switches(event->name) ? 0 : refuse_switches(ops, event, error);
	if (event_is_counted_singly(event) && !ops->samples_tracepoints)
		return refuse_singly_counted(event, error);
	if (event_is_place(event))
		return session_look_up_place(event, error);
	/* For other errors, such as a missing capability, the engine reports and explains the failure. */
	if (!event_is_missing(probe(session, event)))
		return 0;
	if (name)
		return refuse_missing(sampling, event, error);
	snprintf(sampling->fallback, sizeof(sampling->fallback), "%s -> %s: %s", DEFAULT_EVENT, FALLBACK_EVENT,
		 "no hardware counters on this machine");
	log_info(&session->log, "%s", sampling->fallback);
	return event_parse(event, FALLBACK_EVENT, error);
}

static int choose_rate(struct sampled_event *sampled, const struct tprof_event_opts *opts, struct tprof_error *error)
{
	if (opts->rate_hz && event_is_of_switches(&sampled->event)) {
		error_set(error, EINVAL, "rate_hz %llu: %s have no rate; each %s is counted, with its length",
			  (unsigned long long)opts->rate_hz, event_of_switches_plural(&sampled->event),
			  event_of_switches_singular(&sampled->event));
		error_hint(error, "leave it out%s", event_is_wait(&sampled->event) ? "; -c 1000000 takes a sample for "
			   "each millisecond of waiting" : event_is_run(&sampled->event) ? "; the event cpu-clock has "
			   "samples of runs" : "");
		return -EINVAL;
	}
	sampled->period = opts->period;
	if (!opts->period && !opts->rate_hz && event_is_counted_singly(&sampled->event))
		sampled->period = 1;
	if (!sampled->period)
		sampled->rate_hz = opts->rate_hz ? opts->rate_hz : TPROF_RATE_HZ_DEFAULT;
	return opts->period ? session_check_period(&sampled->event, opts->period, error) : 0;
}

static bool same_event(const struct event *a, const struct event *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1 && a->config2 == b->config2 &&
	       a->excludes == b->excludes && a->precise == b->precise &&
	       !strcmp(a->source, b->source) && !strcmp(a->place.path, b->place.path) &&
	       !strcmp(a->place.function, b->place.function) && a->place.offset == b->place.offset &&
	       a->place.returns == b->place.returns;
}

/* Two events of the same kind could not be told apart in the results. */
static int refuse_twice(const struct sampling *sampling, struct tprof_error *error)
{
	const struct event *last = &sampling->events[sampling->nr_events - 1].event;

	for (size_t e = 0; e + 1 < sampling->nr_events; e++) {
		if (!same_event(&sampling->events[e].event, last))
			continue;
		error_set(error, EINVAL, "event %s: is given twice", last->name);
		error_hint(error, "give each event once");
		return -EINVAL;
	}
	return 0;
}

static int add_event(struct tprof_session *session, const struct tprof_event_opts *opts, struct tprof_error *error)
{
	struct sampling *sampling = &session->sampling;
	struct sampled_event *sampled;
	int err;

	if (sampling->nr_events == TPROF_EVENTS_MAX) {
		error_set(error, E2BIG, "event %s: a session has at most %d events, and each type of CPU of this "
			  "machine has events of its own", opts->event, TPROF_EVENTS_MAX);
		error_hint(error, "sample fewer events, or choose CPUs of one type with -C");
		return -E2BIG;
	}
	sampled = &sampling->events[sampling->nr_events++];
	err = choose_event(session, opts->event, &sampled->event, error);
	if (!err)
		err = choose_rate(sampled, opts, error);
	return err ? err : refuse_twice(sampling, error);
}

/* Does the machine have the default event? If not, another one takes its place. */
static bool has_default(const struct tprof_session *session, const struct core_pmus *pmus)
{
	char name[sizeof(session->sampling.events[0].event.name)];
	struct event event;

	return !event_core_name(name, sizeof(name), DEFAULT_EVENT, pmus->all[0].name) &&
	       !event_parse(&event, name, NULL) && !event_is_missing(event_probe(&event, &session->sampling.cpus));
}

/* On a hybrid machine, an event that is not of a certain PMU stands for those of all PMUs of the CPUs. */
static int add_events(struct tprof_session *session, const struct tprof_event_opts *opts, struct tprof_error *error)
{
	const char *event = opts->event ? opts->event : DEFAULT_EVENT;
	struct core_pmus pmus;
	int err = 0;

	event_core_pmus(&pmus, EVENT_SYSFS, &session->sampling.cpus);
	if (!pmus.nr || !event_is_of_core(event) || (!opts->event && !has_default(session, &pmus)))
		return add_event(session, opts, error);
	for (size_t i = 0; i < pmus.nr && !err; i++) {
		char name[sizeof(session->sampling.events[0].event.name)];
		struct tprof_event_opts one = *opts;

		one.event = name;
		err = event_core_name(name, sizeof(name), event, pmus.all[i].name);
		if (err)
			return error_set(error, EINVAL, "event: the name is too long");
		err = add_event(session, &one, error);
	}
	return err;
}

static int refuse_both(const struct tprof_session_opts *opts, struct tprof_error *error)
{
	error_set(error, EINVAL, "%s and events exclude each other",
		  opts->event ? "event" : opts->rate_hz ? "rate_hz" : "period");
	error_hint(error, "each element of events has a rate or a period of its own");
	return -EINVAL;
}

static int refuse_number(size_t nr, struct tprof_error *error)
{
	error_set(error, E2BIG, "events: %zu are given, and a session has at most %d", nr, TPROF_EVENTS_MAX);
	error_hint(error, "start several sessions");
	return -E2BIG;
}

static int take_all(const struct tprof_session_opts *opts, struct tprof_event_opts *events, struct tprof_error *error)
{
	const char *at = (const char *)opts->events;
	int err = 0;

	if (!opts->events) {
		error_set(error, EINVAL, "events is NULL, but nr_events is %zu", opts->nr_events);
		error_hint(error, "set both, or leave both out");
		return -EINVAL;
	}
	if (opts->event || opts->rate_hz || opts->period)
		return refuse_both(opts, error);
	if (opts->nr_events > TPROF_EVENTS_MAX)
		return refuse_number(opts->nr_events, error);
	for (size_t e = 0; e < opts->nr_events && !err; e++, at += opts->events->sz) {
		err = sized_error(error, sized_take(&events[e], sizeof(events[e]), at), "event options");
		if (!err && !events[e].event) {
			err = error_set(error, EINVAL, "events[%zu].event is NULL", e);
			error_hint(error, "name each event; tprof list events");
		}
		if (!err)
			err = check(&events[e], error);
	}
	return err;
}

int session_take_events(const struct tprof_session_opts *opts, struct tprof_event_opts *events,
			struct tprof_error *error)
{
	if (opts->nr_events)
		return take_all(opts, events, error);
	events[0] = (struct tprof_event_opts){
		.sz = sizeof(events[0]), .event = opts->event, .rate_hz = opts->rate_hz, .period = opts->period,
	};
	return check(&events[0], error);
}

/* TPROF_SCOPE_USER or TPROF_SCOPE_KERNEL if modifiers leave out the other; 0: they do not. */
static uint32_t mode_of(const struct event *event)
{
	uint8_t excludes = event->excludes & (EVENT_EXCLUDE_USER | EVENT_EXCLUDE_KERNEL);

	return excludes == EVENT_EXCLUDE_KERNEL ? TPROF_SCOPE_USER : excludes == EVENT_EXCLUDE_USER ?
	       TPROF_SCOPE_KERNEL : 0;
}

/* A clock runs in all modes. Its samples are of one mode if those of the whole session are. */
static int limit_to_mode(struct sampling *sampling, const struct event *event, struct tprof_error *error)
{
	uint32_t mode = mode_of(event);
	bool common = mode;

	if (!event_is_clock(event) || !(event->excludes & (EVENT_EXCLUDE_USER | EVENT_EXCLUDE_KERNEL)))
		return 0;
	for (size_t e = 0; e < sampling->nr_events; e++)
		common &= mode_of(&sampling->events[e].event) == mode;
	sampling->object.scope |= mode;
	if (common)
		return 0;
	error_set(error, EINVAL, "event %s: a clock is limited to a mode only together with the whole session",
		  event->name);
	error_hint(error, "give all events the same modifier, u or k");
	return -EINVAL;
}

int session_choose_events(struct tprof_session *session, const struct tprof_event_opts *events, size_t nr,
			  struct tprof_error *error)
{
	struct sampling *sampling = &session->sampling;
	int err = 0;

	for (size_t e = 0; e < nr && !err; e++)
		err = add_events(session, &events[e], error);
	for (size_t e = 0; e < sampling->nr_events && !err; e++)
		err = limit_to_mode(sampling, &sampling->events[e].event, error);
	return err;
}

size_t tprof_session__nr_events(const struct tprof_session *session)
{
	return session->sampling.nr_events;
}

int tprof_session__event(const struct tprof_session *session, size_t index, struct tprof_event_info *info)
{
	const struct sampled_event *sampled = &session->sampling.events[index];
	struct tprof_event_info known;

	if (index >= session->sampling.nr_events)
		return -ENOENT;
	known = (struct tprof_event_info){
		.event = sampled->event.name,
		.unit = sampled->event.unit,
		.rate_hz = sampled->rate_hz,
		.period = session->engine ? session->ops->period(session->engine, index) : sampled->period,
	};
	return sized_give(info, &known, sizeof(known));
}

int session_set_events(const struct tprof_session *session, struct tprof_profile *profile)
{
	struct tprof_event_info events[TPROF_EVENTS_MAX];
	size_t nr = session->sampling.nr_events;

	for (size_t e = 0; e < nr; e++) {
		events[e].sz = sizeof(events[e]);
		tprof_session__event(session, e, &events[e]);
	}
	return profile_set_events(profile, events, nr);
}

void session_settle_events(const struct tprof_session *session, struct tprof_profile *profile)
{
	profile->info.period = profile->first.period = session->ops->period(session->engine, 0);
	for (size_t e = 0; profile->events && e < profile->nr_events; e++) {
		struct profile_event *event = &profile->events[e];

		event->info.period = session->ops->period(session->engine, e);
		event->ledger = session->settled_events[e];
		ledger_subtract(&event->ledger, &session->reported_events[e]);
	}
}

#define ADAPT_FIRST_MS 10
#define ADAPT_MS 1000

/* The samples of a second may be taken in a shorter time: a command often begins with most of its events. */
static bool is_within_first_second(const struct tprof_session *session, size_t e)
{
	return session->adapt_ms < ADAPT_MS &&
	       session->first_samples[e] < (double)session->sampling.events[e].rate_hz;
}

/* A change costs a part of a period on each CPU, which matters unless the period is short. */
static bool is_adapted_soon(const struct sampled_event *sampled)
{
	return sampled_is_adapted(sampled) && rate_first_period(&sampled->event, sampled->rate_hz, 0) == 1;
}

/* A tick of the timer may be a little early. */
static bool is_over(uint64_t since_ns, uint64_t now, unsigned int ms)
{
	return now - since_ns >= ms * 900000ULL;
}

static int adapt_period(struct tprof_session *session, size_t e, uint64_t now)
{
	const struct sampled_event *sampled = &session->sampling.events[e];
	double seconds = (double)(now - session->adapted_ns[e]) / 1e9, rate;
	uint64_t before, period;
	int err;

	if (!sampled_is_adapted(sampled) ||
	    (!is_adapted_soon(sampled) && !is_over(session->adapted_ns[e], now, ADAPT_MS)))
		return 0;
	session->adapted_ns[e] = now;
	before = session->ops->period(session->engine, e);
	rate = session->ops->event_rate(session->engine, e, seconds);
	period = rate_next_period(before, sampled->rate_hz, rate);
	session->first_samples[e] += rate * seconds / (double)before;
	if (is_within_first_second(session, e) && period > before)
		return 0;
	if (period == before)
		return 0;
	err = session->ops->set_period(session->engine, e, period);
	handover_note(session);
	return err;
}

void session_adapt_soon(struct tprof_session *session)
{
	bool soon = false;

	for (size_t e = 0; e < session->sampling.nr_events; e++)
		soon |= is_adapted_soon(&session->sampling.events[e]);
	memset(session->first_samples, 0, sizeof(session->first_samples));
	session->adapt_ms = soon ? ADAPT_FIRST_MS : ADAPT_MS;
}

int session_adapt_periods(struct tprof_session *session)
{
	uint64_t now = clock_own_ns();
	int err = 0;

	if (!is_over(session->adapting_ns, now, session->adapt_ms))
		return 0;
	session->adapting_ns = now;
	for (size_t e = 0; e < session->sampling.nr_events && !err; e++)
		err = adapt_period(session, e, now);
	if (err || session->adapt_ms == ADAPT_MS)
		return err;
	session->adapt_ms = session->adapt_ms * 2 < ADAPT_MS ? session->adapt_ms * 2 : ADAPT_MS;
	return session_set_timer(session);
}

void session_hide_event(const struct tprof_session *session, struct tprof_filter *filter)
{
	for (size_t t = 0; t < filter->nr_tables && session->sampling.nr_events == 1; t++)
		value_layout_hide(&filter->tables[t].key, VALUE_EVENT);
}

/* A table that is read, and whose key has no event; NULL: there is none. */
static const struct table *table_without_event(const struct tprof_session *session, const struct tprof_filter *filter,
					       bool makes_entries)
{
	const struct table *entries = makes_entries ? filter_entry_table(filter) : NULL;

	for (size_t t = 0; t < filter->nr_tables; t++) {
		const struct table *table = &filter->tables[t];
		bool is_read = table == entries || (session->collector.rows && !table->stacks);

		if (is_read && !value_layout_find(&table->key, VALUE_EVENT))
			return table;
	}
	return NULL;
}

void session_name_events(struct tprof_session *session)
{
	struct collector *collector = &session->collector;

	collector->nr_events = session->sampling.nr_events;
	for (size_t e = 0; e < collector->nr_events; e++)
		collector->event_names[e] = session->sampling.events[e].event.name;
}

int session_check_events(struct tprof_session *session, const struct tprof_filter *filter, bool makes_entries)
{
	size_t nr_events = session->sampling.nr_events;
	const struct table *table = nr_events == 1 ? NULL : table_without_event(session, filter, makes_entries);

	if (!table)
		return 0;
	error_set(&session->error, EINVAL, "table %s: does not tell apart the %zu events of the session", table->name,
		  nr_events);
	error_hint(&session->error, "sample one event, or add a tprof_event_t to the key of the table");
	return -EINVAL;
}
