// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_cpus ENGINE EVENT [sandbox]: CPU 1 comes online during a session, goes offline, and comes again. Prints TAP.
 */
#include <fcntl.h>
#include <sched.h>

#include "changes.h"

static struct sum sum;

/*
 * A child that does what this process cannot do in a sandbox: a request of one letter, and a process id as the answer.
 * '0', '1': CPU 1 goes offline, comes online. 's': starts a process that is busy on CPU 1. 'e': ends it.
 */
static int requests[2], answers[2];

static void set_online(bool online)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, online ? "1" : "0", 1) != 1)
		bail("CPU 1", strerror(errno));
	close(fd);
}

static pid_t spin_there(void)
{
	const pid_t pid = spin();
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(1, &cpus);
	if (sched_setaffinity(pid, sizeof(cpus), &cpus))
		bail("affinity", strerror(errno));
	return pid;
}

static void start_helper(void)
{
	pid_t busy = 0;
	char letter;

	if (pipe(requests) || pipe(answers))
		bail("pipe", strerror(errno));
	if (fork()) {
		close(requests[0]);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(requests[1]);
	while (read(requests[0], &letter, 1) == 1) {
		if (letter == 's')
			busy = spin_there();
		else if (letter == 'e')
			end(busy);
		else
			set_online(letter == '1');
		if (write(answers[1], &busy, sizeof(busy)) != sizeof(busy))
			break;
	}
	exit(0);
}

static pid_t ask(char letter)
{
	pid_t pid;

	if (write(requests[1], &letter, 1) != 1 || read(answers[0], &pid, sizeof(pid)) != sizeof(pid))
		bail("the helper", strerror(errno));
	return pid;
}

/* A process that is busy on CPU 1 is sampled within some seconds. */
static void sampled(struct tprof_session *session, const char *what)
{
	const pid_t pid = ask('s');
	uint64_t samples = 0;

	for (int tries = 0; tries < 40 && samples < 20; tries++) {
		struct tprof_profile *profile;
		const struct tprof_entry *entry;

		tprof_session__wait(session, 500);
		profile = take_profile(session, &sum, what);
		for (size_t i = 0; (entry = tprof_profile__entry(profile, i)); i++)
			samples += entry->pid == pid ? entry->samples : 0;
		tprof_profile__free(profile);
	}
	tell(samples >= 20, "%s: %" PRIu64 " samples", what, samples);
	ask('e');
}

static struct tprof_session *start_in(bool sandbox, const char *engine, const char *event)
{
	struct tprof_event_opts events[2] = {
		{ .sz = sizeof(*events), .event = event, .rate_hz = 997 },
		{ .sz = sizeof(*events), .event = "context-switches", .period = 100 },
	};
	TPROF_OPTS(tprof_session_opts, opts, .engine = engine, .events = events, .nr_events = 2);
	const pid_t self = getpid();

	return start_session_in(&opts, "top", sandbox ? &self : NULL);
}

int main(int argc, char **argv)
{
	struct tprof_info info = { .sz = sizeof(info) };
	struct tprof_session *session;

	if (argc < 3)
		bail("arguments", "ENGINE EVENT [sandbox]");
	start_helper();
	ask('0');
	session = start_in(argc > 3, argv[1], argv[2]);
	tprof_session__info(session, &info);
	tell(info.nr_cpus == 1 && info.nr_online == 1, "one CPU is online");
	tprof_session__wait(session, 500);
	ask('1');
	sampled(session, "it comes");
	tprof_session__info(session, &info);
	tell(info.nr_cpus == 2 && info.nr_online == 2, "two CPUs are sampled");
	for (int i = 0; i < 3; i++) {
		ask('0');
		tprof_session__wait(session, 300);
		if (i == 1)
			tell(!tprof_session__set_rate(session, 0, 1999), "another rate while it is offline: %s",
			     tprof_session__error(session));
		if (i == 2)
			tell(!tprof_session__pause(session), "a pause while it is offline");
		ask('1');
		if (i == 2)
			tell(!tprof_session__resume(session), "resumed");
		sampled(session, "it comes again");
	}
	tell(!tprof_session__stop(session), "stop");
	take(session, &sum, "end");
	closes(session, &sum, "CPUs");
	tprof_session__close(session);
	printf("1..%d\n", nr_told);
	return nr_failed > 0;
}
