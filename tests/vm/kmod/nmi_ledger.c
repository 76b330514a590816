// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each sample that a source fires in an NMI is in the ledger, with its weight, whatever code the NMI interrupts.
 * vm: machines=x86-64,x86-64-16
 */
#include <pthread.h>
#include <stdatomic.h>

#include "ktap.h"
#include "device.h"
#include "source.h"

#define PERIOD (200000)			/* at most 5,000 NMIs a second on each CPU */

static atomic_bool over;

/* A load for NMIs to interrupt: user code, system calls, page faults, and so on. */
static void *work(void *unused)
{
	char buffer[65536];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (!over) {
		if (read(zero, buffer, sizeof(buffer)) < 0)
			return "read";
		burn(1 * MS);
		usleep(100);
	}
	close(zero);
	return unused;
}

/* Reads the ledger repeatedly; returns how often it did not close. */
static int watch(int session, uint64_t ns)
{
	uint64_t end = now_ns() + ns;
	int open_ledgers = 0;

	while (now_ns() < end) {
		struct tprof_ledger_read ledger = read_ledger(session, -1);

		open_ledgers += !closes(&ledger);
		usleep(5000);
	}
	return open_ledgers;
}

static void test_account(int session)
{
	struct tprof_ledger_read ledger = read_ledger(session, -1);
	struct tprof_tally nmis = read_nmis();

	diag("%llu NMIs that weigh %llu ns", nmis.samples, nmis.weight);
	check(nmis.samples > 0, "there were NMIs");
	is(ledger.fired.samples, nmis.samples, "all of them are in the ledger");
	is(ledger.fired.weight, nmis.weight, "with their weight");
	check(closes(&ledger), "the ledger closes");
	is(lost(&ledger), 0, "nothing is lost");
	is(ledger.outcomes[TPROF_OUTCOME_DONE].samples, nmis.samples, "all are done");
	is(read_counts(session, 0, -1).value, nmis.weight, "the counter says the same");
}

static void test_cpus(int session)
{
	long nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t sum = 0;
	int nr_hit = 0;

	for (int cpu = 0; cpu < nr_cpus; cpu++) {
		uint64_t samples = read_ledger(session, cpu).fired.samples;

		nr_hit += samples > 0;
		sum += samples;
	}
	is(nr_hit, nr_cpus, "each CPU had some");
	is(sum, read_ledger(session, -1).fired.samples, "and together they are all");
}

int main(void)
{
	int session = create_session(open_device());
	struct tprof_tally stopped;
	pthread_t thread;
	void *failed;

	need(session >= 0, "a session is made");
	need(load_source("tprof_nmi", "") == 0, "the source is there");
	refuses(add_source(session, "nmi", NULL, 1), EINVAL, "a period that the source cannot keep is refused");
	is(add_source(session, "nmi", NULL, PERIOD), 0, "an event");
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	need(pthread_create(&thread, NULL, work, NULL) == 0, "there is work");
	is(watch(session, 2000 * MS), 0, "the ledger closes each time that it is read");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	stopped = read_nmis();
	test_account(session);
	test_cpus(session);
	burn(20 * MS);
	is(read_nmis().samples, stopped.samples, "nothing fires after the stop");
	over = true;
	pthread_join(thread, &failed);
	check(!failed, "the work did not fail");
	close(session);
	is(unload_source("tprof_nmi"), 0, "the source goes");
	return done_testing();
}
