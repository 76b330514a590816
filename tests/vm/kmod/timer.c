// SPDX-License-Identifier: GPL-2.0-only
/*
 * The source timer: a session has samples from every CPU, its ledger closes while it runs and afterwards, and the
 * weight is the time that passed, idle or busy.
 */
#include "ktap.h"
#include "device.h"

#define PERIOD (1 * MS)

int main(void)
{
	int session = create_session(open_device());
	struct run run;
	struct tprof_ledger_read ledger, later;
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int closed = 0;

	need(session >= 0, "a session is made");
	is(add_timer(session, PERIOD), 0, "its first event has the index 0");
	start_run(session, &run);
	for (int i = 0; i < 100; i++) {
		burn(10 * MS);
		ledger = read_ledger(session, -1);
		closed += closes(&ledger);
	}
	is(closed, 100, "the ledger closes each time that it is read");
	stop_run(session, &run);
	ledger = read_ledger(session, -1);
	burn(50 * MS);
	later = read_ledger(session, -1);
	is(later.fired.samples, ledger.fired.samples, "nothing fires after the stop");
	check(closes(&ledger), "the ledger closes");
	is(lost(&ledger), 0, "nothing is lost");
	diag("fired %llu samples of %llu ns", ledger.fired.samples, ledger.fired.weight);
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t weight = read_ledger(session, cpu).fired.weight;

		check(is_time_of(&run, weight, PERIOD), "CPU %d: the samples weigh the time that passed", cpu);
		check(weight % PERIOD == 0, "CPU %d: in whole periods", cpu);
		/* An interrupt that came late leaves part of a period, which no sample represents yet. */
		is(read_counts(session, 0, cpu).value / PERIOD, weight / PERIOD, "CPU %d: the counter says the same",
		   cpu);
	}
	close(session);
	return done_testing();
}
