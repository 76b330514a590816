// SPDX-License-Identifier: GPL-2.0-only
/*
 * 20,000 samples a second on each CPU, for one session and then for twenty with different rates and a filter each: each
 * ledger closes exactly, on each CPU, even if the machine is too slow. Other tests of the timer check that the weight
 * is the time that passed: here the timer may be late when a session ends.
 *
 * vm: machines=x86-64,next,next-arm64 seconds=120
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define PERIOD	50000
#define NR	20

struct client {
	int session, link, counter;
	uint64_t period;
	struct run run;
};

static int device;
static long nr_cpus;

static void open_client(struct client *c, uint64_t period)
{
	int map;

	c->session = create_session(device);
	c->counter = new_counter();
	c->period = period;
	need(c->session >= 0 && add_timer(c->session, period) == 0, "a session with a period of %llu ns",
	     (unsigned long long)period);
	map = make_counting_filter(c->session, "count", c->counter, TPROF_DONE);
	c->link = link_filter(map);
	need(c->link >= 0, "and a filter");
	close(map);
}

static void close_client(const struct client *c)
{
	close(c->link);
	close(c->counter);
	close(c->session);
}

/*
 * Whether the ledger of a CPU closes without a loss, and its weight, in whole periods, is at most the time that passed.
 */
static bool is_right(const struct client *c, int cpu, const struct tprof_ledger_read *ledger)
{
	const struct tprof_tally *done = &ledger->outcomes[TPROF_OUTCOME_DONE];
	uint64_t counted = read_counts(c->session, 0, cpu).value, most = c->run.stop_ends_ns - c->run.start_begins_ns;

	diag("CPU %d: %llu ns in %llu samples, counted %llu of %llu ns", cpu, done->weight, done->samples,
	     (unsigned long long)counted, (unsigned long long)most);
	return closes(ledger) && !lost(ledger) && done->samples && done->weight == ledger->fired.weight &&
	       done->weight % c->period == 0 && done->weight <= counted + c->period && counted <= most + PERIOD;
}

static void account(const struct client *c, const char *name)
{
	struct tprof_ledger_read sum = read_ledger(c->session, -1);
	uint64_t delivered = 0, right = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		struct tprof_ledger_read ledger = read_ledger(c->session, cpu);

		right += is_right(c, cpu, &ledger);
		delivered += ledger.outcomes[TPROF_OUTCOME_DONE].samples;
	}
	is(right, nr_cpus, "%s: the account of each CPU is right", name);
	check(closes(&sum), "%s: so is their sum", name);
	is(read_counter(c->counter), delivered, "%s: the filter has seen what is done", name);
	is(read_filter_info(c->session, 0).calls, delivered, "%s: and was called as often", name);
	is(sum.outcomes[TPROF_OUTCOME_DECIMATED].samples + delivered, sum.fired.samples, "%s: the rest is decimated",
	   name);
}

static void alone(void)
{
	struct client c = { 0 };
	int open_ledgers = 0;

	open_client(&c, PERIOD);
	start_run(c.session, &c.run);
	for (int i = 0; i < 50; i++) {
		struct tprof_ledger_read ledger;

		burn(20 * MS);
		ledger = read_ledger(c.session, -1);
		open_ledgers += !closes(&ledger);
	}
	stop_run(c.session, &c.run);
	is(open_ledgers, 0, "alone: the ledger closes each time that it is read");
	account(&c, "alone");
	close_client(&c);
}

/* Rates from 20,000 to 400 a second. */
static void together(void)
{
	static struct client clients[NR];
	char name[40];

	for (int i = 0; i < NR; i++)
		open_client(&clients[i], PERIOD + (uint64_t)i * i * PERIOD / 8 + i * 1000);
	for (int i = 0; i < NR; i++)
		start_run(clients[i].session, &clients[i].run);
	burn(1000 * MS);
	for (int i = 0; i < NR; i++)
		stop_run(clients[i].session, &clients[i].run);
	for (int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "period %llu", (unsigned long long)clients[i].period);
		account(&clients[i], name);
		close_client(&clients[i]);
	}
}

int main(void)
{
	pid_t spinner = spin();

	device = open_device();
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	alone();
	together();
	kill(spinner, SIGKILL);
	waitpid(spinner, NULL, 0);
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
