// SPDX-License-Identifier: GPL-2.0-only
/* Summary figures of a ledger. */
#include "ledger.h"

#include <inttypes.h>
#include <stdio.h>

#include "exit_code.h"
#include "out.h"
#include "units.h"

uint64_t ledger_missing(const struct tprof_ledger *ledger)
{
	uint64_t missing = tprof_ledger__lost(ledger).samples;

	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		if (i != TPROF_COUNTING_AGGREGATED)
			missing += ledger->countings[i].samples;
	return missing;
}

uint64_t ledger_handled(const struct tprof_ledger *ledger)
{
	return ledger->outcomes[TPROF_OUTCOME_DONE].samples + ledger->outcomes[TPROF_OUTCOME_KEPT].samples;
}

double ledger_idle_percent(const struct tprof_ledger *ledger)
{
	/* Events that fired on idle CPUs without running a filter are idle time, too. */
	double idle = (double)ledger->idle.weight + (double)ledger->lost[TPROF_LOST_IDLE_MISSED].weight;
	double all = (double)ledger->fired.weight;

	return all > 0 && idle < all ? 100 * idle / all : all > 0 ? 100 : 0;
}

struct tprof_loss ledger_loss(const struct tprof_ledger *ledger)
{
	struct tprof_loss loss = { .sz = sizeof(loss) };

	tprof_ledger__loss(ledger, &loss);
	return loss;
}

void ledger_warn(const struct tprof_ledger *ledger, const char *of)
{
	const struct tprof_loss loss = ledger_loss(ledger);

	if (loss.text[0])
		out_note("warning: %s%s%s", of ? of : "", of ? ": " : "", loss.text);
}

static void say_part(uint64_t count, const char *what)
{
	if (count)
		fprintf(stderr, ", %" PRIu64 " %s", count, what);
}

/* Prints ", 3 lost (engine_missed 2, stream_full 1)". */
static void say_lost(const struct tprof_ledger *ledger)
{
	const char *before = " (";
	int reason;

	fprintf(stderr, ", %" PRIu64 " lost", (uint64_t)tprof_ledger__lost(ledger).samples);
	for (reason = 0; reason < TPROF_NR_LOST_REASONS; reason++) {
		if (reason == TPROF_LOST_IDLE_MISSED || !ledger->lost[reason].samples)
			continue;
		fprintf(stderr, "%s%s %" PRIu64, before, tprof_lost_reason__name(reason),
			(uint64_t)ledger->lost[reason].samples);
		before = ", ";
	}
	if (before[0] == ',')
		fputc(')', stderr);
}

static void say_more_events(const struct tprof_session *session)
{
	for (size_t i = 1; i < tprof_session__nr_events(session); i++) {
		struct tprof_event_info event = { .sz = sizeof(event) };

		if (!tprof_session__event(session, i, &event))
			fprintf(stderr, ", %s", event.event);
	}
}

int ledger_print(struct tprof_session *session, uint64_t duration_ns)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_info info = { .sz = sizeof(info) };
	struct units_text duration;
	int err;

	err = tprof_session__ledger(session, &ledger);
	if (!err)
		err = tprof_session__info(session, &info);
	if (err)
		return out_error_of_session(session, err);
	fprintf(stderr, "tprof: %s, %s", info.engine, info.event);
	say_more_events(session);
	fprintf(stderr, ": %" PRIu64 " samples in %s: %" PRIu64 " done", (uint64_t)ledger.fired.samples,
		units_duration(&duration, duration_ns),
		(uint64_t)ledger.outcomes[TPROF_OUTCOME_DONE].samples);
	say_part(ledger.outcomes[TPROF_OUTCOME_KEPT].samples, "kept");
	say_part(ledger.outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].samples, "out of scope");
	say_part(ledger.outcomes[TPROF_OUTCOME_DECIMATED].samples, "decimated");
	say_part(ledger.outcomes[TPROF_OUTCOME_BELOW_MIN].samples, "below the minimum");
	say_part(ledger.lost[TPROF_LOST_IDLE_MISSED].samples, "missed on idle CPUs");
	say_lost(&ledger);
	say_part(ledger.countings[TPROF_COUNTING_TABLE_FULL].samples, "not stored (table full)");
	say_part(ledger.countings[TPROF_COUNTING_TABLE_BUSY].samples, "not stored (table busy)");
	say_part(ledger.countings[TPROF_COUNTING_NO_MEMORY].samples, "not stored (no memory)");
	say_part(ledger.unnamed_sideband_lost.samples, "without a name (side-band events lost)");
	fputc('\n', stderr);
	ledger_warn(&ledger, NULL);
	return EXIT_OK;
}
