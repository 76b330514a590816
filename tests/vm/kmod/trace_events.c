// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints of the module, and its audit records: a session that starts and stops, a filter that exceeds its
 * budget, a period that is made longer. Only a session that samples the tasks of all users is audited.
 *
 * vm: all=arm64
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define TRACING		"/sys/kernel/tracing/"
#define PERCENT		"/sys/module/tprof/parameters/cpu_time_max_percent"
#define PERIOD		(100 * MS / 1000)

static int device;

static const struct bpf_insn slow[] = {
	READ_CLOCK(500),
	ANSWER(TPROF_DONE),
};

static bool traced(const char *format, unsigned long long number)
{
	char line[80];

	snprintf(line, sizeof(line), format, number);
	return strstr(read_file(TRACING "trace"), line);
}

static bool audited(unsigned long long id)
{
	char line[80];

	snprintf(line, sizeof(line), "op=tprof_session_start session=%llu ", id);
	return strstr(kernel_log(), line);
}

static int make_session(uint32_t permille)
{
	struct tprof_config config = { .size = sizeof(config), .budget_permille = permille };
	int session = create_session(device);

	need(session >= 0 && ioctl(session, TPROF_IOC_CONFIGURE, &config) == 0 && add_timer(session, PERIOD) == 0,
	     "a session is made");
	return session;
}

static void sessions(void)
{
	int all = make_session(0), own = make_session(0);
	struct tprof_target self = { .size = sizeof(self), .kind = TPROF_TARGET_PROCESS, .id = (uint64_t)getpid() };
	unsigned long long all_id = read_session(all).id, own_id = read_session(own).id;

	is(ioctl(own, TPROF_IOC_ATTACH, &self), 0, "a session of this process");
	need(ioctl(all, TPROF_IOC_START) == 0 && ioctl(own, TPROF_IOC_START) == 0, "both start");
	need(ioctl(all, TPROF_IOC_STOP) == 0 && ioctl(own, TPROF_IOC_STOP) == 0, "both stop");
	check(traced("tprof_session: session=%llu state=running", all_id), "tprof_session: running");
	check(traced("tprof_session: session=%llu state=stopped", all_id), "tprof_session: stopped");
	check(traced("tprof_session: session=%llu state=running", own_id), "tprof_session: the other one");
	while (!audited(all_id))
		usleep(1000);
	check(true, "the session that samples all tasks is audited");
	check(!audited(own_id), "the other one is not");
	close(all);
	close(own);
}

static void filters(void)
{
	int session = make_session(10), link;

	link = attach_filter(session, "slow", 0, slow, sizeof(slow) / sizeof(slow[0]));
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "a slow filter");
	while (read_filter_info(session, 0).state == TPROF_FILTER_ACTIVE)
		burn(1 * MS);
	while (!strstr(read_file(TRACING "trace"), " name=slow"))
		burn(1 * MS);
	check(traced("tprof_filter_disabled: session=%llu filter=", read_session(session).id), "tprof_filter_disabled");
	close(link);
	close(session);
}

static void periods(void)
{
	int session = make_session(1000), link;

	link = attach_filter(session, "slow", 0, slow, sizeof(slow) / sizeof(slow[0]));
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "a slow filter with a large budget");
	need(write_file(PERCENT, "5") == 0, "cpu_time_max_percent: 5");
	/* Another CPU may be the first. */
	while (read_counts(session, 0, 0).period_factor == 1)
		burn(1 * MS);
	check(traced(" name=timer cpu=%llu period=", 0), "tprof_period");
	need(write_file(PERCENT, "100") == 0, "cpu_time_max_percent: 100");
	close(link);
	close(session);
}

int main(void)
{
	device = open_device();
	pin(0);
	/* The trace of other tests would not fit. */
	close(open(TRACING "trace", O_WRONLY | O_TRUNC));
	need(write_file(TRACING "events/tprof/enable", "1") == 0, "the tracepoints are enabled");
	sessions();
	filters();
	periods();
	need(write_file(TRACING "events/tprof/enable", "0") == 0, "the tracepoints are disabled");
	return done_testing();
}
