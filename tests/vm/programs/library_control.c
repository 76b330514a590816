// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls of the library that only the engine kmod has: a filter that exceeded its budget is called again, and a sealed
 * session refuses another target. The argument is a filter that takes long. Prints TAP.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tprof.h"

static int nr_told, nr_failed;

static void tell(bool good, const char *what, int got)
{
	printf("%sok %d - %s\n", good ? "" : "not ", ++nr_told, what);
	if (!good)
		printf("# got %d (%s)\n", got, strerror(got < 0 ? -got : got));
	nr_failed += !good;
}

static uint64_t over_budget(struct tprof_session *session)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };

	return tprof_session__ledger(session, &ledger) ? 0 : ledger.lost[TPROF_LOST_OVER_BUDGET].samples;
}

/* Returns what the library says once the filter is disabled. */
static int enable(struct tprof_session *session)
{
	int got = 0;

	for (int i = 0; i < 600 && !got; i++) {
		tprof_session__wait(session, 20);
		got = tprof_session__enable_filters(session);
	}
	return got;
}

static void budget(struct tprof_session *session)
{
	int got = enable(session);

	tell(got == -EAGAIN, "a filter that has just exceeded its budget is not called again", got);
	tell(strstr(tprof_session__error(session), "budget") != NULL, tprof_session__error(session), 0);
	tell(tprof_session__hint(session)[0], tprof_session__hint(session), 0);
	for (int i = 0; i < 200 && got == -EAGAIN; i++) {
		tprof_session__wait(session, 20);
		got = tprof_session__enable_filters(session);
	}
	tell(got == 1, "a second later, it is", got);
	tell(over_budget(session) > 0, "the ledger has the samples that it did not see", 0);
}

static void state(struct tprof_session *session)
{
	struct tprof_filter_state state = { .sz = sizeof(state) }, none = { 0 };
	int got = tprof_session__filter_state(session, 0, &state);

	tell(!got && state.name && state.name[0] && state.calls > 0 && state.run_ns >= state.longest_ns &&
	     state.longest_ns > 0, "the filter has a state", got);
	got = tprof_session__filter_state(session, 1, &state);
	tell(got == -ENOENT, tprof_session__error(session), got);
	got = tprof_session__filter_state(session, 0, &none);
	tell(got == -EINVAL, tprof_session__error(session), got);
}

static void seal(struct tprof_session *session)
{
	int got = tprof_session__add_pid(session, getpid());

	tell(!got, "a target can be added", got);
	got = tprof_session__seal(session);
	tell(!got, "the session is sealed", got);
	got = tprof_session__add_pid(session, getppid());
	tell(got == -EPERM, "now a target cannot", got);
	tell(tprof_session__error(session)[0], tprof_session__error(session), 0);
}

int main(int argc, char **argv)
{
	const pid_t pids[] = { getppid() };
	const struct tprof_session_opts opts = {
		.sz = sizeof(opts), .engine = "kmod", .rate_hz = 2000, .pids = pids, .nr_pids = 1,
	};
	struct tprof_error error = { 0 };
	struct tprof_session *session = tprof_session__open(&opts, &error);
	int got;

	tell(session && argc > 1, error.text[0] ? error.text : "a session", errno);
	if (!session || argc < 2)
		return 1;
	got = tprof_session__seal(session);
	tell(got == -EINVAL, "a session that is not prepared cannot be sealed", got);
	got = tprof_session__enable_filters(session);
	tell(got == -EINVAL, "nor are its filters enabled", got);
	got = tprof_session__add_filter(session, tprof_filter__open(argv[1], &error));
	got = got ? got : tprof_session__start(session);
	tell(!got, got ? tprof_session__error(session) : "it starts", got);
	budget(session);
	state(session);
	seal(session);
	got = tprof_session__stop(session);
	tell(!got, "it stops", got);
	tprof_session__close(session);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
