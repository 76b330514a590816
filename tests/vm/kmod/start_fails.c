// SPDX-License-Identifier: GPL-2.0-only
/*
 * A start that fails, here because no breakpoint register is free, leaves nothing running, and the session can be
 * started later; the sessions that use the registers are not affected.
 * vm: machines=x86-64,x86-64-16
 */
#include <linux/hw_breakpoint.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define MAX	32

static int device;
static volatile long places[MAX];

/* Makes a session with a timer, and a breakpoint on an address of its own. */
static int session_on(int i)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT, .size = sizeof(attr), .bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&places[i], .bp_len = HW_BREAKPOINT_LEN_8,
	};
	struct tprof_event event = {
		.size = sizeof(event), .source = "perf", .period = 1, .attr = (uintptr_t)&attr,
			.attr_size = sizeof(attr),
	};
	int session = create_session(device);

	need(session >= 0 && configure(session, 0, 1 << 16) == 0 && add_timer(session, MS) == 0,
	     "a session with a timer");
	if (ioctl(session, TPROF_IOC_ADD_EVENT, &event) == 1)
		return session;
	need(errno == ENOSPC, "a breakpoint, or no room for one");
	close(session);
	return -1;
}

/* Returns the types of the records of one CPU, in order, as decimal digits. */
static unsigned long types(int session, int cpu)
{
	struct mapped m = map_stream(session, cpu, 1 << 16);
	const struct tprof_record *record;
	unsigned long all = 0;
	uint64_t tail = m.control->tail;

	while ((record = next_mapped(&m, &tail)))
		all = all * 10 + record->type;
	unmap_stream(&m);
	return all;
}

static void hit(int i)
{
	for (int n = 0; n < 100; n++)
		places[i] = n;
}

static void refused(int session, int holder)
{
	struct tprof_ledger_read before;

	refuses(ioctl(session, TPROF_IOC_START), ENOSPC, "there is one too many");
	is(read_session(session).state, TPROF_SESSION_NEW, "it is still new");
	is(add_timer(session, MS), 2, "and takes another event");
	/* The session was started twice. */
	is(types(session, 0), 57765776, "its stream has a start, two events, and a stop for each time");
	before = read_ledger(session, -1);
	burn(50 * MS);
	is(read_ledger(session, -1).fired.samples, before.fired.samples, "it has no samples");
	hit(0);
	is(read_counts(holder, 1, -1).value, 100, "the breakpoint of another goes on");
	check(read_ledger(holder, -1).fired.samples > 100, "so does its timer");
	close(holder);
	is(ioctl(session, TPROF_IOC_START), 0, "when that has gone, it starts");
	burn(50 * MS);
	is(ioctl(session, TPROF_IOC_STOP), 0, "and stops");
	check(read_ledger(session, -1).fired.samples > 0, "it has samples");
}

int main(void)
{
	int sessions[MAX], nr = 0, started = 0;

	device = open_device();
	pin(0);
	while (nr < MAX && (sessions[nr] = session_on(nr)) >= 0)
		nr++;
	need(nr == MAX, "none of them holds a register before it starts");
	while (started < nr && ioctl(sessions[started], TPROF_IOC_START) == 0)
		started++;
	need(started > 0 && started < nr, "%d of %d start", started, nr);
	refused(sessions[started], sessions[0]);
	for (int i = 1; i < nr; i++)
		close(sessions[i]);
	is(open_sessions(device), 0, "no session is left");
	return done_testing();
}
