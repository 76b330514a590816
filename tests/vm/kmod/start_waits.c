// SPDX-License-Identifier: GPL-2.0-only
/*
 * A session that starts waits while another one prepares an equal source, and while another process starts or stops
 * it. A signal ends such a wait with EINTR, or the process; it changes nothing for the session, which can be started
 * later, and for the others that wait. A process that is killed while it prepares a source prepares no other one.
 *
 * vm: machines=x86-64
 */
#include <signal.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"
#include "source.h"

#define SLOW		"/sys/module/tprof_burst/parameters/slow"
#define PREPARING	"/sys/module/tprof_burst/parameters/preparing"
#define PREPARED	"/sys/module/tprof_burst/parameters/prepared"
/* For what should happen at once: if it takes longer, the test fails. */
#define PATIENCE_MS	20000
#define SAMPLES		10

/* A child that makes a call of a session. */
struct call {
	pid_t pid;				/* written by the parent */
	volatile int made;
	volatile int error;			/* of the call; -1: it has not returned */
};

static int device;
static struct call *calls;

static void let_go(void)
{
	write_file(SLOW, "0");
}

static int new_session(const char *event)
{
	int session = create_session(device);

	need(session >= 0 && add_source(session, "burst", event, 1) == 0, "a session");
	return session;
}

static void handle(int number)
{
	(void)number;
}

static struct call *begin(int session, unsigned long request)
{
	const struct sigaction action = { .sa_handler = handle };	/* calls are not restarted */
	struct call *call = calls++;
	pid_t pid;

	call->error = -1;
	fflush(stdout);
	pid = fork();
	need(pid >= 0, "a child is made");
	if (pid) {
		call->pid = pid;
		return call;
	}
	sigaction(SIGUSR1, &action, NULL);
	call->made = 1;
	call->error = ioctl(session, request) == 0 ? 0 : errno;
	_exit(0);
}

/* Whether the process sleeps. One that nothing can interrupt, as before, does not. */
static bool sleeps(pid_t pid)
{
	char path[64];
	const char *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	end = strrchr(read_file(path), ')');
	return end && end[2] == 'S';
}

static bool within_time(bool (*is_true)(const struct call *call), const struct call *call)
{
	for (int i = 0; i < PATIENCE_MS && !is_true(call); i++)
		usleep(1000);
	return is_true(call);
}

static bool waits(const struct call *call)
{
	return call->made && sleeps(call->pid);
}

static bool has_returned(const struct call *call)
{
	return call->error >= 0;
}

static bool has_died(const struct call *call)
{
	return waitpid(call->pid, NULL, WNOHANG) == call->pid || kill(call->pid, 0) != 0;
}

static bool one_is_prepared(const struct call *call)
{
	(void)call;
	return atoi(read_file(PREPARING)) == 1;
}

static bool two_are_prepared(const struct call *call)
{
	(void)call;
	return atoi(read_file(PREPARING)) == 2;
}

static void interrupted(struct call *call, const char *what)
{
	check(within_time(waits, call), "%s waits", what);
	kill(call->pid, SIGUSR1);
	check(within_time(has_returned, call), "%s: a signal ends the wait", what);
	is(call->error, EINTR, "%s: with EINTR", what);
}

static void ended(struct call *call, const char *what)
{
	check(within_time(has_returned, call), "%s returns", what);
	is(call->error, 0, "%s succeeds", what);
	waitpid(call->pid, NULL, 0);
}

static void has_samples(int session, const char *what)
{
	struct tprof_ledger_read ledger = read_ledger(session, -1);

	is(ledger.outcomes[TPROF_OUTCOME_DONE].samples, SAMPLES, "%s: it has the samples", what);
	check(closes(&ledger), "%s: its ledger closes", what);
}

int main(void)
{
	struct call *first, *second, *third, *fourth, *fifth, *again, *stop;
	unsigned int users = 0;
	int a, b, c, d, e;

	device = open_device();
	pin(0);
	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	need(calls != MAP_FAILED, "shared memory");
	need(load_source("tprof_burst", "") == 0, "the source is there");
	a = new_session("process");
	b = new_session("process");
	c = new_session("process");
	d = new_session("process");
	e = new_session("hardirq");
	need(add_source(e, "burst", "softirq", 1) == 1, "one with two sources");
	need(write_file(SLOW, "1") == 0, "it takes long to prepare it");
	atexit(let_go);
	first = begin(a, TPROF_IOC_START);
	need(within_time(one_is_prepared, first), "the first session prepares it");
	second = begin(b, TPROF_IOC_START);
	third = begin(c, TPROF_IOC_START);
	fourth = begin(d, TPROF_IOC_START);
	fifth = begin(e, TPROF_IOC_START);
	need(within_time(two_are_prepared, fifth), "a session prepares the first of its two sources");
	again = begin(a, TPROF_IOC_START);
	stop = begin(a, TPROF_IOC_STOP);
	interrupted(second, "another session");
	interrupted(again, "a second start of the first");
	interrupted(stop, "a stop of the first");
	check(within_time(waits, fourth), "one more session waits");
	kill(fourth->pid, SIGKILL);
	check(within_time(has_died, fourth), "a process that waits can be killed");
	check(first->error < 0 && third->error < 0, "the others still wait");
	is(read_session(b).state, TPROF_SESSION_NEW, "the session that was interrupted is as before");
	kill(fifth->pid, SIGKILL);
	let_go();
	check(within_time(has_died, fifth), "a process that is killed while it prepares ends");
	is(read_session(e).state, TPROF_SESSION_NEW, "without its second source");
	ended(first, "the first session");
	ended(third, "the session that was not interrupted");
	is(ioctl(b, TPROF_IOC_START), 0, "the one that was is started");
	is(running_sources("burst", &users), 1, "one source");
	is(users, 3, "of all three");
	is(atoi(read_file(PREPARED)), 1, "which was prepared once");
	need(write_parameter("tprof_burst", "fire", SAMPLES), "it fires");
	need(ioctl(a, TPROF_IOC_STOP) == 0 && ioctl(b, TPROF_IOC_STOP) == 0 && ioctl(c, TPROF_IOC_STOP) == 0,
	     "they stop");
	has_samples(a, "the first");
	has_samples(b, "the second");
	has_samples(c, "the third");
	is(atoi(read_file(PREPARED)), 0, "the source is not prepared any more");
	close(a);
	close(b);
	close(c);
	close(d);
	close(e);
	while (waitpid(-1, NULL, 0) > 0)
		;
	is(unload_source("tprof_burst"), 0, "the source goes");
	return done_testing();
}
