// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU that is sampled by NMIs, and that sends NMIs, goes offline and online: the ledger matches the samples that the
 * source has fired, and the CPU is sampled again.
 * vm: machines=x86-64 seconds=120
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

#define CPU 1

/* Whether the CPU is sampled again within ten seconds. */
static bool is_back(int session)
{
	uint64_t seen = read_ledger(session, CPU).fired.samples;

	for (int i = 0; i < 1000; i++) {
		if (read_ledger(session, CPU).fired.samples > seen)
			return true;
		usleep(10000);
	}
	return false;
}

static int cycle(int session, int rounds)
{
	int nr_back = 0;

	for (int i = 0; i < rounds; i++) {
		need(set_online(CPU, false) == 0, "the CPU goes off");
		usleep(20000);
		need(set_online(CPU, true) == 0, "the CPU comes back");
		nr_back += is_back(session);
	}
	return nr_back;
}

int main(void)
{
	int session = create_session(open_device());
	struct tprof_ledger_read ledger;
	struct tprof_tally nmis;
	const int rounds = many_cpus() ? 8 : 20;

	need(session >= 0, "a session is made");
	need(load_source("tprof_nmi", "") == 0, "the source is there");
	is(add_source(session, "nmi", NULL, 1 * MS), 0, "an event");
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	is(cycle(session, rounds), rounds, "the CPU is sampled each time that it came back");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	ledger = read_ledger(session, -1);
	nmis = read_nmis();
	is(ledger.fired.samples, nmis.samples, "all NMIs are in the ledger");
	is(ledger.fired.weight, nmis.weight, "with their weight");
	is(lost(&ledger), 0, "nothing is lost");
	check(closes(&ledger), "the ledger closes");
	close(session);
	is(unload_source("tprof_nmi"), 0, "the source goes");
	return done_testing();
}
