// SPDX-License-Identifier: GPL-2.0-only
/*
 * With more events than counters, events are multiplexed, and COUNTS has the time enabled and the time running. Without
 * a free counter, the time running is 0.
 * vm: machines=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "pmu.h"

static int session;

/* Returns the counts of an event after half a second. */
static struct tprof_counts count(const char *name)
{
	struct tprof_counts before = read_counts(session, 0, 0), counts;
	struct tprof_ledger_read ledger;

	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	burn(500 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	ledger = read_ledger(session, 0);
	check(closes(&ledger), "%s: the ledger closes", name);
	counts = read_counts(session, 0, 0);
	counts.value -= before.value;
	counts.enabled_ns -= before.enabled_ns;
	counts.running_ns -= before.running_ns;
	diag("%s: %llu counted, %llu of %llu ns", name, counts.value, counts.running_ns, counts.enabled_ns);
	check(counts.enabled_ns >= 500 * MS, "%s: it was to count for as long as it ran", name);
	return counts;
}

int main(void)
{
	struct tprof_counts counts;

	pin(0);
	session = create_session(open_device());
	need(session >= 0 && add_perf(session, PERF_TYPE_RAW, ARMV8_CPU_CYCLES, 1000000) == 0, "a session");
	counts = count("alone");
	is(counts.running_ns, counts.enabled_ns, "alone, it did all the time");

	crowd(MOST_COUNTERS, false);
	/* The last event first gets a counter after 100 ms, or later if a virtual CPU waits for a real one. */
	for (int i = 0; i == 0 || (i < 10 && !counts.running_ns); i++)
		counts = count("among many");
	check(counts.running_ns > 0 && counts.value > 0, "among many, it has its turns");
	check(counts.running_ns < counts.enabled_ns, "and the others have theirs");
	disperse();

	crowd(MOST_COUNTERS, true);
	counts = count("without a counter");
	is(counts.value, 0, "where all counters are taken for good, nothing is counted");
	is(counts.running_ns, 0, "and it says so");
	disperse();

	counts = count("alone again");
	is(counts.running_ns, counts.enabled_ns, "it has its counter back");
	close(session);
	return done_testing();
}
