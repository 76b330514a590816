// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the event loop of a client, and prints TAP: new samples wake it, without samples it sleeps, and reading ends
 * although more samples arrive. The sampled process is a child that is stopped and continued, so no test depends on
 * timing. The wakeups of each second are disabled, because they would hide missing ones.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session/session.h"
#include "tap.h"

/* Long enough for the slowest machine. */
#define PATIENCE_MS 60000
#define ENOUGH 7

static pid_t child;

static void bail(const char *what, const char *why)
{
	printf("Bail out! %s: %s\n", what, why);
	exit(1);
}

/* The child ------------------------------------------------------------------------------------------------ */

static void child_stops(void)
{
	int status;

	kill(child, SIGSTOP);
	waitpid(child, &status, WUNTRACED);
}

static void child_goes_on(void)
{
	kill(child, SIGCONT);
}

static void child_begins(void)
{
	volatile unsigned int spins = 0;

	child = fork();
	if (!child) {
		for (;;)
			spins++;
	}
	child_stops();
}

static void child_ends(void)
{
	if (child > 0)
		kill(child, SIGKILL);
}

/* The session ---------------------------------------------------------------------------------------------- */

static struct tprof_session *start(const char *name, uint64_t rate_hz, int nr_filters)
{
	const struct itimerspec never = { 0 };
	TPROF_OPTS(tprof_session_opts, opts, .engine = "perf", .event = "cpu-clock", .rate_hz = rate_hz,
		   .pids = &child, .nr_pids = 1);
	struct tprof_error error = { .text = "" };
	struct tprof_session *session = tprof_session__open(&opts, &error);

	if (!session)
		bail("open", error.text);
	for (int i = 0; i < nr_filters; i++) {
		struct tprof_filter *filter = tprof_filter__open(name, &error);

		if (!filter)
			bail(name, error.text);
		if (tprof_session__add_filter(session, filter))
			bail(name, tprof_session__error(session));
	}
	if (tprof_session__start(session))
		bail("start", tprof_session__error(session));
	timerfd_settime(session->timer_fd, 0, &never, NULL);
	return session;
}

static uint64_t nr_outcome(struct tprof_session *session, enum tprof_outcome outcome)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };

	if (tprof_session__ledger(session, &ledger))
		bail("ledger", tprof_session__error(session));
	/* A sample that did not fit into the stream would have been kept. */
	return ledger.outcomes[outcome].samples +
	       (outcome == TPROF_OUTCOME_KEPT ? ledger.lost[TPROF_LOST_STREAM_FULL].samples : 0);
}

static void await_outcome(struct tprof_session *session, enum tprof_outcome outcome, uint64_t nr)
{
	nr += nr_outcome(session, outcome);
	while (nr_outcome(session, outcome) < nr)
		usleep(1000);
}

static bool becomes_readable(struct tprof_session *session, int timeout_ms)
{
	struct pollfd loop = { .fd = tprof_session__epoll_fd(session), .events = POLLIN };

	return poll(&loop, 1, timeout_ms) == 1;
}

static void dispatch(struct tprof_session *session)
{
	if (tprof_session__dispatch(session))
		bail("dispatch", tprof_session__error(session));
}

/* Other processes may cause a few wakeups, and the child a last one, but not hundreds. */
static bool comes_to_rest(struct tprof_session *session)
{
	for (int i = 0; i < 300; i++) {
		dispatch(session);
		if (!becomes_readable(session, 0))
			return true;
	}
	return false;
}

static int count(void *ctx, const struct tprof_sample *sample)
{
	(void)sample;
	++*(int *)ctx;
	return 0;
}

static int take_one(void *ctx, const struct tprof_sample *sample)
{
	(void)ctx;
	(void)sample;
	return ENOUGH;
}

static int read_all(struct tprof_session *session)
{
	int counted = 0, nr = tprof_session__read_samples(session, count, &counted);

	if (nr != counted)
		tell(false, "%d samples were read, and %d said", counted, nr);
	return nr;
}

/* Tests ------------------------------------------------------------------------------------------------------ */

static void nobody_reads(void)
{
	struct tprof_session *session = start("pass", 997, 1);

	child_goes_on();
	await_outcome(session, TPROF_OUTCOME_KEPT, 50);
	child_stops();
	tell(comes_to_rest(session), "samples that nobody reads: comes to rest");
	tprof_session__close(session);
}

static void samples_are_left(void)
{
	struct tprof_session *session = start("pass", 997, 1);
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	uint64_t kept;
	int nr;

	read_all(session);
	child_goes_on();
	await_outcome(session, TPROF_OUTCOME_KEPT, 50);
	child_stops();
	tell(comes_to_rest(session), "samples that are not read yet: comes to rest");
	tell(tprof_session__read_samples(session, take_one, NULL) == ENOUGH, "one is read");
	tell(becomes_readable(session, 0), "the others are left: readable");
	tell(comes_to_rest(session), "the others are left: comes to rest");
	tprof_session__ledger(session, &ledger);
	kept = ledger.outcomes[TPROF_OUTCOME_KEPT].samples;
	nr = read_all(session);
	tell(nr > 0 && (uint64_t)nr + 1 == kept, "all others are read: %d", nr);
	tell(comes_to_rest(session), "all are read: comes to rest");
	tprof_session__close(session);
}

static bool one_batch(struct tprof_session *session)
{
	int nr = 0;

	child_goes_on();
	while (!nr && becomes_readable(session, PATIENCE_MS)) {
		dispatch(session);
		nr = read_all(session);
	}
	child_stops();
	return nr > 0 && comes_to_rest(session);
}

static void each_batch_wakes(void)
{
	struct tprof_session *session = start("pass", 4999, 1);
	int nr = 0;

	read_all(session);
	while (nr < 30 && one_batch(session)) {
		/* Samples that arrived after the read would suppress the next wakeup. */
		read_all(session);
		nr++;
	}
	tell(nr == 30, "each batch wakes: %d of 30", nr);
	tprof_session__close(session);
}

static void each_rest_wakes(void)
{
	struct tprof_session *session = start("pass", 4999, 1);
	int nr = 0;

	read_all(session);
	child_goes_on();
	while (nr < 300 && becomes_readable(session, PATIENCE_MS)) {
		dispatch(session);
		nr += tprof_session__read_samples(session, take_one, NULL) == ENOUGH;
	}
	child_stops();
	tell(nr == 300, "what is left of a batch wakes: %d of 300", nr);
	tprof_session__close(session);
}

static void young_copies_are_left(void)
{
	struct tprof_session *session = start("dwarf", 997, 1);

	for (int i = 0; i < 2; i++) {
		child_goes_on();
		while (!copies_are_many(session->copies))
			usleep(1000);
		child_stops();
		tell(becomes_readable(session, PATIENCE_MS), "ring of copies half full: readable");
		dispatch(session);
		tell(!copies_are_many(session->copies), "ring of copies half full: is read");
		child_goes_on();
		await_outcome(session, TPROF_OUTCOME_DONE, 20);
		child_stops();
		tell(comes_to_rest(session), "ring of copies not empty: comes to rest");
	}
	tprof_session__close(session);
}

struct slow {
	struct tprof_session *session;
	int nr, limit;
};

/* Waits for the next sample before it returns. */
static int read_slowly(void *ctx, const struct tprof_sample *sample)
{
	struct slow *slow = ctx;
	uint64_t before = nr_outcome(slow->session, TPROF_OUTCOME_KEPT);

	(void)sample;
	while (nr_outcome(slow->session, TPROF_OUTCOME_KEPT) == before)
		;
	return ++slow->nr > slow->limit ? ENOUGH : 0;
}

/* One read must not return more samples than all streams can hold. */
static void reading_ends(int nr_filters)
{
	struct tprof_session *session = start("pass", 20000, nr_filters);
	struct slow slow = { .session = session };
	int nr;

	for (int i = 0; i < nr_filters; i++)
		slow.limit += (int)(bpf_map__max_entries(filter_map(session->filters.all[i], TPROF_STREAM_NAME)) /
				    sizeof(struct tprof_sample));
	read_all(session);
	child_goes_on();
	await_outcome(session, TPROF_OUTCOME_KEPT, 100);
	nr = tprof_session__read_samples(session, read_slowly, &slow);
	tell(nr == slow.nr && nr > 0, "filters: %d: samples that come as fast as they are read: %d, ends", nr_filters,
	     slow.nr);
	tell(read_all(session) > 0, "filters: %d: those that came meanwhile are read next", nr_filters);
	child_stops();
	tprof_session__close(session);
}

int main(void)
{
	atexit(child_ends);
	child_begins();
	if (child < 0)
		bail("fork", "no child");
	reading_ends(1);
	reading_ends(2);
	nobody_reads();
	samples_are_left();
	each_batch_wakes();
	each_rest_wakes();
	young_copies_are_left();
	printf("1..%d\n", nr_told);
	return nr_failed ? 1 : 0;
}
