// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session ends when its last descriptor is closed, also if other processes have inherited the descriptor or received
 * it over a socket, and its creator has ended.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "socket.h"

static int device;
static int sockets[2];

static int make_and_send(void)
{
	int session = create_session(device);

	if (session < 0 || add_timer(session, MS) || ioctl(session, TPROF_IOC_START))
		return 1;
	return send_fd(sockets[1], session) ? 2 : 0;
}

/* Whether the session still has new samples. */
static bool samples_come(int session)
{
	uint64_t before = read_ledger(session, -1).fired.samples;

	burn(30 * MS);
	flush(session);
	return read_ledger(session, -1).fired.samples > before;
}

static void passed(void)
{
	int session;

	need(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "sockets");
	is(in_child(make_and_send), 0, "a child makes a session, starts it, sends it, and ends");
	is(open_sessions(device), 1, "the session lives while its descriptor is on the way");
	session = receive_fd(sockets[0], 0);
	need(session >= 0, "a descriptor comes");
	is(read_session(session).state, TPROF_SESSION_RUNNING, "it came, and runs");
	check(samples_come(session), "it gets samples");
	is(ioctl(session, TPROF_IOC_STOP), 0, "who has it may stop it");
	is(close(session), 0, "and close it");
	is(open_sessions(device), 0, "then it is gone");

	is(in_child(make_and_send), 0, "another one");
	close(sockets[0]);
	close(sockets[1]);
	is(open_sessions(device), 0, "that nobody takes out of the socket is gone with the socket");
}

static int inherited;

static int close_it(void)
{
	return close(inherited) || ioctl(inherited, TPROF_IOC_STOP) != -1 || errno != EBADF;
}

static int leave_it(void)
{
	return 0;
}

static int stop_it(void)
{
	return ioctl(inherited, TPROF_IOC_STOP);
}

static void forked(void)
{
	pid_t pid;

	inherited = create_session(device);
	need(inherited >= 0 && add_timer(inherited, MS) == 0 && ioctl(inherited, TPROF_IOC_START) == 0,
	     "a session starts");
	is(in_child(close_it), 0, "a child that closes it has it no more");
	check(samples_come(inherited), "the parent has");
	is(in_child(leave_it), 0, "a child ends with the descriptor open");
	check(samples_come(inherited), "the session lives");
	is(in_child(stop_it), 0, "a child stops it");
	is(read_session(inherited).state, TPROF_SESSION_STOPPED, "the parent sees that");
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	close(inherited);
	is(open_sessions(device), 1, "the parent closes it, and it lives in the child");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	is(open_sessions(device), 0, "until that is killed");
}

static void duplicated(void)
{
	int session = create_session(device), other = dup(session);
	int number;

	need(session >= 0 && other >= 0, "a session, twice");
	is(fcntl(session, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC, "the descriptor is close-on-exec");
	close(session);
	is(open_sessions(device), 1, "a duplicate keeps it");
	close(other);
	is(open_sessions(device), 0, "the last one ends it");
	session = create_session(device);
	number = read_session(session).id;
	close(session);
	session = create_session(device);
	check((int)read_session(session).id > number, "no session has the number of another");
	close(session);
}

int main(void)
{
	device = open_device();
	passed();
	forked();
	duplicated();
	return done_testing();
}
