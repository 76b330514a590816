// SPDX-License-Identifier: GPL-2.0-only
/*
 * A change of the period succeeds although a source cannot be updated because its CPU is offline, and even if the CPU
 * is online again when that is detected: the source starts there with the new period.
 *
 * vm: machines=x86-64,next
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

#define CPU	1

static int device;

static int session_on_cpu(uint64_t period)
{
	int session = create_session(device);

	need(session >= 0 && configure_on_cpu(session, CPU, 0) == 0, "a session on one CPU");
	need(add_source(session, "burst", "process", period) == 0, "has an event");
	return session;
}

static void leaves(unsigned int times)
{
	need(write_parameter("tprof_burst", "away", times), "the CPU leaves at the next start");
}

/* Returns the weight of the next sample within ten seconds, because a work item starts the sources of a CPU. */
static uint64_t next_weight(int session)
{
	struct tprof_tally before = read_ledger(session, -1).fired, now = before;

	for (int tries = 1000; now.samples == before.samples && tries; tries--) {
		usleep(10000);
		need(write_parameter("tprof_burst", "fire", 1), "the source fires");
		now = read_ledger(session, -1).fired;
	}
	return now.weight - before.weight;
}

static void comes_back(void)
{
	is(set_online(CPU, false), 0, "the CPU goes");
	is(set_online(CPU, true), 0, "and comes back");
	/* The offline CPU has lost this thread. */
	pin(CPU);
}

int main(void)
{
	struct tprof_period period = { .size = sizeof(period), .period = 700 };
	struct tprof_ledger_read ledger;
	int session, faster;

	need(load_source("tprof_burst", "") == 0, "the source is there");
	device = open_device();
	session = session_on_cpu(1000);
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	pin(CPU);
	is(next_weight(session), 1000, "a sample is worth the period");

	leaves(1);
	is(ioctl(session, TPROF_IOC_PERIOD, &period), 0, "the period changes while the CPU leaves");
	comes_back();
	is(next_weight(session), 700, "a sample is worth the new one when it is back");

	faster = session_on_cpu(500);
	leaves(2);
	is(ioctl(faster, TPROF_IOC_START), 0, "a faster session starts while the CPU leaves");
	comes_back();
	is(next_weight(faster), 500, "its samples are worth its period when it is back");
	is(ioctl(faster, TPROF_IOC_STOP), 0, "it stops");
	is(next_weight(session), 700, "the other goes on with its own");

	ledger = read_ledger(session, -1);
	check(closes(&ledger), "the ledger closes");
	close(faster);
	close(session);
	is(unload_source("tprof_burst"), 0, "the source goes");
	return done_testing();
}
