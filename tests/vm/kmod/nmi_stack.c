// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel stacks of samples that are captured in an NMI are walked in the NMI; their leaf is the interrupted address,
 * anywhere in the kernel.
 * vm: machines=x86-64,x86-64-16
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "source.h"
#include "walk.h"

#define NR 20

static int start(uint64_t period, int *link)
{
	int session = create_session(open_device());

	need(session >= 0, "a session is made");
	is(add_source(session, "nmi", NULL, period), 0, "an event");
	*link = attach_walk(session);
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	return session;
}

static void stop(int session, int link, const char *what)
{
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	judge_walk(session, what);
	close(link);
	close(session);
}

static void test_burst(void)
{
	int link, session = start(TPROF_MAX_TIMER_NS, &link);

	check(write_parameter("tprof_nmi", "burst", NR), "a burst");
	stop(session, link, "interrupts off");
}

/* A load that covers much of the kernel: system calls, page faults, processes. */
static void test_load(void)
{
	int link, session = start(1 * MS, &link);

	for (uint64_t end = now_ns() + 2000 * MS; now_ns() < end;)
		need(system("cat /proc/self/maps >/dev/null") == 0, "a process runs");
	stop(session, link, "load");
}

int main(void)
{
	need(load_source("tprof_nmi", "") == 0, "the source is there");
	test_burst();
	test_load();
	is(unload_source("tprof_nmi"), 0, "the source goes");
	return done_testing();
}
