// SPDX-License-Identifier: GPL-2.0-only
/*
 * 20 sessions with 20 periods share one timer source, which has the shortest of the periods; the others get every nth
 * sample, and each ledger is right. When the fastest session ends, the source slows down, and the others continue.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define NR		20
#define PERIOD		(2 * MS)

struct client {
	int session;
	uint64_t period;
	struct run run;
};

static struct client clients[NR];
static int nr_cpus;

/* Checks the only source in debugfs. */
static void source_is(uint64_t period, unsigned int users)
{
	const char *line = strchr(read_file("/sys/kernel/debug/tprof/sources"), '\n') + 1;
	unsigned long long got_period;
	unsigned int got_users, got_cpus;

	if (!check(sscanf(line, "%*u\ttimer\t-\t%llu\t%u\t%u\t", &got_period, &got_users, &got_cpus) == 3,
		   "there is a source"))
		diag("%s", line);
	is(got_period, period, "it has the shortest period");
	is(got_users, users, "it has %u users", users);
	is(got_cpus, nr_cpus, "it runs on all CPUs");
	check(!*(strchr(line, '\n') + 1), "it is the only one");
}

/* Returns the number of samples of a busy CPU: the timer has fired for each. */
static uint64_t busy_samples(const struct client *c, int cpu)
{
	struct tprof_ledger_read ledger = read_ledger(c->session, cpu);

	return ledger.outcomes[TPROF_OUTCOME_DONE].samples - ledger.idle.samples;
}

/*
 * A CPU may still have pending time from a longer period of the source: busy time if its timer has not fired since, or
 * idle time if it was hardly idle since. Waits until the pending time is less than a current period.
 */
static void settle(const struct client *c)
{
	cpu_set_t all;

	need(sched_getaffinity(0, sizeof(all), &all) == 0, "the CPUs to run on are known");
	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t before = busy_samples(c, cpu);

		pin(cpu);
		while (busy_samples(c, cpu) == before)
			;
		usleep(5000);
	}
	need(sched_setaffinity(0, sizeof(all), &all) == 0, "they can all be run on");
}

static void account(const struct client *c, bool fastest)
{
	const char *name = fastest ? "the fastest" : "a slower one";
	const struct tprof_tally *done, *decimated;

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		struct tprof_ledger_read ledger = read_ledger(c->session, cpu);

		done = &ledger.outcomes[TPROF_OUTCOME_DONE];
		decimated = &ledger.outcomes[TPROF_OUTCOME_DECIMATED];
		check(closes(&ledger) && !lost(&ledger), "%s: CPU %d: the ledger closes, nothing is lost", name, cpu);
		is(done->weight % c->period, 0, "%s: CPU %d: its weight is in whole periods", name, cpu);
		is(decimated->weight, 0, "%s: CPU %d: what was skipped weighs nothing", name, cpu);
		check(ledger.idle.samples <= done->samples && ledger.idle.weight <= done->weight,
		      "%s: CPU %d: idle samples are of those that it had", name, cpu);
		/*
		 * When the session joined, a period had begun and idle time was pending: together less than a period of
		 * the source at that time, which is one and a half of the period of the session.
		 */
		if (fastest)
			check(decimated->samples <= 3, "%s: CPU %d: nothing was skipped", name, cpu);
		/*
		 * When the session stopped, it was the fastest, so its period was that of the source. Each of these was
		 * less than a period: the current period, the pending idle time, and the weight of its next sample.
		 */
		check(is_time_of(&c->run, done->weight, c->period + c->period / 2),
		      "%s: CPU %d: the weight is the time that passed", name, cpu);
	}
}

int main(void)
{
	int device = open_device();
	uint64_t before;

	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	for (int i = 0; i < NR; i++) {
		clients[i] = (struct client){ .session = create_session(device), .period = PERIOD + i * PERIOD / 2 };
		need(add_timer(clients[i].session, clients[i].period) == 0, "a session with a timer");
	}
	/* The slowest session first, so that each start makes the source faster. */
	for (int i = NR - 1; i > 0; i--)
		start_run(clients[i].session, &clients[i].run);
	settle(&clients[1]);
	start_run(clients[0].session, &clients[0].run);
	settle(&clients[0]);
	source_is(PERIOD, NR);
	burn(1000 * MS);
	for (int i = 0; i < NR; i++) {
		struct tprof_ledger_read ledger = read_ledger(clients[i].session, -1);

		check(closes(&ledger), "session %d: the ledger closes while it runs", i);
	}
	stop_run(clients[0].session, &clients[0].run);
	source_is(PERIOD + PERIOD / 2, NR - 1);
	before = read_ledger(clients[1].session, -1).fired.samples;
	burn(500 * MS);
	check(read_ledger(clients[1].session, -1).fired.samples > before, "the others go on");
	for (int i = 1; i < NR; i++)
		stop_run(clients[i].session, &clients[i].run);
	check(!*(strchr(read_file("/sys/kernel/debug/tprof/sources"), '\n') + 1), "the source has gone with the last");
	for (int i = 0; i < NR; i++) {
		account(&clients[i], i == 0);
		close(clients[i].session);
	}
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
