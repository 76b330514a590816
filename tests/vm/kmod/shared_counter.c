// SPDX-License-Identifier: GPL-2.0-only
/*
 * Eight sessions on one event share one hardware counter: pinned perf events occupy all the others, and all sessions
 * count all the time.
 * vm: machines=arm64
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "pmu.h"

#define NR_SESSIONS	8

static int sessions[NR_SESSIONS];

static void start_all(int device)
{
	for (int i = 0; i < NR_SESSIONS; i++) {
		sessions[i] = create_session(device);
		need(sessions[i] >= 0 &&
		     add_perf(sessions[i], PERF_TYPE_RAW, ARMV8_CPU_CYCLES, 1000000 * (i + 1)) == 0 &&
		     ioctl(sessions[i], TPROF_IOC_START) == 0, "a session, with a period of its own");
	}
}

/* Stops all sessions; returns the number of those with samples whose time running equals the time enabled. */
static int stop_all(void)
{
	int nr = 0;

	for (int i = 0; i < NR_SESSIONS; i++) {
		struct tprof_ledger_read ledger;
		struct tprof_counts counts;

		need(ioctl(sessions[i], TPROF_IOC_STOP) == 0, "a session stops");
		ledger = read_ledger(sessions[i], 0);
		counts = read_counts(sessions[i], 0, 0);
		check(closes(&ledger) && !lost(&ledger), "session %d: the ledger closes, nothing is lost", i);
		nr += ledger.fired.samples && counts.value && counts.running_ns &&
		      counts.running_ns == counts.enabled_ns;
		close(sessions[i]);
	}
	return nr;
}

int main(void)
{
	int device = open_device(), all;

	pin(0);
	all = crowd(MOST_COUNTERS, true);
	diag("%d counters", all);
	check(all > 1 && all < MOST_COUNTERS, "the PMU has counters, and an end of them");
	disperse();

	start_all(device);
	is(crowd(all - 1, true), all - 1, "all counters but one are free to others, who count all the time");
	is(stop_all(), NR_SESSIONS, "so do %d sessions, on one counter", NR_SESSIONS);
	disperse();

	start_all(device);
	is(crowd(all, true), all, "a pinned event takes the last one as well");
	check(stop_all() == 0, "the sessions say that they have not counted all the time");
	disperse();
	return done_testing();
}
