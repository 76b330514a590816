// SPDX-License-Identifier: GPL-2.0-only
/*
 * No counter is ahead of the ledger that is read after it: a reader would take the difference for missing samples.
 * Neither while samples are delivered, nor after a stop, when another session goes on. Waits have very different
 * weights, and the weight of one is enough to be noticed.
 *
 * vm: machines=x86-64,arm64,next,debug all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"
#include "source.h"

static int device;

/* A session whose event is off-cpu, with each wait as a sample. */
static int create_waits(void)
{
	const struct tprof_event event = { .size = sizeof(event), .source = "off-cpu", .period = 1 };
	int session = create_session(device);

	need(session >= 0 && ioctl(session, TPROF_IOC_ADD_EVENT, &event) >= 0, "a session");
	return session;
}

/* By how much the counter is ahead, in ns. */
static uint64_t ahead(int session)
{
	uint64_t value = read_counts(session, 0, -1).value;
	struct tprof_ledger_read ledger = read_ledger(session, -1);

	return value > ledger.fired.weight ? value - ledger.fired.weight : 0;
}

static void while_delivered(void)
{
	int session = create_waits(), wrong = 0;
	uint64_t most = 0;

	need(ioctl(session, TPROF_IOC_START) == 0, "start");
	for (int i = 0; i < 20000; i++) {
		uint64_t more = ahead(session);

		wrong += more > 0;
		most = more > most ? more : most;
	}
	need(ioctl(session, TPROF_IOC_STOP) == 0, "stop");
	is(wrong, 0, "while samples are delivered, the counter is not ahead");
	is((long)most, 0, "by no nanosecond");
	check(read_ledger(session, -1).fired.samples > 100, "there were waits");
	close(session);
}

/* One call may be between its count and its sample. */
static void of_a_probe(void)
{
	int beside = create_session(device), wrong = 0;
	uint64_t most = 0;

	need(add_probe(beside, "kprobe", SYSCALL_FUNCTION("getppid"), 0, 0, 1) == 0 &&
	     ioctl(beside, TPROF_IOC_START) == 0, "another session with a probe starts");
	for (int i = 0; i < 100; i++) {
		int session = create_session(device);
		uint64_t more;

		need(add_probe(session, "kprobe", SYSCALL_FUNCTION("getppid"), 0, 0, 1) == 0 &&
		     ioctl(session, TPROF_IOC_START) == 0, "start");
		usleep(1000);
		need(ioctl(session, TPROF_IOC_STOP) == 0, "stop");
		more = ahead(session);
		wrong += more > 2;
		most = more > most ? more : most;
		close(session);
	}
	diag("at most %lu", (unsigned long)most);
	is(wrong, 0, "a probe: after a stop, its counter is not ahead");
	close(beside);
}

static void after_a_stop(void)
{
	int beside = create_waits(), wrong = 0;

	need(ioctl(beside, TPROF_IOC_START) == 0, "another session starts");
	for (int i = 0; i < 100; i++) {
		int session = create_waits();

		need(ioctl(session, TPROF_IOC_START) == 0 && ioctl(session, TPROF_IOC_STOP) == 0, "start and stop");
		wrong += ahead(session) > 0;
		close(session);
	}
	is(wrong, 0, "after a stop, the counter is not ahead");
	close(beside);
}

int main(void)
{
	pid_t child;

	device = open_device();
	child = take_turns();
	while_delivered();
	after_a_stop();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	child = new_child();
	while (!child)
		syscall(SYS_getppid);
	of_a_probe();
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return done_testing();
}
