// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_broker: the broker of a session in a sandbox is killed. A clock then keeps its rate, other events can be
 * changed, and the session goes on. Prints TAP.
 */
#include <dirent.h>

#include "changes.h"

static struct sum sum;

static bool is_broker_of(pid_t parent, const char *pid)
{
	char path[300], name[32];
	int of = 0;
	FILE *file;
	bool is;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	file = fopen(path, "r");
	is = file && fscanf(file, "%*d (%31[^)]) %*c %d", name, &of) == 2 && of == parent &&
	     strcmp(name, "tprof-broker") == 0;
	if (file)
		fclose(file);
	return is;
}

/* A child that kills the broker of this process when it is told to, and ends. */
static pid_t start_killer(int fds[2])
{
	const pid_t parent = getpid();
	struct dirent *entry;
	pid_t pid;
	DIR *proc;
	char go;

	if (pipe(fds))
		bail("pipe", strerror(errno));
	pid = fork();
	if (pid)
		return pid;
	close(fds[1]);
	if (read(fds[0], &go, 1) != 1)
		_exit(1);
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc))) {
		if (is_broker_of(parent, entry->d_name))
			_exit(kill(atoi(entry->d_name), SIGKILL) != 0);
	}
	_exit(1);
}

int main(void)
{
	const struct tprof_event_opts events[] = {
		{ .sz = sizeof(*events), .event = "cpu-clock", .rate_hz = 499 },
		{ .sz = sizeof(*events), .event = "page-faults", .period = 10 },
	};
	TPROF_OPTS(tprof_session_opts, opts, .engine = "perf", .events = events, .nr_events = 2);
	struct tprof_event_info info = { .sz = sizeof(info) };
	int fds[2], status = 0, err;
	const pid_t busy = fault(), killer = start_killer(fds);
	struct tprof_session *session = start_session_in(&opts, "top", &busy);

	err = tprof_session__set_rate(session, 0, 997);
	tell(!err, "with the broker: %s", err ? tprof_session__error(session) : "another rate");
	tell(write(fds[1], "", 1) == 1 && waitpid(killer, &status, 0) == killer && !status, "the broker is killed");
	err = tprof_session__set_rate(session, 0, 99);
	tell(err == -ECHILD && strstr(tprof_session__error(session), "broker"), "without it: %s (%d)",
	     tprof_session__error(session), err);
	tprof_session__event(session, 0, &info);
	tell(info.rate_hz == 997, "the rate is still %" PRIu64, (uint64_t)info.rate_hz);
	err = tprof_session__set_period(session, 1, 20);
	tell(!err, "another event: %s", err ? tprof_session__error(session) : "another period");
	tprof_session__wait(session, 200);
	tell(!tprof_session__stop(session), "stop");
	take(session, &sum, "end");
	closes(session, &sum, "after all");
	tprof_session__close(session);
	end(busy);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
