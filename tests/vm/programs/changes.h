/* SPDX-License-Identifier: GPL-2.0-only */
/* For programs that change a running session: workloads, and checks that the ledger closes across the changes. */
#ifndef TPROF_TESTS_CHANGES_H
#define TPROF_TESTS_CHANGES_H

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../../live/programs/tap.h"
#include "tprof.h"
#include "tprof_sandbox.h"

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void bail(const char *what, const char *why)
{
	printf("Bail out! %s: %s\n", what, why);
	exit(1);
}

/* A child that is always busy, until the program ends. */
static inline pid_t spin(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (volatile unsigned long rounds = 0;; rounds++)
		;
}

/* Likewise, with page faults. */
static inline pid_t fault(void)
{
	const size_t bytes = 64 * 4096;
	pid_t pid = fork();
	char *pages;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (;;) {
		for (size_t at = 0; at < bytes; at += 4096)
			*(volatile char *)(pages + at) = 1;
		madvise(pages, bytes, MADV_DONTNEED);
	}
}

static inline void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* @busy: a child of this process; NULL: not in a sandbox. */
static inline struct tprof_session *start_session_in(struct tprof_session_opts *opts, const char *filter,
						     const pid_t *busy)
{
	struct tprof_sandbox_opts limits = { .sz = sizeof(limits), .command = busy ? *busy : 0 };
	struct tprof_error error = { 0 };
	struct tprof_session *session = tprof_session__open(opts, &error);

	if (!session)
		bail("open", error.text);
	if (tprof_session__add_filter(session, tprof_filter__open(filter, &error)) ||
	    (busy && tprof_session__sandbox(session, &limits)) || tprof_session__start(session))
		bail("start", error.text[0] ? error.text : tprof_session__error(session));
	return session;
}

static inline struct tprof_session *start_session(struct tprof_session_opts *opts, const char *filter)
{
	return start_session_in(opts, filter, NULL);
}

/* All profiles so far, added up. */
struct sum {
	struct tprof_ledger ledger;
	uint64_t rows, samples_of_rows;
	uint64_t duration_ns;
};

static inline void tally_add(struct tprof_tally *into, const struct tprof_tally *from)
{
	into->samples += from->samples;
	into->weight += from->weight;
}

/* Takes a snapshot, checks it, and adds it up. */
static inline struct tprof_profile *take_profile(struct tprof_session *session, struct sum *sum, const char *what)
{
	struct tprof_profile *profile = tprof_session__snapshot(session);
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_tally left, rows = { 0, 0 };

	if (!profile)
		bail(what, tprof_session__error(session));
	ledger = *tprof_profile__ledger(profile);
	left = tprof_ledger__difference(&ledger);
	for (size_t i = 0; tprof_profile__entry(profile, i); i++) {
		for (size_t e = 0; e < tprof_profile__nr_events(profile); e++) {
			const struct tprof_tally value = tprof_profile__entry_value(profile, i, e);

			tally_add(&rows, &value);
		}
	}
	if (left.samples || left.weight)
		tell(false, "%s: the ledger of the interval closes", what);
	if (rows.samples != ledger.countings[TPROF_COUNTING_AGGREGATED].samples ||
	    rows.weight != ledger.countings[TPROF_COUNTING_AGGREGATED].weight)
		tell(false, "%s: rows %" PRIu64 " of %" PRIu64 " samples", what, (uint64_t)rows.samples,
		     (uint64_t)ledger.countings[TPROF_COUNTING_AGGREGATED].samples);
	tally_add(&sum->ledger.fired, &ledger.fired);
	for (int i = 0; i < TPROF_NR_OUTCOMES; i++)
		tally_add(&sum->ledger.outcomes[i], &ledger.outcomes[i]);
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++)
		tally_add(&sum->ledger.lost[i], &ledger.lost[i]);
	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		tally_add(&sum->ledger.countings[i], &ledger.countings[i]);
	sum->duration_ns += tprof_profile__duration_ns(profile);
	return profile;
}

/* Returns the ledger of the next snapshot. */
static inline struct tprof_ledger take(struct tprof_session *session, struct sum *sum, const char *what)
{
	struct tprof_profile *profile = take_profile(session, sum, what);
	const struct tprof_ledger ledger = *tprof_profile__ledger(profile);

	tprof_profile__free(profile);
	return ledger;
}

static inline struct tprof_ledger ledger_of(struct tprof_session *session)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };

	if (tprof_session__ledger(session, &ledger))
		bail("ledger", tprof_session__error(session));
	return ledger;
}

/* The session is stopped, and its last snapshot was taken: the profiles have everything that the session counted. */
static inline void closes(struct tprof_session *session, const struct sum *sum, const char *what)
{
	const struct tprof_ledger ledger = ledger_of(session);
	const struct tprof_tally left = tprof_ledger__difference(&ledger);

	tell(!left.samples && !left.weight, "%s: the ledger closes, in samples and in weight", what);
	tell(!memcmp(&ledger.fired, &sum->ledger.fired, sizeof(ledger.fired)) &&
	     !memcmp(ledger.outcomes, sum->ledger.outcomes, sizeof(ledger.outcomes)) &&
	     !memcmp(ledger.lost, sum->ledger.lost, sizeof(ledger.lost)) &&
	     !memcmp(ledger.countings, sum->ledger.countings, sizeof(ledger.countings)),
	     "%s: the profiles add up to it", what);
	tell(ledger.countings[TPROF_COUNTING_AGGREGATED].samples > 0, "%s: samples were counted", what);
}

#endif
