// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_many ENGINE EVENT...: changes rates, periods, scope and state of one session 500 times, or nr_changes of the
 * environment, with snapshots in between: nothing is lost. Prints TAP.
 */
#include "changes.h"

#define NR_SPINS 3

static struct sum sum;

/* The number of changes of each kind. */
enum change { RATE, PERIOD, ADD, REMOVE, PAUSE, STOP, NR_KINDS };

static unsigned int changed[NR_KINDS];
/* Each halt lasted at least as long as the first, and at most as long as the second. */
static uint64_t halted_least_ns, halted_most_ns;

/* An event of the session; its weight and its lost weight, which all profiles add up to. */
static struct changed_event {
	bool clock;
	uint64_t weight, lost;
	double cut_ns;		/* a clock: what changes cut off at most, on all CPUs */
} events[TPROF_EVENTS_MAX];

static struct tprof_event_info event_info(struct tprof_session *session, size_t e)
{
	struct tprof_event_info info = { .sz = sizeof(info) };

	tprof_session__event(session, e, &info);
	return info;
}

/* The period in progress on each CPU is cut off. */
static void cut(struct tprof_session *session, size_t e)
{
	struct tprof_info info = { .sz = sizeof(info) };

	tprof_session__info(session, &info);
	events[e].cut_ns += (double)event_info(session, e).period * info.nr_cpus;
}

/* The counters of a CPU stand still for a part of the call. */
static void cut_time(struct tprof_session *session, size_t e, uint64_t from_ns)
{
	struct tprof_info info = { .sz = sizeof(info) };

	tprof_session__info(session, &info);
	events[e].cut_ns += (double)(now_ns() - from_ns) * info.nr_cpus;
}

static int change_targets(struct tprof_session *session, const pid_t *pids, unsigned int *targets, unsigned int which)
{
	int err = *targets & 1U << which ? tprof_session__remove_pid(session, pids[which]) :
		  tprof_session__add_pid(session, pids[which]);

	changed[*targets & 1U << which ? REMOVE : ADD]++;
	*targets ^= 1U << which;
	return err;
}

static int interrupt(struct tprof_session *session, bool stop)
{
	uint64_t before_ns = now_ns(), halted_ns;
	int err = stop ? tprof_session__stop(session) : tprof_session__pause(session);

	for (size_t e = 0; e < tprof_session__nr_events(session); e++)
		cut(session, e);
	halted_ns = now_ns();
	usleep(1000);
	halted_least_ns += now_ns() - halted_ns;
	changed[stop ? STOP : PAUSE]++;
	if (!err)
		err = stop ? tprof_session__start(session) : tprof_session__resume(session);
	halted_most_ns += now_ns() - before_ns;
	return err;
}

static int change_period(struct tprof_session *session, size_t e, long number)
{
	uint64_t period = events[e].clock ? 300000 + (uint64_t)(number % 10) * 500000 : 1 + (uint64_t)(number % 100);
	uint64_t from_ns;
	int err;

	cut(session, e);
	changed[PERIOD]++;
	from_ns = now_ns();
	err = tprof_session__set_period(session, e, period);
	cut_time(session, e, from_ns);
	return err;
}

static int change_rate(struct tprof_session *session, size_t e, long number)
{
	static const uint64_t rates[] = { 97, 499, 997, 1999, 4001 };
	uint64_t from_ns;
	int err;

	cut(session, e);
	changed[RATE]++;
	from_ns = now_ns();
	err = tprof_session__set_rate(session, e, rates[number % 5]);
	cut_time(session, e, from_ns);
	return err;
}

static int change(struct tprof_session *session, const pid_t *pids, unsigned int *targets)
{
	size_t e = (size_t)random() % tprof_session__nr_events(session);
	long number = random();

	switch (number % 8) {
	case 0:
	case 1:
		return change_rate(session, e, number / 8);
	case 2:
		return change_period(session, e, number / 8);
	case 3:
		return interrupt(session, number / 8 % 2);
	default:
		return change_targets(session, pids, targets, (unsigned int)(number / 8 % NR_SPINS));
	}
}

/* Takes a snapshot; the ledger of each event closes, too. */
static void take_events(struct tprof_session *session, const char *what)
{
	struct tprof_profile *profile = take_profile(session, &sum, what);

	for (size_t e = 0; e < tprof_profile__nr_events(profile); e++) {
		const struct tprof_ledger *ledger = tprof_profile__event_ledger(profile, e);
		const struct tprof_tally left = tprof_ledger__difference(ledger);

		if (left.samples || left.weight)
			tell(false, "%s: the ledger of event %zu closes", what, e);
		events[e].weight += ledger->fired.weight;
		events[e].lost += tprof_ledger__lost(ledger).weight;
	}
	tprof_profile__free(profile);
}

/*
 * The weight of a clock is the time that passed while the session sampled, but for what the changes cut off. Up to two
 * periods on each CPU are in progress at the end; the kernel's clock differs from CLOCK_MONOTONIC by less than 1 %.
 */
static void time_is_there(struct tprof_session *session, size_t e, uint64_t passed_ns)
{
	struct tprof_info info = { .sz = sizeof(info) };
	struct tprof_event_info event = event_info(session, e);
	double least, most, got = (double)events[e].weight;

	tprof_session__info(session, &info);
	most = 1.01 * (double)(passed_ns - halted_least_ns) * info.nr_cpus;
	least = 0.99 * (double)(passed_ns - halted_most_ns) * info.nr_cpus - events[e].cut_ns -
		2 * (double)event.period * info.nr_cpus;
	tell(got > least && got < most, "%s: %.3f of %.3f to %.3f s on all CPUs are in the ledger, %.3f s were lost",
	     event.event, got / 1e9, least / 1e9, most / 1e9, (double)events[e].lost / 1e9);
}

static void many(struct tprof_session *session, const pid_t *pids, int nr_changes)
{
	unsigned int targets = 1;

	for (int i = 0; i < nr_changes; i++) {
		int err = change(session, pids, &targets);

		if (err)
			tell(false, "change %d: %s", i, tprof_session__error(session));
		err = tprof_session__wait(session, 5 + (int)(random() % 20));
		if (err)
			tell(false, "wait %d: %s", i, tprof_session__error(session));
		if (i % 7 == 0)
			take_events(session, "interval");
	}
	tell(true, "%u rates, %u periods, %u added, %u removed, %u pauses, %u stops", changed[RATE], changed[PERIOD],
	     changed[ADD], changed[REMOVE], changed[PAUSE], changed[STOP]);
}

int main(int argc, char **argv)
{
	pid_t pids[NR_SPINS];
	struct tprof_event_opts wanted[TPROF_EVENTS_MAX];
	size_t nr = argc > 2 ? (size_t)argc - 2 : 0;
	TPROF_OPTS(tprof_session_opts, opts, .engine = argv[1], .events = wanted, .nr_events = nr, .pids = pids,
		   .nr_pids = 1);
	const char *nr_changes = getenv("nr_changes");
	struct tprof_session *session;
	uint64_t from_ns;

	if (!nr || nr > TPROF_EVENTS_MAX)
		bail("arguments", "ENGINE EVENT...");
	for (size_t e = 0; e < nr; e++)
		wanted[e] = (struct tprof_event_opts){ .sz = sizeof(*wanted), .event = argv[e + 2], .rate_hz = 997 };
	srandom(1);
	for (size_t i = 0; i < NR_SPINS; i++)
		pids[i] = i ? spin() : fault();
	from_ns = now_ns();
	session = start_session(&opts, "top");
	/* The start itself is not in the ledger: what it took counts as cut off. */
	for (size_t e = 0; e < nr; e++) {
		struct tprof_info info = { .sz = sizeof(info) };

		tprof_session__info(session, &info);
		events[e].clock = strcmp(event_info(session, e).unit, "ns") == 0;
		events[e].cut_ns = (double)(now_ns() - from_ns) * info.nr_cpus;
	}
	many(session, pids, nr_changes ? atoi(nr_changes) : 500);
	tell(!tprof_session__stop(session), "stop");
	from_ns = now_ns() - from_ns;
	take_events(session, "end");
	for (size_t e = 0; e < nr; e++) {
		if (events[e].clock)
			time_is_there(session, e, from_ns);
		else
			tell(events[e].weight > 0 || e, "%s: weight %" PRIu64, argv[e + 2], events[e].weight);
	}
	closes(session, &sum, "all changes");
	tprof_session__close(session);
	for (size_t i = 0; i < NR_SPINS; i++)
		end(pids[i]);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
