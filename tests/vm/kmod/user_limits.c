// SPDX-License-Identifier: GPL-2.0-only
/*
 * The limits of a user: sessions, events, targets, streams. Each user has its own, a session counts for the user that
 * made it, wherever it goes, and what is closed or removed is given back. The list of users has the numbers.
 *
 * vm: all=arm64
 */
#include <sys/stat.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "scope.h"
#include "socket.h"
#include "source.h"

#define LIMIT(name)	"/sys/module/tprof/parameters/max_" name "_per_user"
#define OTHER		1000		/* a user that is not nobody */
#define ROOT_SHARE	16
#define PAGE		4096U

static int device, sockets[2];

/* Reads the columns of a user in the list, after the first; false: it does not have the user. */
static bool listed(uid_t uid, unsigned long long *numbers)
{
	const char *line = read_file("/sys/kernel/debug/tprof/users");
	unsigned int found;

	while ((line = strchr(line, '\n')) && *++line) {
		if (sscanf(line, "%u\t%llu\t%llu\t%llu\t%llu\t%llu", &found, &numbers[0], &numbers[1], &numbers[2],
			   &numbers[3], &numbers[4]) == 6 && found == uid)
			return true;
	}
	return false;
}

static void lists(uid_t uid, unsigned int nr_sessions, unsigned int nr_events, unsigned int nr_targets,
		  unsigned int stream_bytes, unsigned int nr_waits, const char *when)
{
	unsigned long long numbers[5] = { 0 };
	bool there = listed(uid, numbers);

	if (!check(there && numbers[0] == nr_sessions && numbers[1] == nr_events && numbers[2] == nr_targets &&
		   numbers[3] == stream_bytes && numbers[4] == nr_waits, "the list of users: %s", when))
		diag("%s: %llu %llu %llu %llu %llu", there ? "there" : "not there", numbers[0], numbers[1], numbers[2],
		     numbers[3], numbers[4]);
}

static void set_limit(const char *path, const char *value)
{
	need(write_file(path, value) == 0, "%s is %s", path, value);
}

static void defaults(void)
{
	is(atoi(read_file(LIMIT("sessions"))), 1024, "sessions: 1,024 by default");
	is(atoi(read_file(LIMIT("events"))), 2048, "events: 2,048 by default");
	is(atoi(read_file(LIMIT("waits"))), 16, "off-cpu and wakeup: 16 by default");
	is(atoi(read_file(LIMIT("targets"))), 65536, "targets: 65,536 by default");
	is(atoi(read_file(LIMIT("stream_mb"))), 128, "streams: 128 MiB by default");
	check(strcmp(read_file("/sys/kernel/debug/tprof/users"),
		     "uid\tsessions\tevents\ttargets\tstream_bytes\twaits\n") == 0, "the list of users: none");
}

/* Their number until they are refused with EMFILE; they stay. */
static int make_sessions(void)
{
	int nr = 0;

	while (nr < 100 && create_session(device) >= 0)
		nr++;
	return errno == EMFILE ? nr : 200;
}

static int sessions_of_nobody(void)
{
	become_nobody(1ULL << CAP_PERFMON);
	return make_sessions();
}

static int sessions_of_other(void)
{
	become_user(OTHER, 1ULL << CAP_PERFMON);
	return make_sessions();
}

/* Makes as many as it may, has another user do that too, closes one, and makes it again. */
static int sessions_of_both(void)
{
	int session, nr;

	become_nobody(1ULL << CAP_PERFMON | 1ULL << CAP_SETUID | 1ULL << CAP_SETGID);
	session = create_session(device);
	nr = 1 + make_sessions();
	if (in_child(sessions_of_other) != nr || in_child(sessions_of_nobody) != 0)
		return 200;
	close(session);
	return create_session(device) >= 0 && create_session(device) < 0 ? nr : 201;
}

static void sessions(void)
{
	set_limit(LIMIT("sessions"), "3");
	is(in_child(sessions_of_nobody), 3, "a user has as many sessions as the parameter says");
	is(open_sessions(device), 0, "they end with the process");
	is(in_child(sessions_of_nobody), 3, "and are given back");
	is(in_child(sessions_of_both), 3, "two users do not share a limit; what is closed can be made again");
	is(in_child(make_sessions), 3 * ROOT_SHARE, "root may have 16 times as many");
	set_limit(LIMIT("sessions"), "0");
	is(in_child(sessions_of_nobody), 0, "0: none at all");
	set_limit(LIMIT("sessions"), "1");
}

static int make_and_send(void)
{
	int session;

	become_nobody(1ULL << CAP_PERFMON);
	session = create_session(device);
	if (session < 0 || add_timer(session, MS) || add_timer(session, MS) != 1)
		return 1;
	return send_fd(sockets[1], session) ? 2 : 0;
}

static void passed(void)
{
	int session;

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets");
	is(in_child(make_and_send), 0, "a user makes a session, sends it, and ends");
	session = receive_fd(sockets[0], 0);
	need(session >= 0, "root gets it");
	need(attach(session, TPROF_TARGET_PROCESS, getpid()) == 0 && configure(session, 0, PAGE) == 0,
	     "root adds a target and streams");
	lists(NOBODY, 1, 2, 1, 3 * PAGE * sysconf(_SC_NPROCESSORS_CONF), 0, "all of it is its creator's");
	is(in_child(sessions_of_nobody), 0, "it counts for its creator");
	close(session);
	is(in_child(sessions_of_nobody), 1, "until root closes it");
	set_limit(LIMIT("sessions"), "1024");
}

static int events_of_nobody(void)
{
	int first, second, nr = 0;

	become_nobody(1ULL << CAP_PERFMON);
	first = create_session(device);
	second = create_session(device);
	while (nr < 8 && add_timer(nr % 2 ? second : first, MS) >= 0)
		nr++;
	if (errno != ENOSPC)
		return 200;
	close(first);
	/* Half of them, and one more, were in the first. */
	return add_timer(second, MS) >= 0 ? nr : 201;
}

static void events(void)
{
	set_limit(LIMIT("events"), "5");
	is(in_child(events_of_nobody), 5, "events: of all sessions together, until a session is closed");
	set_limit(LIMIT("events"), "2048");
}

/* Off-cpu and wakeup together, however many other events there are. */
static int waits_of_nobody(void)
{
	int first, second, nr = 0;

	become_nobody(1ULL << CAP_PERFMON);
	first = create_session(device);
	second = create_session(device);
	while (nr < 8 && add_source(nr % 2 ? second : first, nr % 4 < 2 ? "off-cpu" : "wakeup", NULL, 1) >= 0)
		nr++;
	if (errno != ENOSPC || add_timer(second, MS) < 0)
		return 200;
	close(first);
	return add_source(second, "wakeup", NULL, 1) >= 0 ? nr : 201;
}

static void waits(void)
{
	int session = create_session(device);

	need(session >= 0 && add_source(session, "off-cpu", NULL, 1) == 0 &&
	     add_source(session, "wakeup", NULL, 1) == 1 && add_timer(session, MS) == 2, "root has waits and wake-ups");
	lists(0, 1, 3, 0, 0, 2, "waits and wake-ups");
	close(session);
	set_limit(LIMIT("waits"), "5");
	is(in_child(waits_of_nobody), 5, "off-cpu and wakeup: of all sessions together, until a session is closed");
	set_limit(LIMIT("waits"), "16");
}

/* A child that keeps no session. */
static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (!pid) {
		close_range(3, ~0U, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	waitpid(pid, NULL, WUNTRACED);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static int attached(int session, pid_t pid)
{
	return attach(session, TPROF_TARGET_PROCESS, pid) ? errno : 0;
}

static int targets_of_nobody(void)
{
	struct stat cgroup;
	int first, second;
	pid_t pids[5];

	become_nobody(1ULL << CAP_PERFMON);
	first = create_session(device);
	second = create_session(device);
	if (stat("/sys/fs/cgroup", &cgroup))
		return 1;
	/* One of each kind: three, which is the limit. */
	pids[0] = sleeper();
	if (attached(first, pids[0]) || attach(second, TPROF_TARGET_THREAD, pids[0]) ||
	    attach(second, TPROF_TARGET_CGROUP, cgroup.st_ino))
		return 2;
	pids[1] = sleeper();
	if (attached(first, pids[0]) || attached(first, pids[1]) != ENOSPC)
		return 3;
	if (attach(first, TPROF_TARGET_CGROUP, cgroup.st_ino) != -1 || errno != ENOSPC)
		return 4;
	if (detach(second, TPROF_TARGET_CGROUP, cgroup.st_ino) || attached(first, pids[1]))
		return 5;
	/* Targets that have ended make way. */
	end(pids[0]);
	end(pids[1]);
	for (int i = 2; i < 4; i++) {
		pids[i] = sleeper();
		if (attached(first, pids[i]))
			return 6;
	}
	/* A thread of the second session is the third of them. */
	pids[4] = sleeper();
	if (attached(first, pids[4]) != ENOSPC)
		return 7;
	close(second);
	if (attached(first, pids[4]))
		return 8;
	for (int i = 2; i < 5; i++)
		end(pids[i]);
	return 0;
}

/* Children of targets are not asked for. */
static int children_of_nobody(void)
{
	int session, wrong = 0;
	pid_t pids[10];

	become_nobody(1ULL << CAP_PERFMON);
	session = create_session(device);
	if (attached(session, getpid()))
		return 1;
	for (int i = 0; i < 10; i++)
		pids[i] = sleeper();
	if (attached(session, pids[9]))
		wrong = 2;
	for (int i = 0; i < 10; i++)
		end(pids[i]);
	return wrong;
}

static void targets(void)
{
	set_limit(LIMIT("targets"), "3");
	is(in_child(targets_of_nobody), 0,
	   "targets: of all kinds and sessions together; what is detached is given back");
	is(in_child(children_of_nobody), 0, "targets: not the children that they fork");
	set_limit(LIMIT("targets"), "65536");
}

static int streams_of_nobody(void)
{
	unsigned int nr_cpus = sysconf(_SC_NPROCESSORS_CONF), half = PAGE;
	int first, second;

	become_nobody(1ULL << CAP_PERFMON);
	first = create_session(device);
	second = create_session(device);
	/* The largest stream that takes more than half of 1 MiB, with the two pages that come with each ring. */
	while ((half + 2 * PAGE) * nr_cpus <= 1 << 19)
		half *= 2;
	if (configure(first, 0, half))
		return 1;
	if (configure(second, 0, half) != -1 || errno != ENOMEM)
		return 2;
	if (configure(first, 0, 0) || configure(second, 0, half))
		return 3;
	close(second);
	return configure(first, 0, half) ? 4 : 0;
}

static void streams(void)
{
	set_limit(LIMIT("stream_mb"), "1");
	is(in_child(streams_of_nobody), 0, "streams: of all sessions together, until they are given back");
	set_limit(LIMIT("stream_mb"), "128");
}

static void list(void)
{
	int session = create_session(device);
	unsigned long long numbers[5];

	need(session >= 0 && add_timer(session, MS) == 0, "root has a session");
	lists(0, 1, 1, 0, 0, 0, "root");
	is(listed(NOBODY, numbers), false, "the list of users: not those without a session");
	need(attach(session, TPROF_TARGET_PROCESS, getpid()) == 0, "with a target");
	lists(0, 1, 1, 1, 0, 0, "a target");
	need(detach(session, TPROF_TARGET_PROCESS, getpid()) == 0, "which it loses");
	need(configure(session, 0, PAGE) == 0, "with streams");
	lists(0, 1, 1, 0, 3 * PAGE * sysconf(_SC_NPROCESSORS_CONF), 0, "streams");
	close(session);
	is(listed(0, numbers), false, "the list of users: root without a session");
}

int main(void)
{
	device = open_device();
	defaults();
	sessions();
	passed();
	events();
	waits();
	targets();
	streams();
	list();
	return done_testing();
}
