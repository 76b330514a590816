// SPDX-License-Identifier: GPL-2.0-only
/*
 * Samples that take too much of a CPU: the source that costs most samples with a longer period there, until the samples
 * stay within cpu_time_max_percent. Weights stay right, the ledger closes, a cheap source is not affected, and the
 * counts, debugfs, fdinfo and the kernel log tell it. When the costly filter is gone, the period is as asked for again.
 * So it is if there are few samples that take long, and if a session with a shorter period has gone. A session that
 * stops and starts keeps the longer period, whatever period it asks for meanwhile and whoever else joins and leaves,
 * and another event of its user begins with a longer one.
 *
 * vm: all=arm64 seconds=240
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define PERCENT		"/sys/module/tprof/parameters/cpu_time_max_percent"
#define PERIOD		(100 * MS / 1000)
#define CHEAP_PERIOD	(10 * MS)
#define SECOND		(1000 * MS)

static int device;

/* Each call takes tens of microseconds: half of a CPU or so, with this period. */
static const struct bpf_insn costly[] = {
	READ_CLOCK(500),
	ANSWER(TPROF_DONE),
};

/* Ten times as long */
static const struct bpf_insn slow[] = {
	READ_CLOCK(5000),
	ANSWER(TPROF_DONE),
};

static const struct bpf_insn cheap[] = { ANSWER(TPROF_DONE) };

static void set_percent(const char *percent)
{
	need(write_file(PERCENT, percent) == 0, "cpu_time_max_percent: %s", percent);
}

static void values(void)
{
	static const char *const wrong[] = { "101", "-1", "x" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		is(write_file(PERCENT, wrong[i]), -1, "cpu_time_max_percent: %s is refused", wrong[i]);
	is(atoi(read_file(PERCENT)), 100, "cpu_time_max_percent: is what the module was loaded with");
}

static int make_session(void)
{
	struct tprof_config config = { .size = sizeof(config), .budget_permille = 1000 };
	int session = create_session(device);

	need(session >= 0 && ioctl(session, TPROF_IOC_CONFIGURE, &config) == 0, "a session is made");
	return session;
}

/* Time that the filter takes of one second of this CPU, in thousandths. */
static uint64_t share(int session)
{
	uint64_t began = now_ns(), before = read_filter_info(session, 0).run_ns;

	burn(SECOND);
	return (read_filter_info(session, 0).run_ns - before) * 1000 / (now_ns() - began);
}

/* The least of five seconds: time that the host takes from the guest looks like time of the filter. */
static uint64_t least_share(int session)
{
	uint64_t least = 1000;

	for (int i = 0; i < 5; i++) {
		uint64_t part = share(session);

		least = part < least ? part : least;
	}
	return least;
}

static uint32_t factor(int session)
{
	return read_counts(session, 0, -1).period_factor;
}

/* The column period_factor of the source with this period, in debugfs. */
static unsigned int listed_factor(uint64_t period)
{
	const char *line = read_file("/sys/kernel/debug/tprof/sources");
	unsigned long long of = 0;
	unsigned int listed = 0;

	for (; line; line = strchr(line, '\n'), line += !!line) {
		if (sscanf(line, "%*u %*s %*s %llu %*u %*u %*u %*u %u", &of, &listed) == 2 && of == period)
			return listed;
	}
	return 0;
}

static bool fdinfo_says(int session, unsigned int period_factor)
{
	char path[40], line[40];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", session);
	snprintf(line, sizeof(line), "tprof-period-factor:\t%u\n", period_factor);
	return strstr(read_file(path), line);
}

/*
 * In one of five seconds: if the host takes the CPU away during samples of the cheap event, they seem to take long, and
 * it has a longer period for a moment.
 */
static bool keeps_its_period(int session)
{
	for (int i = 0; i < 5; i++) {
		need(ioctl(session, TPROF_IOC_CLEAR) == 0, "the counts are cleared");
		burn(SECOND);
		if (factor(session) == 1)
			return true;
	}
	return false;
}

static void told(int costs, int does_not)
{
	check(listed_factor(PERIOD) > 1, "debugfs has it");
	check(fdinfo_says(costs, factor(costs)), "fdinfo has it");
	await_log("tprof: samples took ");
	check(true, "the kernel log has it");
	check(keeps_its_period(does_not), "the cheap event keeps its period");
	is(listed_factor(CHEAP_PERIOD), 1, "debugfs has that, too");
	check(fdinfo_says(does_not, 1), "so has fdinfo");
}

/* The ledger closes, nothing is lost, and the weight is the time that passed, in whole periods. */
static void weighs_right(int session, const struct run *run, uint64_t period, const char *which)
{
	struct tprof_ledger_read ledger = read_ledger(session, -1);

	check(closes(&ledger) && !lost(&ledger), "%s: the ledger closes, nothing is lost", which);
	is(ledger.fired.weight % period, 0, "%s: each weight is a whole number of periods", which);
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		ledger = read_ledger(session, cpu);
		check(is_time_of(run, ledger.fired.weight, 20 * period), "%s: CPU %d: the weight is the time", which,
		      cpu);
	}
}

static void throttled(void)
{
	int costs = make_session(), does_not = make_session(), costly_link, cheap_link;
	struct run run, cheap_run;
	uint64_t before, after;

	need(add_timer(costs, PERIOD) == 0, "a timer of 10,000 Hz");
	need(add_perf(does_not, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CHEAP_PERIOD) == 0, "a clock of 100 Hz");
	costly_link = attach_filter(costs, "costly", 0, costly, sizeof(costly) / sizeof(costly[0]));
	cheap_link = attach_filter(does_not, "cheap", 0, cheap, 2);
	need(costly_link >= 0 && cheap_link >= 0, "a costly and a cheap filter");
	start_run(does_not, &cheap_run);
	start_run(costs, &run);
	before = share(costs);
	diag("without a limit: %llu/1000 of the CPU", (unsigned long long)before);
	check(before > 100, "without a limit, the filter takes more than a tenth of the CPU");
	is(factor(costs), 1, "and its period is as asked for");

	set_percent("5");
	while (factor(costs) == 1)
		burn(10 * MS);
	burn(SECOND);
	after = least_share(costs);
	diag("with a limit of 5 %%: %llu/1000 of the CPU, factor %u", (unsigned long long)after, factor(costs));
	/* On a busy host, it may have taken little more than the limit before. */
	check(after <= 100 && (after < before / 4 || after <= 50), "with a limit of 5 %%, it takes far less");
	told(costs, does_not);

	close(costly_link);
	while (listed_factor(PERIOD) != 1)
		burn(10 * MS);
	check(true, "without the filter, the period is as asked for again");
	check(factor(costs) > 1, "the counts remember that it was longer");
	stop_run(costs, &run);
	stop_run(does_not, &cheap_run);
	weighs_right(costs, &run, PERIOD, "costly");
	is(ioctl(costs, TPROF_IOC_CLEAR), 0, "the session is cleared");
	is(factor(costs), 1, "the counts have forgotten it");
	close(cheap_link);
	close(costs);
	close(does_not);
	set_percent("100");
}

/* Few samples that take long exceed the limit, too. The next measured sample may be minutes away. */
static void few_and_slow(void)
{
	int session = make_session(), links[8];

	need(add_timer(session, 20 * MS) == 0, "a timer of 50 Hz");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		links[i] = attach_filter(session, "slow", 0, slow, sizeof(slow) / sizeof(slow[0]));
		need(links[i] >= 0, "slow filters");
	}
	set_percent("5");
	need(ioctl(session, TPROF_IOC_START) == 0, "the session starts");
	for (int i = 0; i < 100 && factor(session) == 1; i++)
		burn(100 * MS);
	check(factor(session) > 1, "few samples that take long: a longer period");
	set_percent("100");
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		close(links[i]);
	close(session);
}

/* A period that is much too long comes back, although there are hardly any samples. */
static void comes_back(void)
{
	int victim = make_session(), attacker = make_session(), link;
	unsigned int now;
	uint64_t before;

	need(add_timer(victim, CHEAP_PERIOD) == 0 && add_timer(attacker, PERIOD / 10) == 0, "two sessions");
	link = attach_filter(attacker, "slow", 0, slow, sizeof(slow) / sizeof(slow[0]));
	set_percent("5");
	need(link >= 0 && ioctl(victim, TPROF_IOC_START) == 0 && ioctl(attacker, TPROF_IOC_START) == 0, "they start");
	for (int i = 0; i < 200 && factor(victim) < 10; i++)
		burn(10 * MS);
	check(factor(attacker) >= 10, "the expensive session has a longer period");
	close(attacker);
	close(link);
	/* Mostly at once: it is longer than what the expensive session has got. Otherwise in a second or two. */
	now = listed_factor(CHEAP_PERIOD);
	for (int i = 0; i < 100 && now != 1; i++) {
		burn(100 * MS);
		now = listed_factor(CHEAP_PERIOD);
	}
	is(now, 1, "when it has gone, the other one has its period");
	/* A second is enough, except on a busy emulator, where even few samples exceed the limit at times. */
	before = read_ledger(victim, 0).fired.samples;
	for (int i = 0; i < 50 && read_ledger(victim, 0).fired.samples - before <= 50; i++)
		burn(100 * MS);
	check(read_ledger(victim, 0).fired.samples - before > 50, "and as many samples");
	set_percent("100");
	close(victim);
}

/* A session that stops and starts has the longer period at once. */
static void starts_again(void)
{
	int session = make_session(), link;
	struct tprof_ledger_read ledger;
	unsigned int longer;

	need(add_timer(session, PERIOD) == 0, "a timer of 10,000 Hz");
	link = attach_filter(session, "slow", 0, slow, sizeof(slow) / sizeof(slow[0]));
	set_percent("5");
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "an expensive session starts");
	for (int i = 0; i < 500 && listed_factor(PERIOD) < 32; i++)
		burn(10 * MS);
	longer = listed_factor(PERIOD);
	check(longer >= 32, "it has a longer period");
	need(ioctl(session, TPROF_IOC_STOP) == 0 && ioctl(session, TPROF_IOC_CLEAR) == 0 &&
	     ioctl(session, TPROF_IOC_START) == 0, "it stops and starts");
	/* On a busy emulator it becomes still longer before it is read; or throttling has made it shorter, once. */
	check(factor(session) >= longer / 16, "its period is as long as before");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	close(link);
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts without the filter");
	for (int i = 0; i < 100 && listed_factor(PERIOD) != 1; i++)
		burn(100 * MS);
	is(listed_factor(PERIOD), 1, "without the filter, the period gets shorter again");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops again");
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "the ledger closes");
	set_percent("100");
	close(session);
}

static void set_period(int session, uint64_t period)
{
	struct tprof_period change = { .size = sizeof(change), .period = period };

	need(ioctl(session, TPROF_IOC_PERIOD, &change) == 0, "the period is changed");
}

/* Throttling may have made it shorter meanwhile, once. */
static void still_has(uint64_t period, uint64_t longer, const char *what)
{
	uint64_t now = listed_factor(period) * period;

	diag("%s: %llu us after %llu us", what, (unsigned long long)now / 1000, (unsigned long long)longer / 1000);
	check(now >= longer / 16, "%s: the period is as long as before", what);
}

/* While the first session exceeds the limit, which it does now and then. */
static bool begins_longer(int another)
{
	for (int i = 0; i < 20; i++) {
		need(ioctl(another, TPROF_IOC_START) == 0, "another event starts");
		if (factor(another) >= 16)
			return true;
		need(ioctl(another, TPROF_IOC_STOP) == 0, "it stops");
		burn(250 * MS);
	}
	return false;
}

/* Ways to another period than the one that throttling has made longer: it is not shorter than that. */
static void changes_period(void)
{
	int session = make_session(), other = make_session(), another = make_session(), link;
	struct tprof_ledger_read ledger;
	uint64_t longer;

	need(add_timer(session, 10 * PERIOD) == 0 && add_timer(other, CHEAP_PERIOD) == 0, "two timers");
	need(add_perf(another, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, SECOND / 4) == 0, "another event");
	link = attach_filter(session, "slow", 0, slow, sizeof(slow) / sizeof(slow[0]));
	set_percent("5");
	need(link >= 0 && ioctl(session, TPROF_IOC_START) == 0, "an expensive session starts");
	for (int i = 0; i < 200 && listed_factor(10 * PERIOD) < 4; i++)
		burn(10 * MS);
	longer = listed_factor(10 * PERIOD) * 10 * PERIOD;
	check(longer >= 40 * PERIOD, "it has a longer period");
	set_period(session, PERIOD / 10);
	still_has(PERIOD / 10, longer, "a shorter period");

	longer = listed_factor(PERIOD / 10) * PERIOD / 10;
	need(ioctl(other, TPROF_IOC_START) == 0 && ioctl(other, TPROF_IOC_STOP) == 0, "another session comes and goes");
	still_has(PERIOD / 10, longer, "without another session");

	check(begins_longer(another), "another event begins with a longer period");

	longer = listed_factor(PERIOD / 10) * PERIOD / 10;
	set_period(session, SECOND);
	/* Without the memory of the shorter period, throttling would permit each one by then. */
	sleep(4);
	set_period(session, PERIOD / 10);
	still_has(PERIOD / 10, longer, "a much longer period for some time");

	longer = listed_factor(PERIOD / 10) * PERIOD / 10;
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	set_period(session, PERIOD);
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts with another period");
	still_has(PERIOD, longer, "another period while it is stopped");

	while (listed_factor(SECOND / 4) != 1)
		burn(100 * MS);
	check(true, "the period of the other event becomes as asked for");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "the session stops");
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "changed periods: the ledger closes");
	set_percent("100");
	close(link);
	close(session);
	close(other);
	close(another);
}

int main(void)
{
	device = open_device();
	/* Each CPU has its own budget. */
	pin(0);
	values();
	throttled();
	few_and_slow();
	comes_back();
	starts_again();
	changes_period();
	return done_testing();
}
