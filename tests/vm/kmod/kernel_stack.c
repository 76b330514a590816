// SPDX-License-Identifier: GPL-2.0-only
/*
 * The leaf of a kernel stack is the address of the sample: in code that the timer has interrupted, and in code that
 * fires itself, in every context.
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "process.h"
#include "source.h"
#include "walk.h"

#define NR 20

static int new_session(void)
{
	int session = create_session(open_device());

	need(session >= 0, "a session is made");
	return session;
}

/* Makes system calls, which the timer interrupts. */
static void test_timer(void)
{
	int session = new_session(), link = attach_walk(session), zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	static char buffer[1 << 20];

	is(add_timer(session, 1 * MS), 0, "an event of the timer");
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	for (uint64_t end = now_ns() + 1000 * MS; now_ns() < end;)
		need(read(zero, buffer, sizeof(buffer)) == sizeof(buffer), "zeros are read");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	judge_walk(session, "timer");
	close(link);
	close(session);
	close(zero);
}

static void test_burst(const char *context)
{
	int session = new_session(), link = attach_walk(session);

	is(add_source(session, "burst", context, 1), 0, "an event in %s", context);
	is(ioctl(session, TPROF_IOC_START), 0, "the session starts");
	check(write_parameter("tprof_burst", "fire", NR), "the source fires");
	is(ioctl(session, TPROF_IOC_STOP), 0, "the session stops");
	judge_walk(session, context);
	is(read_ledger(session, -1).fired.samples, NR, "%s: all samples", context);
	close(link);
	close(session);
}

int main(void)
{
	pin(0);
	need(load_source("tprof_burst", "") == 0, "the source is there");
	test_timer();
	test_burst("process");
	test_burst("irqs-off");
	test_burst("softirq");
	test_burst("hardirq");
	is(unload_source("tprof_burst"), 0, "the source goes");
	return done_testing();
}
