// SPDX-License-Identifier: GPL-2.0-only
/*
 * While a CPU goes and comes back, each time that a thread leaves a CPU is a wait, as many as the kernel counts: none
 * is lost, and none is counted twice.
 *
 * vm: machines=x86-64,next,debug seconds=120
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define ROUNDS	10
#define NAPS	400

static int session;
static pid_t child;
static int orders[2], done[2];

/* How often the child has left a CPU. Waits until it has naps no more. */
static uint64_t switches(void)
{
	uint64_t before, now = switches_of(child);

	do {
		before = now;
		usleep(50000);
		now = switches_of(child);
	} while (now != before);
	return now;
}

/* For each order it takes naps, on the CPU that goes as long as that is there, and then says so. */
static void take_naps(void)
{
	char byte;

	while (read(orders[0], &byte, 1) == 1) {
		pin(1);
		for (int i = 0; i < NAPS; i++)
			usleep(1000);
		if (write(done[1], &byte, 1) != 1)
			break;
	}
	_exit(EXIT_SUCCESS);
}

static struct tprof_ledger_read look(void)
{
	flush(session);
	return read_ledger(session, -1);
}

static void cycle(int round)
{
	uint64_t left = switches();
	struct tprof_ledger_read before = look(), after;
	char byte;

	need(write(orders[1], "x", 1) == 1, "it takes naps");
	need(set_online(1, false) == 0, "CPU 1 goes");
	usleep(50000);
	need(set_online(1, true) == 0, "CPU 1 comes back");
	need(read(done[0], &byte, 1) == 1, "the naps are over");
	left = switches() - left;
	after = look();
	/* And the part of the last wait up to now: it goes on. */
	is(after.outcomes[TPROF_OUTCOME_DONE].samples - before.outcomes[TPROF_OUTCOME_DONE].samples, left + 1,
	   "round %d: as many waits as switches", round);
	check(closes(&after) && !lost(&after), "round %d: the ledger closes, nothing is lost", round);
	/* On a slow machine, a nap can be over before the thread has left its CPU. */
	check(left > NAPS / 2, "round %d: %llu switches for the naps", round, (unsigned long long)left);
}

int main(void)
{
	const struct tprof_event event = { .size = sizeof(event), .source = "off-cpu", .period = 1 };
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_THREAD };

	session = create_session(open_device());
	need(pipe(orders) == 0 && pipe(done) == 0, "pipes");
	pin(0);
	child = new_child();
	if (!child) {
		close(orders[1]);
		take_naps();
	}
	target.id = (uint64_t)child;
	need(ioctl(session, TPROF_IOC_ADD_EVENT, &event) == 0 && ioctl(session, TPROF_IOC_ATTACH, &target) == 0 &&
	     ioctl(session, TPROF_IOC_START) == 0, "a session of the child");
	for (int i = 0; i < ROUNDS; i++)
		cycle(i);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "stop");
	close(orders[1]);
	need(waitpid(child, NULL, 0) == child, "the child ends");
	return done_testing();
}
