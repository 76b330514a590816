// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Drains the tables of a session and makes snapshots of their content. */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/sized.h"
#include "profile/ledger.h"
#include "handover.h"

/* Bounds of the time between two drains. The maximum is for the regular work of a drain: dropping ended processes. */
#define MIN_INTERVAL_MS 50
#define MAX_INTERVAL_MS 5000
/* Maximum for a raw recording: if the process is killed, the file has the samples up to the last drain. */
#define MAX_RAW_INTERVAL_MS 1000

uint64_t session_samples_per_second(const struct tprof_session *session)
{
	const struct sampling *sampling = &session->sampling;
	uint64_t sum_hz = 0;

	for (size_t e = 0; e < sampling->nr_events; e++) {
		const struct sampled_event *sampled = &sampling->events[e];

		if (sampled->rate_hz)
			sum_hz += sampled->rate_hz;
		else if (event_is_clock(&sampled->event))
			sum_hz += 1000000000ULL / sampled->period;
		else
			/* Unknown: assumes what tables can hold if they are drained once a second. */
			sum_hz += 10000;
	}
	return sum_hz * sampling->cpus.nr;
}

/*
 * Each drain reads every key that occurred since the last one, so fewer drains are better. A table must be at most
 * three quarters full, even if each sample has a key of its own.
 */
unsigned int session_collect_interval_ms(const struct tprof_session *session)
{
	uint64_t interval_ms = session->collector.raw ? MAX_RAW_INTERVAL_MS : MAX_INTERVAL_MS;
	uint64_t samples_per_second = session_samples_per_second(session);

	for (size_t i = 0; i < session->filters.nr; i++) {
		const struct tprof_filter *filter = session->filters.all[i];

		for (size_t t = 0; t < filter->nr_tables; t++) {
			const struct table *table = &filter->tables[t];
			/* A sample adds one key to each table, but may add two stacks. */
			uint64_t keys_per_second = samples_per_second << table->stacks;
			uint64_t fills_ms = table_max_entries(table) * 750ULL / keys_per_second;

			if (fills_ms < interval_ms)
				interval_ms = fills_ms;
		}
		if (copies_fill_ms(filter, samples_per_second) < interval_ms)
			interval_ms = copies_fill_ms(filter, samples_per_second);
	}
	return interval_ms < MIN_INTERVAL_MS ? MIN_INTERVAL_MS : (unsigned int)interval_ms;
}

struct tprof_profile *session_new_profile(struct tprof_session *session)
{
	struct tprof_profile *profile = profile_new();
	struct tprof_info info = { .sz = sizeof(info) };
	int err = profile ? 0 : -ENOMEM;

	if (!err)
		err = tprof_session__info(session, &info);
	if (!err)
		err = profile_set_info(profile, &info);
	if (!err)
		err = session_set_events(session, profile);
	for (size_t i = 0; i < session->filters.nr && !err; i++) {
		const struct tprof_filter *filter = session->filters.all[i];

		for (size_t t = 0; t < filter->nr_tables && !err; t++) {
			if (!filter->tables[t].stacks && profile_add_table(profile, filter->tables[t].name) < 0)
				err = -ENOMEM;
		}
	}
	if (!err)
		return profile;
	tprof_profile__free(profile);
	return NULL;
}

/* Calls fn for the retired generation of each stack table (@stacks) or each other table, until it fails. */
static int each_table(struct tprof_session *session, bool stacks,
		      int (*fn)(struct tprof_filter *filter, struct table *table, void *ctx), void *ctx)
{
	struct tprof_filter *filter;
	size_t at = 0;
	int nr = 0;

	while (nr >= 0 && (filter = session_read_filter(session, &at))) {
		for (size_t t = 0; t < filter->nr_tables && nr >= 0; t++) {
			if (filter->tables[t].stacks == stacks)
				nr = fn(filter, &filter->tables[t], ctx);
		}
	}
	return nr < 0 ? nr : 0;
}

static int swap_generations(struct tprof_session *session)
{
	struct tprof_filter *filter;
	size_t at = 0;
	int err;

	symbolizer_mark(session->symbolizer);
	err = session->ops->observe(session->engine);
	/* A session that is halted is read as of when it was; what follows until it goes on is in halted_ns. */
	session->settled_ns = session->state == SESSION_RUNNING ? clock_now_ns() : session->stopped_ns;
	session->settled_halted_ns = session->halted_ns;
	while (!err && (filter = session_read_filter(session, &at))) {
		err = filter_swap_generations(filter);
		if (filter->place.unread)
			filter->place.unread = FILTER_SWAPPED;
	}
	return err;
}

/* Replaced filters count no more, so everything of them has been read. */
static void note_read(struct tprof_session *session)
{
	session->unread = false;
	for (size_t i = 0; i < session->spares.nr; i++) {
		if (session->spares.all[i]->place.unread == FILTER_SWAPPED)
			session->spares.all[i]->place.unread = FILTER_READ;
	}
}

/* Sets the ledger of the session to the sum over its events. */
static void add_up(const struct tprof_session *session, struct tprof_ledger *events, struct tprof_ledger *sum)
{
	memset(sum, 0, sizeof(*sum));
	sum->sz = sizeof(*sum);
	for (size_t e = 0; e < session->sampling.nr_events; e++) {
		events[e].sz = sizeof(events[e]);
		ledger_add(sum, &events[e]);
	}
}

/*
 * Swaps the generations and reads the ledger of the retired ones. On return, no program counts in them any more.
 * Retired generations that were not read completely must be read first.
 */
static int put_aside(struct tprof_session *session)
{
	int err = session->unread ? 0 : swap_generations(session);

	if (err)
		return err;
	session->unread = true;
	err = program_barrier_wait(&session->barrier);
	if (err)
		return err;
	memset(session->settled_events, 0, sizeof(session->settled_events));
	session->ops->settle(session->engine, session->settled_events);
	add_up(session, session->settled_events, &session->settled);
	if (session->handover)
		session->handover->swapped = false;
	handover_note(session);
	return 0;
}

static int read_stacks(struct tprof_filter *filter, struct table *table, void *ctx)
{
	struct collector_stacks into = { .collector = ctx, .value_bytes = table_value_bytes(table) };

	return table_read(table, !filter->current, collect_stack, &into);
}

static int read_counts(struct tprof_filter *filter, struct table *table, void *ctx)
{
	bool entries = filter->place.makes_entries && table == filter_entry_table(filter);
	size_t index = filter->place.first_table;
	struct collector_table into;

	for (const struct table *before = filter->tables; before < table; before++)
		index += !before->stacks;
	collector_table_init(&into, ctx, table, (int)index, entries);
	return table_read(table, !filter->current, collect_key, &into);
}

/*
 * State of counting the kept samples, which are counted if the client does not read them: at most as many as in the
 * ledger.
 */
struct kept {
	struct collector *collector;
	uint64_t left;
};

static int read_kept(void *ctx, const struct tprof_sample *sample)
{
	struct kept *kept = ctx;

	collect_sample(kept->collector, sample);
	return !--kept->left;
}

static int count_kept(struct tprof_session *session)
{
	uint64_t kept_samples = session->settled.outcomes[TPROF_OUTCOME_KEPT].samples;
	struct kept kept = { &session->collector, kept_samples - session->counted_kept };
	int err;

	if (session->stream_taken || !kept.left)
		return 0;
	err = session->ops->read_samples(session->engine, read_kept, &kept);
	session->counted_kept = kept_samples - kept.left;
	return err < 0 ? err : 0;
}

/*
 * Samples since the last reading belong to processes whose events came after the reading before it: older processes
 * were found in /proc by then.
 */
static void note_lost_names(struct tprof_session *session)
{
	uint64_t lost = sideband_lost(session->sideband);

	session->collector.names_lost = lost != session->sideband_lost[1];
	session->sideband_lost[1] = session->sideband_lost[0];
	session->sideband_lost[0] = lost;
}

/*
 * Swaps the generations, then reads the process events and stacks up to that moment, and then symbolizes the counts. A
 * stack that was stored right before a swap and counted right after it is known from the previous reading.
 */
static int collect(struct tprof_session *session)
{
	int err = put_aside(session);
	/* Later copies wait for the next reading: process events may not have reported their code yet. */
	uint64_t until_ns = clock_now_ns();

	if (!err)
		err = sideband_drain(session->sideband);
	note_lost_names(session);
	if (err >= 0)
		err = each_table(session, true, read_stacks, &session->collector);
	if (!err)
		err = copies_read(session->copies, until_ns, collect_copy, &session->collector);
	if (!err)
		err = each_table(session, false, read_counts, &session->collector);
	if (!err && !session_entry_table(session))
		err = count_kept(session);
	if (!err)
		err = session->collector.err;
	if (!err)
		note_read(session);
	session->settled.sideband_lost = sideband_lost(session->sideband);
	session->settled.unnamed_sideband_lost = session->collector.unnamed;
	return err;
}

/* Everything read is symbolized now. Drops what ended before the previous reading. */
static void age(struct tprof_session *session)
{
	symbolizer_age(session->symbolizer);
	aspaces_age(session->aspaces);
	stacks_age(session->collector.stacks);
	cgroups_age(session->collector.cgroups);
	session->collected_ns = clock_own_ns();
	dsos_age(session->dsos, session->collected_ns);
}

int session_collect(struct tprof_session *session)
{
	bool again = session->unread;
	int err = collect(session);

	age(session);
	if (!err && again) {
		err = collect(session);
		age(session);
	}
	session_watch_missed(session);
	if (err)
		return error_set(&session->error, -err, "the tables cannot be read: %s", strerror(-err));
	handover_note(session);
	return session->collector.raw ? session_raw_flush(session) : 0;
}

static int read_ledger(struct tprof_session *session, struct tprof_ledger *ledger)
{
	struct tprof_ledger events[TPROF_EVENTS_MAX];
	struct tprof_tally left;
	int tries = 100, err;

	/* A CPU may be in the middle of a sample for longer than the engine waits, so retry. */
	do {
		memset(events, 0, sizeof(events));
		err = session->ops->ledger(session->engine, events);
		add_up(session, events, ledger);
		left = ledger_difference(ledger);
	} while (!err && (left.samples || left.weight) && tries--);
	ledger->sideband_lost = sideband_lost(session->sideband);
	ledger->unnamed_sideband_lost = session->collector.unnamed;
	ledger_subtract(ledger, &session->cleared);
	return err ? error_set(&session->error, -err, "ledger: cannot be read: %s", strerror(-err)) : 0;
}

int tprof_session__ledger(struct tprof_session *session, struct tprof_ledger *ledger)
{
	struct tprof_ledger read;
	int err = session_check_started(session, "ledger: the session");

	if (!err)
		err = read_ledger(session, &read);
	return err ? err : sized_error(&session->error, sized_give(ledger, &read, sizeof(read)), "ledger");
}

static void give_name(void *ctx, const char **symbol, const char **object, uint64_t *address)
{
	symbolizer_rename(ctx, symbol, object, address);
}

/* Applies names that became known after their samples were read. Addresses without a name by now get none. */
static int give_late_names(struct tprof_session *session)
{
	const struct profile_renaming by = { give_name, session->symbolizer };
	int err;

	if (session->collector.raw || !symbolizer_has_late(session->symbolizer))
		return 0;
	err = profile_rename(session->collector.profile, &by);
	if (!err)
		symbolizer_forget_late(session->symbolizer);
	return err;
}

/* A snapshot has the waits in progress, too. */
static int count_waits(struct tprof_session *session)
{
	int err = session->ops->count_waits ? session->ops->count_waits(session->engine) : 0;

	return err ? error_set(&session->error, -err, "waits: those in progress cannot be counted: %s",
			       strerror(-err)) : 0;
}

struct tprof_profile *tprof_session__snapshot(struct tprof_session *session)
{
	struct tprof_profile *profile = session->collector.profile, *next;
	const char *warnings;
	uint64_t until_ns;
	int err = session_check_started(session, "snapshot: the session");

	if (!err)
		err = count_waits(session);
	if (!err)
		err = session_collect(session);
	next = err ? NULL : session_new_profile(session);
	if (next && give_late_names(session)) {
		tprof_profile__free(next);
		next = NULL;
	}
	if (!next) {
		errno = err ? -err : ENOMEM;
		return NULL;
	}
	/* Samples, ledger and duration all end at the moment of the swap. */
	until_ns = session->settled_ns;
	profile->ledger = session->settled;
	warnings = session_warnings(session);
	ledger_subtract(&profile->ledger, &session->reported);
	profile->duration_ns = until_ns - session->snapshot_ns - session->halted_ns;
	session_settle_events(session, profile);
	if (warnings)
		profile->info.warnings = profile_keep(profile, warnings);
	/* Without memory for the warning, the profile is still correct. */
	session_warn_missed(session, profile);
	session_warn_throttled(session, profile);
	session_warn_uncounted(session, profile);
	profile_finish(profile);
	session->reported = session->settled;
	memcpy(session->reported_events, session->settled_events, sizeof(session->reported_events));
	session->snapshot_ns = until_ns;
	session->halted_ns = session->settled_halted_ns = 0;
	session_set_profile(session, next);
	handover_note(session);
	return profile;
}

int tprof_session__read_samples(struct tprof_session *session,
				int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx)
{
	int err = session_check_started(session, "samples: the session"), nr;

	if (err)
		return err;
	session->stream_taken = true;
	/* Reads process events first, so that the processes of these samples can be named. */
	nr = sideband_drain(session->sideband);
	if (nr >= 0)
		nr = session->ops->read_samples(session->engine, fn, ctx);
	/* Last, because this checks for samples that are left, for which the kernel does not wake again. */
	err = session_watch_samples(session, EPOLL_CTL_MOD);
	return err ? error_set(&session->error, -err, "samples: cannot be read: %s", strerror(-err)) : nr;
}
