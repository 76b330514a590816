// SPDX-License-Identifier: GPL-2.0-only
/*
 * A filter is charged for its own time only: behind many sessions that share its source, a call of the same filter
 * takes about as long as alone, and the filter stays within its budget. The time that the delivery to the sessions
 * takes is listed with the source.
 *
 * Not on arm64, where the emulator takes a lock for each reading of the clock.
 *
 * vm: machines=x86-64,next not=debug,race seconds=120
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"
#include "scope.h"

#define SESSIONS	400
#define PERIOD		(MS / 2)

static const struct bpf_insn quick[] = { ANSWER(TPROF_DONE) };
static int device;

/* Starts sessions that test each sample: they have a scope, and no filter. */
static void other_sessions(int *sessions, int nr)
{
	for (int i = 0; i < nr; i++) {
		sessions[i] = create_session(device);
		need(sessions[i] >= 0 && add_timer(sessions[i], PERIOD) == 0 &&
		     attach(sessions[i], TPROF_TARGET_PROCESS, 1) == 0 && ioctl(sessions[i], TPROF_IOC_START) == 0,
		     "another session");
	}
}

static uint64_t delivery_ns(void)
{
	const char *line = strchr(read_file("/sys/kernel/debug/tprof/sources"), '\n') + 1;
	unsigned long long ns = 0;

	check(sscanf(line, "%*u\ttimer\t-\t%*u\t%*u\t%*u\t%*u\t%llu", &ns) == 1, "the time of delivery is listed");
	return ns;
}

/* Run time of a call of the filter behind @nr sessions. Sets the time that a sample's delivery takes. */
static uint64_t run_ns(int nr, uint64_t *delivery)
{
	struct tprof_config config = { .size = sizeof(config), .budget_permille = 20 };
	static int others[SESSIONS];
	struct tprof_filter_info info;
	int session, link;

	other_sessions(others, nr);
	session = create_session(device);
	need(ioctl(session, TPROF_IOC_CONFIGURE, &config) == 0 && add_timer(session, PERIOD) == 0, "a session");
	link = attach_filter(session, "quick", 0, quick, 2);
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "with a filter");
	burn(2000 * MS);
	info = read_filter_info(session, 0);
	*delivery = delivery_ns() / (info.calls ? info.calls : 1);
	is(info.state, TPROF_FILTER_ACTIVE, "behind %d sessions the filter is not switched off", nr);
	check(info.calls > 500, "behind %d sessions it is called", nr);
	diag("behind %d sessions: %llu calls, %llu ns each, the longest %llu; delivery %llu ns", nr, info.calls,
	     info.run_ns / info.calls, info.longest_ns, (unsigned long long)*delivery);
	close(link);
	close(session);
	for (int i = 0; i < nr; i++)
		close(others[i]);
	return info.run_ns / info.calls;
}

int main(void)
{
	uint64_t alone = UINT64_MAX, shared, own = UINT64_MAX, others;

	device = open_device();
	pin(0);
	/* Of two, the shorter times: other work of the host only adds to them. */
	for (int i = 0; i < 2; i++) {
		uint64_t delivery, call = run_ns(0, &delivery);

		alone = call < alone ? call : alone;
		own = delivery < own ? delivery : own;
	}
	shared = run_ns(SESSIONS, &others);
	check(shared < 4 * alone, "a call is charged as if the filter were alone");
	check(others > 5 * own, "the time of the sessions is charged to the delivery");
	return done_testing();
}
