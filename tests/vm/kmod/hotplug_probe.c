// SPDX-License-Identifier: GPL-2.0-only
/*
 * A probe hits until its CPU is gone, when nothing delivers samples there any more. After the CPU has come back,
 * samples are delivered as before, and it can go again.
 *
 * vm: all=arm64 seconds=120
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "probe.h"

#define ROUNDS	10
#define HITS	20

static int device;

/* The samples of some hits on CPU 1 that are delivered at once, without a flush or a switch. */
static uint64_t delivered(void)
{
	int session = create_session(device);
	uint64_t samples;

	pin(1);
	need(configure_on_cpu(session, 1, 0) == 0 &&
	     add_probe(session, "kprobe", SYSCALL_FUNCTION("getuid"), 0, 0, 1) == 0 &&
	     ioctl(session, TPROF_IOC_START) == 0, "a session on CPU 1");
	burn(5 * MS);
	call_many(SYS_getuid, HITS);
	burn(20 * MS);
	samples = read_ledger(session, 1).fired.samples;
	pin(0);
	close(session);
	return samples;
}

static void cycle(void)
{
	int session = create_session(device);
	struct tprof_ledger_read ledger;

	need(add_probe(session, "kprobe", "__schedule", 0, 0, 1) == 0 && ioctl(session, TPROF_IOC_START) == 0,
	     "a probe on __schedule");
	burn(30 * MS);
	need(set_online(1, false) == 0, "CPU 1 goes");
	burn(50 * MS);
	need(set_online(1, true) == 0, "CPU 1 comes back");
	burn(30 * MS);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	ledger = read_ledger(session, -1);
	need(closes(&ledger), "its ledger closes");
	close(session);
}

int main(void)
{
	int right = 0;

	device = open_device();
	pin(0);
	is(delivered(), HITS, "samples on CPU 1 are delivered");
	for (int i = 0; i < ROUNDS; i++) {
		cycle();
		right += delivered() == HITS;
	}
	is(right, ROUNDS, "so they are each time after it was offline under a probe");
	return done_testing();
}
