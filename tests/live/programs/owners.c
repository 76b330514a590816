// SPDX-License-Identifier: GPL-2.0-only
/*
 * The owners of objects: a filter belongs to one session, and a prepared session to one process, also after fork().
 * Compares the results with the header and prints TAP.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "tprof.h"
#include "tprof_sandbox.h"

static struct tprof_session *open_with(const char *name)
{
	TPROF_OPTS(tprof_session_opts, opts, .engine = "perf", .event = "cpu-clock");
	struct tprof_session *session = tprof_session__open(&opts, NULL);

	if (!session || (name && tprof_session__add_filter(session, tprof_filter__open(name, NULL)))) {
		puts("Bail out! no session");
		_exit(1);
	}
	return session;
}

/* A filter runs in one session, and not after a check. A filter that was refused for its owner stays usable there. */
static void pass_filters(void)
{
	struct tprof_session *session = open_with(NULL), *other = open_with(NULL);
	struct tprof_filter *filter = tprof_filter__open("top", NULL), *checked = tprof_filter__open("top", NULL);
	struct tprof_check check = { .sz = sizeof(check) };

	tell(!tprof_session__add_filter(session, filter), "add_filter");
	tell(tprof_session__add_filter(session, filter) == -EBUSY, "add_filter again: %s",
	     tprof_session__error(session));
	tell(tprof_session__add_filter(other, filter) == -EBUSY && tprof_session__hint(other)[0],
	     "add_filter to another session: %s", tprof_session__error(other));
	tell(!tprof_filter__check(checked, "perf", &check), "check");
	tell(tprof_session__add_filter(session, checked) == -EBUSY && tprof_session__hint(session)[0],
	     "add_filter after a check: %s", tprof_session__error(session));
	tell(tprof_session__raw_begin(other, STDERR_FILENO) == -EINVAL &&
	     strstr(tprof_session__error(other), "0 filters"), "raw_begin: %s", tprof_session__error(other));
	tell(!tprof_session__start(session), "start with the filter that was added once: %s",
	     tprof_session__error(session));
	tprof_session__close(other);
	tprof_session__close(session);
}

static int nothing(void *ctx, const struct tprof_sample *sample)
{
	(void)ctx;
	(void)sample;
	return 0;
}

/* Calls of a child process. Returns 0, or the number of the group of which a call was not refused. */
static int refused_in_child(struct tprof_session *session)
{
	struct tprof_ledger counts = { .sz = sizeof(counts) };
	struct tprof_raw_sum sum = { .sz = sizeof(sum) };

	errno = 0;
	if (tprof_session__snapshot(session) || errno != EBUSY ||
	    !strstr(tprof_session__error(session), "belongs to process"))
		return 1;
	if (tprof_session__stop(session) != -EBUSY || tprof_session__dispatch(session) != -EBUSY ||
	    tprof_session__wait(session, 1) != -EBUSY ||
	    tprof_session__ledger(session, &counts) != -EBUSY ||
	    tprof_session__read_samples(session, nothing, NULL) != -EBUSY)
		return 2;
	if (tprof_session__start(session) != -EBUSY || tprof_session__prepare(session) != -EBUSY ||
	    tprof_session__pin(session) != -EBUSY || tprof_session__sandbox(session, NULL) != -EBUSY ||
	    tprof_session__add_pid(session, getpid()) != -EBUSY ||
	    tprof_session__raw_end(session, &sum) != -EBUSY)
		return 3;
	tprof_session__close(session);
	return 0;
}

static uint64_t fired(struct tprof_session *session)
{
	struct tprof_ledger counts = { .sz = sizeof(counts) };

	return tprof_session__ledger(session, &counts) ? 0 : counts.fired.samples;
}

/* A child process that inherits a running session can neither use nor end it. */
static void fork_while_it_runs(void)
{
	struct tprof_session *session = open_with("top");
	struct tprof_profile *profile;
	struct tprof_tally open;
	uint64_t before;
	int status = -1;
	pid_t child;

	tell(!tprof_session__start(session), "start before fork: %s", tprof_session__error(session));
	child = fork();
	if (!child)
		_exit(refused_in_child(session));
	waitpid(child, &status, 0);
	tell(!status, "in a child: calls are refused, and close does nothing: status %#x", status);
	before = fired(session);
	/* On each CPU at 99 Hz, busy or not: 20 samples are due. */
	tell(!tprof_session__wait(session, 200) && fired(session) > before, "the parent goes on sampling");
	profile = tprof_session__snapshot(session);
	open = tprof_ledger__difference(tprof_profile__ledger(profile));
	tell(!open.samples && !open.weight, "the ledger of the parent closes");
	tprof_profile__free(profile);
	tprof_session__close(session);
}

/* A session that is not prepared is memory alone: a child can use its copy. */
static void fork_before_it_runs(void)
{
	struct tprof_session *session = open_with("top");
	pid_t child = fork();
	int status = -1;

	if (!child) {
		status = tprof_session__start(session) || tprof_session__wait(session, 1);
		tprof_session__close(session);
		_exit(status);
	}
	waitpid(child, &status, 0);
	tell(!status, "a child starts its copy of an opened session: status %#x", status);
	tell(!tprof_session__start(session), "the parent starts its own: %s", tprof_session__error(session));
	tprof_session__close(session);
}

int main(void)
{
	pass_filters();
	fork_while_it_runs();
	fork_before_it_runs();
	printf("1..%d\n", nr_told);
	return nr_failed ? 1 : 0;
}
