// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions join a running timer, also on idle CPUs: neither their counter nor the weight of their samples exceeds the
 * time since their start, and both are equal.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define PERIOD	(1 * MS)
#define NR	30

static int device;
static long nr_cpus;

/* Runs a session briefly. Returns the number of CPUs whose ledger does not match its run time. */
static int join(int *apart)
{
	int session = create_session(device), too_much = 0;
	struct run run;

	need(session >= 0 && add_timer(session, PERIOD) == 0, "a session is made");
	start_run(session, &run);
	burn(5 * MS);
	stop_run(session, &run);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t counted = read_counts(session, 0, cpu).value, weight = read_ledger(session, cpu).fired.weight;
		uint64_t most = run.stop_ends_ns - run.start_begins_ns;

		/* 1000 ns for the resolution of the clocks. */
		if (counted > most + 1000 || weight > most + PERIOD)
			too_much++;
		if (weight > counted + PERIOD)
			*apart += 1;
		if (counted > most + 1000)
			diag("CPU %d: counted %llu of %llu ns", cpu, (unsigned long long)counted,
			     (unsigned long long)most);
	}
	close(session);
	return too_much;
}

int main(void)
{
	int session, too_much = 0, apart = 0;

	pin(0);
	device = open_device();
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	session = create_session(device);
	need(session >= 0 && add_timer(session, PERIOD) == 0 && ioctl(session, TPROF_IOC_START) == 0,
	     "a session runs all the time");
	for (int i = 0; i < NR; i++) {
		/* The other CPUs are idle, and during usleep() this one too. */
		if (i % 2)
			burn(20 * MS);
		else
			usleep(20000);
		too_much += join(&apart);
	}
	is(too_much, 0, "%d sessions: no CPU counted more than the time", NR);
	is(apart, 0, "%d sessions: no CPU's samples weigh more than it counted, but for a period", NR);
	close(session);
	return done_testing();
}
