// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_rate ENGINE EVENT [sandbox]: changes rate and period of a running session, pauses it, and starts it again
 * after a stop. Prints TAP.
 */
#include "changes.h"

static struct sum sum;

static struct tprof_info info_of(struct tprof_session *session)
{
	struct tprof_info info = { .sz = sizeof(info) };

	tprof_session__info(session, &info);
	return info;
}

/* The difference of the ledger to its counters: what was cut off by changes is in neither. */
static double off_by(const struct tprof_ledger *ledger)
{
	double fired = (double)(ledger->fired.samples - ledger->lost[TPROF_LOST_THROTTLED].samples);

	return fired > ledger->counter ? fired - ledger->counter : ledger->counter - fired;
}

/* A snapshot, and the time right before and right after it. */
struct taken {
	struct tprof_ledger ledger;
	uint64_t before_ns, after_ns;
};

static struct taken take_timed(struct tprof_session *session, const char *what)
{
	struct taken taken = { .before_ns = now_ns() };

	taken.ledger = take(session, &sum, what);
	taken.after_ns = now_ns();
	return taken;
}

/* How long a session was halted: without and with the calls that halt it and let it go on. */
struct halted {
	uint64_t least_ns, most_ns;
};

/*
 * Checks the ledger of a clock from @from to @to, without the time in which it was halted. It has all of the time
 * that passed: at least that between the snapshots, at most that with the snapshots themselves. Up to two periods on
 * each CPU are in progress at both ends, or are cut off. The kernel's clock differs from CLOCK_MONOTONIC by less than
 * 1 % and a tick.
 */
static void is_all_there(struct tprof_session *session, const struct taken *from, const struct taken *to,
			 struct halted halted, const char *what)
{
	const struct tprof_info info = info_of(session);
	const double period = (double)info.period, nr_cpus = info.nr_cpus;
	double least = (double)(to->before_ns - from->after_ns - halted.most_ns) * nr_cpus;
	double most = (double)(to->after_ns - from->before_ns - halted.least_ns) * nr_cpus;
	double fired = (double)to->ledger.fired.weight, slack = 0.01 * most + 10e6 * nr_cpus + 2 * period * nr_cpus;

	tell(fired > least - slack && fired < most + slack, "%s: %.3f s are in the ledger, of %.3f to %.3f s", what,
	     fired / 1e9, least / 1e9, most / 1e9);
}

/* A session of a clock: each change takes effect at once, and each sample has the weight of its period. */
static void change_clock(struct tprof_session *session, uint64_t rate_hz, uint64_t period)
{
	int err = rate_hz ? tprof_session__set_rate(session, 0, rate_hz) :
			    tprof_session__set_period(session, 0, period);
	struct taken from, to;
	struct tprof_info info;
	const struct tprof_tally *fired = &to.ledger.fired;

	tell(!err, "%s", err ? tprof_session__error(session) : "changed");
	/* Has samples of both periods. */
	from = take_timed(session, "change");
	tprof_session__wait(session, 400);
	to = take_timed(session, "period");
	info = info_of(session);
	tell(rate_hz ? info.rate_hz == rate_hz : info.rate_hz == 0 && info.period == period,
	     "%" PRIu64 " Hz, period %" PRIu64, (uint64_t)info.rate_hz, (uint64_t)info.period);
	tell(fired->weight % info.period == 0 && fired->samples &&
	     (info.engine[0] == 'k' || fired->weight == fired->samples * info.period),
	     "%" PRIu64 " samples weigh %" PRIu64, (uint64_t)fired->samples, (uint64_t)fired->weight);
	is_all_there(session, &from, &to, (struct halted){ 0, 0 }, "period");
}

static void clocks(struct tprof_session *session)
{
	change_clock(session, 97, 0);
	change_clock(session, 4001, 0);
	change_clock(session, 0, 3000000);
	change_clock(session, 0, 1000000);
	change_clock(session, 997, 0);
}

/* An event whose rate is unknown: a fixed period gives the weight of all samples. @scale: for frequent events. */
static void others(struct tprof_session *session, uint64_t scale)
{
	for (uint64_t period = 100 * scale; period < 2000 * scale; period += 600 * scale) {
		int err = tprof_session__set_period(session, 0, period);
		struct tprof_ledger ledger;

		tell(!err, "%s", err ? tprof_session__error(session) : "changed");
		take(session, &sum, "change");
		tprof_session__wait(session, 200);
		ledger = take(session, &sum, "period");
		tell(ledger.fired.weight == ledger.fired.samples * period, "%" PRIu64 " samples with period %" PRIu64,
		     (uint64_t)ledger.fired.samples, period);
	}
	tell(!tprof_session__set_rate(session, 0, 499), "back to a rate");
	tprof_session__wait(session, 2500);
	tell(info_of(session).rate_hz == 499, "period %" PRIu64 " for it", (uint64_t)info_of(session).period);
	/* Many samples for what follows. */
	tell(!tprof_session__set_period(session, 0, 100 * scale), "a short period");
}

static void burn(unsigned int ms)
{
	uint64_t end_ns = now_ns() + ms * 1000000ULL;

	while (now_ns() < end_ns)
		;
}

/*
 * An emulated machine misses many samples, now few and now many, but its counters count as much as before; not three
 * times as much, as they do if they count while the session is halted. @before, @after: samples with the missed ones.
 */
static bool counts_as_before(uint64_t before, uint64_t before_ns, uint64_t after, uint64_t after_ns)
{
	double rate_before = (double)before / (double)before_ns * 1e9;
	double rate_after = (double)after / (double)after_ns * 1e9;

	printf("# %.0f samples/s before, %.0f samples/s afterwards\n", rate_before, rate_after);
	return rate_after < 2 * rate_before;
}

/* What is missing is what the counters have counted beyond the samples. */
static uint64_t nr_missed(const struct tprof_ledger *ledger)
{
	return ledger->lost[TPROF_LOST_ENGINE_MISSED].samples;
}

/*
 * Nothing is sampled between @halt and @go_on, and the time between them is missing nowhere: neither in the counters,
 * nor in the ledger, nor as lost samples afterwards.
 */
static void interrupt(struct tprof_session *session, const char *what, int (*halt)(struct tprof_session *session),
		      int (*go_on)(struct tprof_session *session))
{
	struct taken from = take_timed(session, what), to;
	struct tprof_ledger begin = ledger_of(session), before, during;
	struct tprof_info info = info_of(session);
	uint64_t duration_ns = sum.duration_ns, before_ns, after_ns, went_on_ns, nr_before;
	struct halted halted;
	bool as_before;
	double usual, usual_missed;
	int err;

	/* How it usually is */
	burn(200);
	before_ns = now_ns();
	err = halt(session);
	after_ns = now_ns();
	tell(!err, "%s: %s", what, err ? tprof_session__error(session) : "it halts");
	before = ledger_of(session);
	burn(500);
	during = ledger_of(session);
	tell(before.fired.samples == during.fired.samples && before.fired.weight == during.fired.weight,
	     "%s: no sample", what);
	tell(!memcmp(before.lost, during.lost, sizeof(before.lost)), "%s: nor is any lost", what);
	went_on_ns = now_ns();
	halted.least_ns = went_on_ns - after_ns;
	err = go_on(session);
	halted.most_ns = now_ns() - before_ns;
	tell(!err, "%s: %s", what, err ? tprof_session__error(session) : "it goes on");
	burn(200);
	tprof_session__wait(session, 10);
	to = take_timed(session, what);
	duration_ns = sum.duration_ns - duration_ns;
	tell(to.ledger.fired.samples > 0, "%s: %" PRIu64 " more samples", what, (uint64_t)to.ledger.fired.samples);
	tell(duration_ns <= to.after_ns - from.before_ns - halted.least_ns, "%s: not in the duration of %.3f s", what,
	     (double)duration_ns / 1e9);
	nr_before = before.fired.samples - begin.fired.samples;
	as_before = counts_as_before(nr_before, before_ns - from.before_ns, to.ledger.fired.samples - nr_before,
				     to.after_ns - went_on_ns);
	usual = (double)nr_missed(&before) / (double)before.fired.samples;
	usual_missed = (2 * usual + 0.1) * (double)to.ledger.fired.samples + 2 * info.nr_cpus;
	tell(as_before || (double)nr_missed(&to.ledger) <= usual_missed,
	     "%s: %" PRIu64 " of %" PRIu64 " samples missed, %.3f before", what, nr_missed(&to.ledger),
	     (uint64_t)to.ledger.fired.samples, usual);
	if (strcmp(info.unit, "ns") == 0)
		is_all_there(session, &from, &to, halted, what);
}

/* Everything so far is discarded, and told; the session begins anew. */
static void clear(struct tprof_session *session)
{
	struct tprof_ledger cleared = { .sz = sizeof(cleared) }, all, rest;
	uint64_t from_ns;
	int err;

	burn(100);
	err = tprof_session__clear(session, &cleared);
	tell(!err, "clear: %s", err ? tprof_session__error(session) : "it is empty");
	tell(cleared.fired.samples > 0 && !tprof_ledger__difference(&cleared).samples &&
	     !tprof_ledger__difference(&cleared).weight, "clear: %" PRIu64 " samples, the ledger closes",
	     (uint64_t)cleared.fired.samples);
	/* On engine kmod, what changes cut off is in its counters. */
	if (info_of(session).engine[0] == 'p')
		tell((double)cleared.fired.samples >= cleared.counter - 2 * info_of(session).nr_cpus,
		     "clear: the counters had %.1f", cleared.counter);
	memset(&sum, 0, sizeof(sum));
	burn(100);
	tell(!tprof_session__flush(session), "flush");
	tell(!tprof_session__stop(session), "stop");
	take(session, &sum, "rest");
	rest = ledger_of(session);
	tell(sum.ledger.fired.samples == rest.fired.samples && rest.fired.samples < cleared.fired.samples,
	     "clear: %" PRIu64 " samples since then", (uint64_t)rest.fired.samples);
	/* Afresh. */
	all = (struct tprof_ledger){ .sz = sizeof(all) };
	tell(!tprof_session__clear(session, &all) && all.fired.samples == rest.fired.samples &&
	     all.fired.weight == rest.fired.weight, "clear when stopped: the same");
	rest = ledger_of(session);
	tell(!rest.fired.samples && !rest.fired.weight && !rest.countings[0].samples, "the ledger is empty");
	memset(&sum, 0, sizeof(sum));
	from_ns = now_ns();
	tell(!tprof_session__start(session), "start afresh");
	burn(100);
	take(session, &sum, "afresh");
	tell(sum.duration_ns <= now_ns() - from_ns, "a duration of %.3f s",
	     (double)sum.duration_ns / 1e9);
}

int main(int argc, char **argv)
{
	TPROF_OPTS(tprof_session_opts, opts, .engine = argv[1], .event = argc > 2 ? argv[2] : NULL, .rate_hz = 997);
	struct tprof_session *session;
	struct tprof_info info;
	pid_t busy;

	if (argc < 3)
		bail("arguments", "ENGINE EVENT [sandbox]");
	busy = strcmp(argv[2], "page-faults") == 0 ? fault() : spin();
	/* On all CPUs: the kernel's clock of an idle CPU may stand still until its next tick. */
	for (long cpu = 1; cpu < sysconf(_SC_NPROCESSORS_ONLN) && strcmp(argv[2], "page-faults"); cpu++)
		spin();
	session = start_session_in(&opts, "top", argc > 3 ? &busy : NULL);
	info = info_of(session);
	tprof_session__wait(session, 300);
	if (strcmp(info.unit, "ns") == 0)
		clocks(session);
	else
		others(session, strcmp(argv[2], "page-faults") ? 10000 : 1);
	interrupt(session, "pause", tprof_session__pause, tprof_session__resume);
	interrupt(session, "stop", tprof_session__stop, tprof_session__start);
	clear(session);
	tell(tprof_session__start(session) == -EBUSY, "%s", tprof_session__error(session));
	tell(!tprof_session__pause(session) && tprof_session__start(session) == -EBUSY, "%s; %s",
	     tprof_session__error(session), tprof_session__hint(session));
	tell(!tprof_session__stop(session) && tprof_session__resume(session) == -EBUSY, "%s; %s",
	     tprof_session__error(session), tprof_session__hint(session));
	take(session, &sum, "end");
	closes(session, &sum, argv[2]);
	if (info.engine[0] == 'p') {
		const struct tprof_ledger ledger = ledger_of(session);

		tell(off_by(&ledger) <= info.nr_cpus, "%.1f samples from the counters", off_by(&ledger));
	}
	tprof_session__close(session);
	end(busy);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
