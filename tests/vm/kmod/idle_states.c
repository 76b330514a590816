// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cpuidle governor of an idle CPU does not see the timer of a session: at every rate the CPU spends as much of its
 * time in the deep idle state as without a session. The machine has no cpuidle driver, so the test loads one.
 *
 * vm: machines=x86-64,next seconds=180
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "source.h"

#define CPU	1
#define STATE	"/sys/devices/system/cpu/cpu1/cpuidle/state"

static uint64_t microseconds_in(int state)
{
	char path[96];

	snprintf(path, sizeof(path), STATE "%d/time", state);
	return strtoull(read_file(path), NULL, 10);
}

/*
 * The share of the deep state in the idle time of the next two seconds, in percent. The governor learns from the past,
 * so it is given half a second first.
 */
static double deep_share(const char *when)
{
	uint64_t shallow, deep, entered;

	usleep(500000);
	shallow = microseconds_in(0);
	deep = microseconds_in(1);
	usleep(2000000);
	shallow = microseconds_in(0) - shallow;
	deep = microseconds_in(1) - deep;
	entered = shallow + deep;
	diag("%s: shallow %.3f s, deep %.3f s", when, shallow / 1e6, deep / 1e6);
	need(entered > 500000, "the CPU is idle");
	return 100.0 * deep / entered;
}

static void at_rate(int device, int hz, double alone)
{
	struct tprof_ledger_read ledger;
	int session = create_session(device);
	char when[32];
	double share;

	snprintf(when, sizeof(when), "%d Hz", hz);
	need(add_timer(session, 1000000000 / hz) == 0 && ioctl(session, TPROF_IOC_START) == 0, "a session runs");
	share = deep_share(when);
	/* Some of it may be an accident of the machine; a timer that the governor sees is in each. */
	for (int again = 0; again < 2 && share <= alone - 1; again++)
		share = deep_share(when);
	flush(session);
	ledger = read_ledger(session, CPU);
	check(share > alone - 1, "%s: as much of the idle time is in the deep state as without a session", when);
	check(closes(&ledger) && !lost(&ledger), "%s: the ledger closes, nothing is lost", when);
	check(ledger.idle.weight > 1500 * MS, "%s: the CPU was idle", when);
	close(session);
}

int main(void)
{
	int device = open_device();
	double alone;

	need(load_source("tprof_cpuidle", "") == 0 && write_parameter("tprof_cpuidle", "used", 1), "a cpuidle driver");
	pin(0);
	alone = deep_share("no session");
	check(alone > 90, "without a session most of the idle time is in the deep state");
	at_rate(device, 99, alone);
	at_rate(device, 997, alone);
	at_rate(device, 4999, alone);
	need(write_parameter("tprof_cpuidle", "used", 0) && unload_source("tprof_cpuidle") == 0, "the driver goes");
	return done_testing();
}
