// SPDX-License-Identifier: GPL-2.0-only
/*
 * A change of the period takes effect immediately, by the session itself or by another that makes the source faster: it
 * does not wait for the end of a long period. With continuous changes the weight is still the time that passed.
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define LONG	(3600 * 1000 * MS)
#define LONGEST	(5 * MS + 100000)

static int device;

static int timer_session(uint64_t period, struct run *run)
{
	int session = create_session(device);

	need(session >= 0 && add_timer(session, period) == 0, "a session");
	start_run(session, run);
	return session;
}

static int change(int session, uint64_t period)
{
	struct tprof_period arg = { .size = sizeof(arg), .period = period };

	return ioctl(session, TPROF_IOC_PERIOD, &arg);
}

/* Whether samples arrive from each CPU within ten seconds. */
static bool samples_come(int session)
{
	for (int cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1; cpu >= 0; cpu--) {
		uint64_t seen = read_ledger(session, cpu).fired.samples;
		int tries = 1000;

		pin(cpu);
		while (read_ledger(session, cpu).fired.samples == seen && --tries)
			burn(10 * MS);
		if (!tries)
			return false;
	}
	return true;
}

static void shorter(void)
{
	struct run run;
	int slow = timer_session(LONG, &run), fast;

	burn(50 * MS);
	/* The first period may begin at any time before, so at most one period ends on each CPU. */
	check(read_ledger(slow, -1).fired.samples <= (uint64_t)sysconf(_SC_NPROCESSORS_ONLN),
	      "a period of an hour is not over");
	fast = timer_session(MS, &run);
	check(samples_come(fast), "another session does not wait for it");
	close(fast);
	burn(50 * MS);
	check(change(slow, MS) == 0 && samples_come(slow), "nor does its own, with another period");
	check(change(slow, LONG) == 0, "it can be an hour again");
	burn(50 * MS);
	check(change(slow, MS) == 0 && samples_come(slow), "and short again");
	close(slow);
}

static void all_the_time(void)
{
	struct run run;
	int session = timer_session(MS, &run), changed = 0, closed = 0;
	struct tprof_ledger_read ledger;

	srand(1);
	for (int i = 0; i < 500; i++) {
		changed += !change(session, LONGEST - rand() % (5 * MS));
		burn(2 * MS);
		ledger = read_ledger(session, -1);
		closed += closes(&ledger);
	}
	need(change(session, MS) == 0, "the last change");
	stop_run(session, &run);
	is(changed, 500, "500 changes");
	is(closed, 500, "the ledger closes after each");
	for (int cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1; cpu >= 0; cpu--) {
		ledger = read_ledger(session, cpu);
		/* The current period, pending idle time, and the weight of the next sample: each less than a period. */
		check(is_time_of(&run, ledger.fired.weight, LONGEST * 3 / 2),
		      "CPU %d: the weight is the time that passed", cpu);
		check(!lost(&ledger), "CPU %d: nothing is lost", cpu);
	}
	close(session);
}

int main(void)
{
	device = open_device();
	shorter();
	all_the_time();
	return done_testing();
}
