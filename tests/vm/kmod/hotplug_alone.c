// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only CPU of a session goes offline and online: the first or last event of the session does not block that, a
 * session can be started, flushed, cleared and stopped while its CPU is offline, and it has samples again when the CPU
 * is online.
 *
 * vm: machines=x86-64,next
 */
#include <pthread.h>

#include "ktap.h"
#include "device.h"
#include "process.h"
#include "stream.h"

#define CPU	1

static int device;

static int add_event(int session, bool timer)
{
	/* The software event uses a static key, which the kernel changes under the hotplug lock. */
	return timer ? add_timer(session, MS) : add_perf(session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
							 1);
}

static int session_on_cpu(bool timer)
{
	int session = create_session(device);

	need(session >= 0 && configure_on_cpu(session, CPU, 1 << 16) == 0, "a session on one CPU");
	need(add_event(session, timer) == 0, "has an event");
	return session;
}

/* Sleeps and wakes on the CPU whenever it is online. */
static void *visit(void *unused)
{
	for (;;) {
		try_pin(CPU);
		usleep(1000);
	}
	return unused;
}

/* Whether samples arrive within ten seconds. */
static bool samples_come(int session)
{
	uint64_t seen = read_ledger(session, -1).fired.samples;

	for (int i = 0; i < 1000; i++) {
		if (read_ledger(session, -1).fired.samples > seen)
			return true;
		usleep(10000);
	}
	return false;
}

static void under_it(const char *name, bool timer)
{
	int session = session_on_cpu(timer);
	uint64_t seen;

	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	check(samples_come(session), "%s: samples come from the CPU", name);
	is(set_online(CPU, false), 0, "%s: it goes off", name);
	seen = read_ledger(session, CPU).fired.samples;
	check(read_counts(session, 0, CPU).value >= seen, "%s: its counter is still there", name);
	burn(20 * MS);
	is(read_ledger(session, -1).fired.samples, seen, "%s: no samples come then", name);
	is(set_online(CPU, true), 0, "%s: it comes back", name);
	check(samples_come(session), "%s: samples come again", name);
	is(ioctl(session, TPROF_IOC_STOP), 0, "%s: the session stops", name);
	check(read_counts(session, 0, -1).value >= read_ledger(session, -1).fired.weight,
	      "%s: the counter has all that fired, before and after", name);
	is(read_ledger(session, -1).fired.samples, read_ledger(session, CPU).fired.samples, "%s: all on this CPU",
	   name);
	close(session);
}

/* Whether the stream of the CPU has a record of the flush. */
static bool flushed(int session)
{
	struct mapped m = map_stream(session, CPU, 1 << 16);
	const struct tprof_record *record;
	uint64_t tail = m.control->tail;
	bool found = false;

	while ((record = next_mapped(&m, &tail)))
		found |= record->type == TPROF_RECORD_FLUSH && record->cpu == CPU;
	unmap_stream(&m);
	return found;
}

static void without_it(const char *name, bool timer)
{
	int session = session_on_cpu(timer);
	uint64_t cookie = 1;

	is(set_online(CPU, false), 0, "%s: the CPU goes off before", name);
	is(ioctl(session, TPROF_IOC_START), 0, "%s: the session starts", name);
	is(ioctl(session, TPROF_IOC_FLUSH, &cookie), 0, "%s: is flushed", name);
	check(flushed(session), "%s: the stream of the CPU says so", name);
	is(ioctl(session, TPROF_IOC_CLEAR), 0, "%s: is cleared", name);
	is(ioctl(session, TPROF_IOC_STOP), 0, "%s: stops", name);
	is(ioctl(session, TPROF_IOC_START), 0, "%s: starts again", name);
	is(read_ledger(session, -1).fired.samples, 0, "%s: has no samples", name);
	is(set_online(CPU, true), 0, "%s: the CPU comes", name);
	check(samples_come(session), "%s: and brings samples", name);
	is(set_online(CPU, false), 0, "%s: it goes off again", name);
	is(close(session), 0, "%s: the session is closed without it", name);
	is(set_online(CPU, true), 0, "%s: it comes back", name);
}

int main(void)
{
	pthread_t visitor;

	need(!pthread_create(&visitor, NULL, visit, NULL), "a thread");
	device = open_device();
	for (int i = 0; i < 3; i++) {
		under_it("timer", true);
		under_it("switches", false);
		without_it("timer", true);
		without_it("switches", false);
	}
	is(open_sessions(device), 0, "no session is left");
	close(device);
	is(set_online(CPU, false), 0, "the CPU goes off");
	is(unload_module("tprof"), 0, "the module is unloaded");
	is(load_module("tprof"), 0, "and loaded without the CPU");
	device = open_device();
	without_it("loaded without", true);
	return done_testing();
}
