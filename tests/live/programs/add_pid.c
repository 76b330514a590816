// SPDX-License-Identifier: GPL-2.0-only
/*
 * add_pid PID ADDED: samples the first process and adds the second to the running session, then prints a line. When its
 * input ends, prints the number of counted samples. With EVENT in the environment, it counts that event, and adds the
 * process after 0.3 s.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tprof.h"

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s\n", what, why);
	return 1;
}

int main(int argc, char **argv)
{
	pid_t first = argc == 3 ? atoi(argv[1]) : 0, second = argc == 3 ? atoi(argv[2]) : 0;
	const char *event = getenv("EVENT");
	const struct tprof_session_opts opts = {
		.sz = sizeof(opts), .engine = getenv("ENGINE"), .rate_hz = event ? 0 : 997, .pids = &first,
		.nr_pids = 1, .event = event,
	};
	struct pollfd input = { .fd = 0, .events = POLLIN };
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_error error = { 0 };
	struct tprof_session *session = tprof_session__open(&opts, &error);

	if (!session)
		return fail("open", error.text);
	if (tprof_session__add_filter(session, tprof_filter__open("top", &error)) ||
	    tprof_session__start(session) || (event && tprof_session__wait(session, 300)) ||
	    tprof_session__add_pid(session, second))
		return fail("start", tprof_session__error(session));
	puts("added");
	fflush(stdout);
	while (!poll(&input, 1, 0))
		if (tprof_session__wait(session, 100))
			return fail("wait", tprof_session__error(session));
	if (tprof_session__stop(session) || tprof_session__ledger(session, &ledger))
		return fail("stop", tprof_session__error(session));
	printf("%llu\n", (unsigned long long)ledger.outcomes[TPROF_OUTCOME_DONE].samples);
	tprof_session__close(session);
	return 0;
}
