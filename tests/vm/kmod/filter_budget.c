// SPDX-License-Identifier: GPL-2.0-only
/*
 * A filter that exceeds its CPU budget is disabled, and reported by its state, in debugfs and in the kernel log. The
 * ledger has the samples that it does not see, the other filter of the session continues, and a quick program that
 * replaces it is called when the second is over. Programs that replace each other share one budget, and so do filters
 * that are attached one after the other, to this session or to others. The owner of the session can enable the filter
 * again.
 *
 * vm: all=arm64 seconds=120
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define BUDGET		100			/* thousandths */
#define PERIOD		(500 * MS / 1000)
#define PERCENT		"/sys/module/tprof/parameters/cpu_time_max_percent"

static int device, session;

/* Reads the clock many times: each call takes tenths of a millisecond on any machine. */
static const struct bpf_insn slow[] = {
	READ_CLOCK(5000),
	ANSWER(TPROF_DONE),
};

static const struct bpf_insn quick[] = { ANSWER(TPROF_DONE) };

static int make_slow(void)
{
	return make_filter(session, "slow", 0, slow, sizeof(slow) / sizeof(slow[0]));
}

static void make_session(void)
{
	struct tprof_config config = { .size = sizeof(config), .budget_permille = BUDGET };

	session = create_session(device);
	need(session >= 0 && ioctl(session, TPROF_IOC_CONFIGURE, &config) == 0 && add_timer(session, PERIOD) == 0,
	     "a session is made");
}

static void wait_until_off(void)
{
	while (read_filter_info(session, 0).state == TPROF_FILTER_ACTIVE)
		burn(1 * MS);
	flush(session);
}

static void named(void)
{
	char line[120];

	snprintf(line, sizeof(line),
		 "tprof: filter slow of session %llu took over %d/1000 of a CPU and is switched off",
		 read_session(session).id, BUDGET);
	await_log(line);
	check(true, "the kernel log names it");
	check(strstr(read_file("/sys/kernel/debug/tprof/filters"), "\tslow\tover-budget\t"), "so does debugfs");
}

static void switched_off(void)
{
	struct tprof_filter_info filter = read_filter_info(session, 0), other = read_filter_info(session, 1);
	struct tprof_ledger_read before = read_ledger(session, -1), after;

	is(filter.state, TPROF_FILTER_OVER_BUDGET, "its state says so");
	/* It exceeded the budget on one of the CPUs, for one second. */
	check(filter.run_ns > BUDGET * MS, "it took more than it may");
	is(other.state, TPROF_FILTER_ACTIVE, "the other filter's does not");
	do {
		burn(50 * MS);
		flush(session);
		after = read_ledger(session, -1);
	} while (read_filter_info(session, 1).calls == other.calls);
	is(read_filter_info(session, 0).calls, filter.calls, "it is not called any more");
	check(true, "the other one is");
	check(after.lost[TPROF_LOST_OVER_BUDGET].samples > before.lost[TPROF_LOST_OVER_BUDGET].samples,
	      "samples are over_budget");
	is(after.outcomes[TPROF_OUTCOME_DONE].samples, before.outcomes[TPROF_OUTCOME_DONE].samples, "and none is done");
	check(closes(&after), "the ledger closes");
	is(lost(&after), after.lost[TPROF_LOST_OVER_BUDGET].samples, "nothing is lost for another reason");
}

/* The filter is called again, until it has used up its budget again. */
static void enabled(void)
{
	struct tprof_filter_info before = read_filter_info(session, 0), after;
	struct tprof_filter_enable enable = { .size = sizeof(enable), .id = before.id };
	struct tprof_filter_enable pad = enable, none = enable;

	pad.pad = 1;
	none.id = before.id + 1000;
	refuses(ioctl(session, TPROF_IOC_FILTER_ENABLE, &pad), EINVAL, "a pad that is not 0");
	refuses(ioctl(session, TPROF_IOC_FILTER_ENABLE, &none), ENOENT, "another filter cannot be enabled");
	is(read_filter_info(session, 0).state, TPROF_FILTER_OVER_BUDGET, "neither enables it");
	while (ioctl(session, TPROF_IOC_FILTER_ENABLE, &enable) && errno == EAGAIN)
		burn(10 * MS);
	is(read_filter_info(session, 0).state, TPROF_FILTER_ACTIVE, "its owner enables it after a second");
	wait_until_off();
	refuses(ioctl(session, TPROF_IOC_FILTER_ENABLE, &enable), EAGAIN, "not again at once");
	after = read_filter_info(session, 0);
	check(after.calls > before.calls, "it is called again");
	check(after.run_ns - before.run_ns > BUDGET * MS, "it has a whole budget");
	enable.id = read_filter_info(session, 1).id;
	is(ioctl(session, TPROF_IOC_FILTER_ENABLE, &enable), 0, "an active filter can be enabled");
	is(read_filter_info(session, 1).state, TPROF_FILTER_ACTIVE, "it stays active");
}

/* The filter is replaced in the same second in which the slow one has exceeded its budget. */
static void replaced(void)
{
	struct tprof_filter_info filter;
	struct tprof_ledger_read before, after;
	int map, link, replacement;
	uint64_t off;

	make_session();
	map = make_slow();
	replacement = make_filter(session, "quick", 0, quick, 2);
	link = link_filter(map);
	need(link >= 0 && replacement >= 0, "a slow filter, and one to replace it");
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	wait_until_off();
	is(replace_filter(link, replacement), 0, "it is replaced by a quick one");
	off = now_ns();
	filter = read_filter_info(session, 0);
	while (read_filter_info(session, 0).state != TPROF_FILTER_ACTIVE)
		burn(20 * MS);
	check(now_ns() - off > 200 * MS, "which is not called while the second lasts: the budget stays");
	before = read_ledger(session, -1);
	do {
		burn(300 * MS);
	} while (read_filter_info(session, 0).state == TPROF_FILTER_ACTIVE &&
		 read_filter_info(session, 0).calls == filter.calls);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	after = read_ledger(session, -1);
	is(read_filter_info(session, 0).state, TPROF_FILTER_ACTIVE, "then it is, and has a budget of its own");
	check(read_filter_info(session, 0).calls > filter.calls, "it is called");
	is(after.lost[TPROF_LOST_OVER_BUDGET].samples, before.lost[TPROF_LOST_OVER_BUDGET].samples,
	   "samples are over_budget no more");
	is(read_filter_info(session, 0).calls, after.outcomes[TPROF_OUTCOME_DONE].samples,
	   "what it or the slow one was called for is done");
	check(closes(&after), "replaced: the ledger closes");
	close(link);
	close(map);
	close(replacement);
	close(session);
}

/* The owner enables a replacement before it is called, and it exceeds that budget too. */
static void enabled_before(void)
{
	struct tprof_config least = { .size = sizeof(least), .budget_permille = 1 };
	struct tprof_filter_enable enable = { .size = sizeof(enable) };
	int map, link, replacement;
	uint64_t calls;

	make_session();
	need(ioctl(session, TPROF_IOC_CONFIGURE, &least) == 0, "a small budget");
	map = make_slow();
	replacement = make_slow();
	link = link_filter(map);
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "a slow filter");
	wait_until_off();
	need(replace_filter(link, replacement) == 0, "it is replaced by another one");
	enable.id = read_filter_info(session, 0).id;
	while (ioctl(session, TPROF_IOC_FILTER_ENABLE, &enable) && errno == EAGAIN)
		;
	wait_until_off();
	calls = read_filter_info(session, 0).calls;
	burn(300 * MS);
	is(read_filter_info(session, 0).calls, calls, "which is enabled once: not again by itself in the same second");
	close(link);
	close(map);
	close(replacement);
	close(session);
}

/* Ways to another filter. */
enum way { REPLACE, ATTACH, NEW_SESSION };

static const char *const ways[] = { "replaced", "attached", "with new sessions" };

static int other_way(enum way way, int link, int *map)
{
	if (way == REPLACE) {
		int next = make_slow();

		need(replace_filter(link, next) == 0, "it is replaced");
		close(*map);
		*map = next;
		return link;
	}
	close(link);
	if (way == NEW_SESSION) {
		struct tprof_config least = { .size = sizeof(least), .budget_permille = 1 };

		close(*map);
		close(session);
		session = create_session(device);
		need(session >= 0 && add_timer(session, PERIOD) == 0, "another session");
		*map = make_slow();
		/* Another budget does not change what was spent. */
		link = link_filter(*map);
		need(ioctl(session, TPROF_IOC_CONFIGURE, &least) == 0 && close(link) == 0, "a small budget");
		least.budget_permille = BUDGET;
		need(ioctl(session, TPROF_IOC_CONFIGURE, &least) == 0, "the one as before");
	}
	link = link_filter(*map);
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "it is attached");
	return link;
}

/* Slow filters that follow each other in some way share one budget. */
static void in_a_loop(enum way way)
{
	uint64_t began, took = 0, budget;
	int map, link;

	/* What was spent before is forgotten. */
	sleep(2);
	make_session();
	map = make_slow();
	link = link_filter(map);
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "a slow filter");
	began = now_ns();
	while (now_ns() - began < 2000 * MS) {
		burn(5 * MS);
		if (way != REPLACE)
			took += read_filter_info(session, 0).run_ns;
		link = other_way(way, link, &map);
	}
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	took += read_filter_info(session, 0).run_ns;
	/* On each CPU, in each second of this time and in the one that it ends in; long calls are extra. */
	budget = ((now_ns() - began) / (1000 * MS) + 1) * (uint64_t)sysconf(_SC_NPROCESSORS_ONLN) * BUDGET * MS;
	diag("%llu ms of %llu ms", (unsigned long long)(took / MS), (unsigned long long)(budget / MS));
	check(took < budget + budget / 4, "%s in a loop: they take no more than one filter may", ways[way]);
	check(took > 0, "%s in a loop: they are called", ways[way]);
	close(link);
	close(map);
	close(session);
}

/* The second goes on for the next filter, which is called when it is over. */
static void attached_again(int map, int link)
{
	uint64_t off = now_ns();

	close(link);
	link = link_filter(map);
	need(link >= 0, "it is attached again");
	is(read_filter_info(session, 0).state, TPROF_FILTER_OVER_BUDGET, "attached again: it is over its budget");
	while (read_filter_info(session, 0).state != TPROF_FILTER_ACTIVE)
		burn(20 * MS);
	check(now_ns() - off > 200 * MS, "attached again: it is not called while the second lasts");
	while (!read_filter_info(session, 0).calls)
		burn(1 * MS);
	check(true, "attached again: then it is called");
	close(link);
}

int main(void)
{
	int map, link, other;

	device = open_device();
	make_session();
	map = make_slow();
	link = link_filter(map);
	other = attach_filter(session, "quick", 0, quick, 2);
	need(link >= 0 && other >= 0, "a slow filter and a quick one");
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	wait_until_off();
	switched_off();
	named();
	enabled();
	close(other);
	attached_again(map, link);
	close(map);
	close(session);
	sleep(2);
	replaced();
	need(write_file(PERCENT, "100") == 0, "only filters have a budget");
	enabled_before();
	for (enum way way = REPLACE; way <= NEW_SESSION; way++)
		in_a_loop(way);
	need(write_file(PERCENT, "5") == 0, "as it was");
	return done_testing();
}
