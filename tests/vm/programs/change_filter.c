// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_filter ENGINE EVENT [sandbox]: replaces the filter of a running session 100 times by another one and back:
 * functions, and call stacks. Each sample is counted by one of them, and the ledger goes on. Prints TAP.
 */
#include <sched.h>

#include "changes.h"

#define NR_CHANGES 100
#define CLOCK_NS 1000000	/* period of a clock; in units of other events: */
#define PERIOD 1

static struct sum sum;

static struct tprof_ledger since(const struct sum *before)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };

	ledger.fired.samples = sum.ledger.fired.samples - before->ledger.fired.samples;
	ledger.fired.weight = sum.ledger.fired.weight - before->ledger.fired.weight;
	ledger.lost[TPROF_LOST_ENGINE_MISSED].samples = sum.ledger.lost[TPROF_LOST_ENGINE_MISSED].samples -
							before->ledger.lost[TPROF_LOST_ENGINE_MISSED].samples;
	return ledger;
}

/* The same without changes, and with as many readings of the tables. */
static struct tprof_ledger stay(struct tprof_session *session)
{
	const struct sum before = sum;

	for (int i = 0; i < NR_CHANGES; i++) {
		tprof_session__wait(session, i % 3 * 5);
		take(session, &sum, "the same filter");
	}
	return since(&before);
}

static uint64_t missed(const struct tprof_ledger *ledger)
{
	return ledger->lost[TPROF_LOST_ENGINE_MISSED].samples;
}

/* Weight of the call stacks, and of all entries. */
static void weigh(const struct tprof_profile *profile, uint64_t *of_stacks, uint64_t *of_all)
{
	*of_stacks = *of_all = 0;
	for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile); i++)
		*of_stacks += tprof_profile__call_stack(profile, i)->weight;
	for (size_t i = 0; tprof_profile__entry(profile, i); i++)
		*of_all += tprof_profile__entry(profile, i)->weight;
}

/* An interval after a change has what the current filter counts; @both: the change was in it. */
static void looks_like(const struct tprof_profile *profile, bool stacks, bool both, const char *what)
{
	uint64_t of_stacks, of_all;
	bool good;

	weigh(profile, &of_stacks, &of_all);
	good = both ? of_stacks > 0 && of_stacks < of_all : of_stacks == (stacks ? of_all : 0) && of_all > 0;
	if (!good)
		tell(false, "%s: %" PRIu64 " of %" PRIu64 " have call stacks", what, of_stacks, of_all);
}

static void once(struct tprof_session *session, struct tprof_filter *stacks)
{
	struct tprof_filter *top = tprof_session__filter(session, 0);
	struct tprof_profile *profile;
	int err;

	tprof_session__wait(session, 200);
	err = tprof_session__replace_filter(session, top, stacks);
	tell(!err, "replaced: %s", err ? tprof_session__error(session) : tprof_filter__name(stacks));
	tell(tprof_session__filter(session, 0) == stacks && !tprof_session__filter(session, 1), "it has the place");
	tprof_session__wait(session, 200);
	profile = take_profile(session, &sum, "the change");
	looks_like(profile, true, true, "functions, then stacks");
	tell(tprof_profile__nr_tables(profile) == 2 && !strcmp(tprof_profile__table_name(profile, 0), "top") &&
	     !strcmp(tprof_profile__table_name(profile, 1), "calls"), "the interval has the tables of both");
	tell(tprof_profile__nr_rows(profile, 0) && tprof_profile__nr_rows(profile, 1), "with rows in both");
	tprof_profile__free(profile);
	tprof_session__wait(session, 200);
	profile = take_profile(session, &sum, "stacks");
	looks_like(profile, true, false, "stacks");
	tell(tprof_profile__nr_tables(profile) == 1, "the next has those of one");
	tprof_profile__free(profile);
	err = tprof_session__replace_filter(session, stacks, top);
	tell(!err, "back: %s", err ? tprof_session__error(session) : tprof_filter__name(top));
	tprof_profile__free(take_profile(session, &sum, "back"));
	tprof_session__wait(session, 200);
	profile = take_profile(session, &sum, "functions");
	looks_like(profile, false, false, "functions");
	tprof_profile__free(profile);
}

/* Snapshots end anywhere between the changes, so that several changes are in one interval, or one, or none. */
static struct tprof_ledger many(struct tprof_session *session, struct tprof_filter *other)
{
	const struct sum before = sum;
	int failed = 0;

	for (int i = 0; i < NR_CHANGES; i++) {
		struct tprof_filter *current = tprof_session__filter(session, 0);

		failed += tprof_session__replace_filter(session, current, other) != 0;
		other = current;
		tprof_session__wait(session, i % 3 * 5);
		if (i % 5 == 4)
			take(session, &sum, "interval");
	}
	tell(!failed, "replaced %d times%s%s", NR_CHANGES, failed ? ": " : "",
	     failed ? tprof_session__error(session) : "");
	take(session, &sum, "the last interval");
	return since(&before);
}

/* Pauses, stops, and changes while nothing is sampled. */
static void halted(struct tprof_session *session, struct tprof_filter *stacks)
{
	struct tprof_filter *top = tprof_session__filter(session, 0);
	int err = tprof_session__pause(session);

	if (!err)
		err = tprof_session__replace_filter(session, top, stacks);
	if (!err)
		err = tprof_session__resume(session);
	tell(!err, "in a pause: %s", err ? tprof_session__error(session) : "replaced");
	tprof_session__wait(session, 100);
	tell(!tprof_session__stop(session), "stop");
	err = tprof_session__replace_filter(session, stacks, top);
	tell(!err, "after a stop: %s", err ? tprof_session__error(session) : "replaced");
	tprof_session__wait(session, 10);
	tell(!tprof_session__start(session), "start again");
	tprof_session__wait(session, 100);
	tell(!tprof_session__stop(session), "stop again");
	take(session, &sum, "end");
}

/*
 * The kernel runs no program of a perf event on a CPU while a call of bpf(2) is working on a map there. A process that
 * is preempted in such a call would cause many missed samples.
 */
static void be_urgent(void)
{
	const struct sched_param urgent = { .sched_priority = 1 };

	sched_setscheduler(0, SCHED_FIFO, &urgent);
}

int main(int argc, char **argv)
{
	const pid_t busy = fault();
	const bool clock = argc > 2 && strstr(argv[2], "clock"), sandbox = argc > 3;
	TPROF_OPTS(tprof_session_opts, opts, .engine = argv[1], .event = argv[2], .tables = true, .pids = &busy,
		   .nr_pids = 1, .period = clock ? CLOCK_NS : PERIOD);
	struct tprof_sandbox_opts limits = { .sz = sizeof(limits), .command = busy };
	struct tprof_session *session = tprof_session__open(&opts, NULL);
	struct tprof_filter *stacks = tprof_filter__open("stacks", NULL);
	struct tprof_ledger quiet, changed;
	uint64_t from_ns, passed_ns;

	be_urgent();
	if (!session || !stacks || tprof_session__add_filter(session, tprof_filter__open("top", NULL)) ||
	    tprof_session__prepare(session) || tprof_session__load_filter(session, stacks) ||
	    (sandbox && tprof_session__sandbox(session, &limits)) || tprof_session__start(session))
		bail("start", session ? tprof_session__error(session) : "no session");
	once(session, stacks);
	from_ns = now_ns();
	quiet = stay(session);
	passed_ns = now_ns() - from_ns;
	from_ns = now_ns();
	changed = many(session, stacks);
	from_ns = now_ns() - from_ns;
	tell(missed(&changed) <= 10 + 3 * missed(&quiet) + changed.fired.samples / (clock ? 20 : 4000),
	     "%" PRIu64 " of %" PRIu64 " missed, without changes %" PRIu64 " of %" PRIu64, missed(&changed),
	     (uint64_t)changed.fired.samples, missed(&quiet), (uint64_t)quiet.fired.samples);
	if (clock)
		tell((double)changed.fired.weight / (double)from_ns >
		     0.8 * (double)quiet.fired.weight / (double)passed_ns,
		     "the clock: %.3f of %.3f s are in the ledger, without changes %.3f of %.3f s",
		     (double)changed.fired.weight / 1e9, (double)from_ns / 1e9, (double)quiet.fired.weight / 1e9,
		     (double)passed_ns / 1e9);
	halted(session, stacks);
	closes(session, &sum, "100 changes");
	tprof_session__close(session);
	end(busy);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
