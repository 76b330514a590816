// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loop of a client, which is never kept by what comes meanwhile: TAP. What is sampled is a child that is stopped and
 * goes on.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "session.h"

#define ENOUGH 7

static int nr_told, nr_failed;
static pid_t child;

static void __attribute__((format(printf, 2, 3))) tell(bool good, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printf("%sok %d - ", good ? "" : "not ", ++nr_told);
	vprintf(format, args);
	putchar('\n');
	fflush(stdout);
	va_end(args);
	nr_failed += !good;
}

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
	return session;
}

static uint64_t nr_outcome(struct tprof_session *session, enum tprof_outcome outcome)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };

	if (tprof_session__ledger(session, &ledger))
		bail("ledger", tprof_session__error(session));
	/* What the stream has no room for would have been kept. */
	return ledger.outcomes[outcome].samples +
	       (outcome == TPROF_OUTCOME_KEPT ? ledger.lost[TPROF_LOST_STREAM_FULL].samples : 0);
}

static void await_outcome(struct tprof_session *session, enum tprof_outcome outcome, uint64_t nr)
{
	nr += nr_outcome(session, outcome);
	while (nr_outcome(session, outcome) < nr)
		usleep(1000);
}

static int count(void *ctx, const struct tprof_sample *sample)
{
	(void)sample;
	++*(int *)ctx;
	return 0;
}

static int read_all(struct tprof_session *session)
{
	int counted = 0, nr = tprof_session__read_samples(session, count, &counted);

	if (nr != counted)
		tell(false, "%d samples were read, and %d said", counted, nr);
	return nr;
}

/* What is asked ---------------------------------------------------------------------------------------------- */

struct slow {
	struct tprof_session *session;
	int nr, limit;
};

/* Takes as long as the next sample takes to come. */
static int read_slowly(void *ctx, const struct tprof_sample *sample)
{
	struct slow *slow = ctx;
	uint64_t before = nr_outcome(slow->session, TPROF_OUTCOME_KEPT);

	(void)sample;
	while (nr_outcome(slow->session, TPROF_OUTCOME_KEPT) == before)
		;
	return ++slow->nr > slow->limit ? ENOUGH : 0;
}

/* More than fit into all streams cannot have been there when the reading began. */
static void reading_ends(int nr_filters)
{
	struct tprof_session *session = start("pass", 20000, nr_filters);
	struct slow slow = { .session = session };
	int nr;

	for (int i = 0; i < nr_filters; i++)
		slow.limit += (int)(bpf_map__max_entries(filter_map(session->filters[i], TPROF_STREAM_NAME)) /
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
	printf("1..%d\n", nr_told);
	return nr_failed ? 1 : 0;
}
