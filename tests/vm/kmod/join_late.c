// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sessions that join a timer which runs, and CPUs that have been idle meanwhile: neither what their counter says nor
 * what their samples weigh is ever more than the time since they were started, and the one is what the other says.
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define PERIOD	(1 * MS)
#define NR	30

static int device;
static long nr_cpus;

/* A session that is there for a moment. Returns on how many CPUs its account is not that of its time. */
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

		/* Rounded to the resolution of the clocks. */
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
		/* The other CPUs sleep, and with usleep() this one does. */
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
