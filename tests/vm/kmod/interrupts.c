// SPDX-License-Identifier: GPL-2.0-only
/*
 * A call on a session interrupts its own CPUs, and no others: START, FLUSH, CLEAR, PERIOD, the replacement of a
 * filter, and STOP of a session of CPU 0, with streams and a filter, alone or beside sessions of other CPUs.
 *
 * Kernels for real time and those that check themselves have threads of their own to wake on other CPUs.
 *
 * vm: machines=x86-64-16,arm64,next
 */
#include "ktap.h"
#include "device.h"
#include "filter.h"
#include "filter_link.h"
#include "process.h"

#define MAX_CPUS	64
/* The kernel sends such interrupts for itself now and then. What we cause comes each time. */
#define TRIES		50

static int device, session, filter_link, filters[2], linked;
static int nr_cpus;

/* How many function call interrupts each CPU has had. */
static void read_interrupts(unsigned long *counts)
{
	const char *end = strstr(read_file("/proc/interrupts"), "Function call interrupts");
	char *at;

	need(end, "function call interrupts are counted");
	while (end[-1] != '\n')
		end--;
	at = strchr(end, ':') + 1;
	for (int cpu = 0; cpu < nr_cpus; cpu++)
		counts[cpu] = strtoul(at, &at, 10);
}

static bool start(void)
{
	return ioctl(session, TPROF_IOC_START) == 0;
}

static bool flush_it(void)
{
	flush(session);
	return true;
}

static bool clear(void)
{
	return ioctl(session, TPROF_IOC_CLEAR) == 0;
}

static bool change_period(void)
{
	static unsigned int nr;
	struct tprof_period period = { .size = sizeof(period), .period = nr++ % 2 ? 2 * MS : 3 * MS };

	return ioctl(session, TPROF_IOC_PERIOD, &period) == 0;
}

static bool replace(void)
{
	linked = !linked;
	return replace_filter(filter_link, filters[linked]) == 0;
}

static bool stop(void)
{
	return ioctl(session, TPROF_IOC_STOP) == 0;
}

/* In the order of a session's life. */
static const struct call {
	const char *name;
	bool (*work)(void);
	bool settles;			/* concerns CPUs of the session, not those of other users of its source */
} calls[] = {
	{ "START", start, false },
	{ "FLUSH", flush_it, true },
	{ "CLEAR", clear, true },
	{ "PERIOD", change_period, false },
	{ "replacement", replace, true },
	{ "STOP", stop, false },
};

#define NR_CALLS	(sizeof(calls) / sizeof(calls[0]))

/* The number of CPUs but 0 that a call interrupts, @last or not. */
static int interrupted(const struct call *call, int last)
{
	unsigned long before[MAX_CPUS], after[MAX_CPUS];
	int nr = 0;

	read_interrupts(before);
	need(call->work(), "%s works", call->name);
	read_interrupts(after);
	for (int cpu = 1; cpu <= last; cpu++)
		nr += after[cpu] != before[cpu];
	return nr;
}

/* For each call, the least and the most of all tries; of the CPUs up to @last, or of all for calls that settle. */
static void measure(int *least, int *most, int last)
{
	for (size_t i = 0; i < NR_CALLS; i++) {
		least[i] = nr_cpus;
		most[i] = 0;
	}
	for (int tries = 0, worst = 1; tries < TRIES && worst; tries++) {
		worst = 0;
		for (size_t i = 0; i < NR_CALLS; i++) {
			int nr = interrupted(&calls[i], calls[i].settles ? nr_cpus - 1 : last);

			if (nr < least[i])
				least[i] = nr;
			if (nr > most[i])
				most[i] = nr;
			if (least[i] > worst)
				worst = least[i];
		}
	}
}

/* Calls of our session interrupt no CPU but 0, of those up to @last. */
static void none(const char *what, int last)
{
	int least[NR_CALLS], most[NR_CALLS];

	measure(least, most, last);
	for (size_t i = 0; i < NR_CALLS; i++)
		is(least[i], 0, "%s: %s: no CPU of others is interrupted", what, calls[i].name);
}

/* Probes and static keys are patched once for all sessions, which interrupts all CPUs. */
static void warm_up(void)
{
	for (size_t i = 0; i < NR_CALLS; i++)
		need(calls[i].work(), "%s works", calls[i].name);
}

static void make_session(bool timer, bool everywhere)
{
	static const struct bpf_insn done[] = { ANSWER(TPROF_DONE) };

	session = create_session(device);
	need(session >= 0, "a session");
	need((everywhere ? configure(session, 0, 1 << 16) : configure_on_cpu(session, 0, 1 << 16)) == 0,
	     "with streams");
	need((timer ? add_timer(session, MS) : add_perf(session, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MS)) == 0,
	     "with an event");
	for (int i = 0; i < 2; i++)
		need((filters[i] = make_filter(session, "done", 0, done, 2)) >= 0, "a filter");
	linked = 0;
	need((filter_link = link_filter(filters[linked])) >= 0, "is attached");
	warm_up();
}

static void close_session(void)
{
	close(filter_link);
	close(filters[0]);
	close(filters[1]);
	close(session);
}

/* A session of the last CPU shares the source: it has to wait for nothing but our START, PERIOD and STOP. */
static void beside_another(bool timer)
{
	int other = create_session(device);

	need(other >= 0 && configure_on_cpu(other, nr_cpus - 1, 0) == 0, "another session");
	need((timer ? add_timer(other, MS) : add_perf(other, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, MS)) == 0 &&
	     ioctl(other, TPROF_IOC_START) == 0, "of the last CPU, runs");
	none(timer ? "timer, another session" : "perf, another session", nr_cpus - 2);
	close(other);
}

/* A session that has sampled all CPUs, and has ended. */
static void after_another(void)
{
	int keeper = create_session(device), other = create_session(device);

	need(keeper >= 0 && configure_on_cpu(keeper, 0, 0) == 0 && add_timer(keeper, MS) == 0 &&
	     ioctl(keeper, TPROF_IOC_START) == 0, "a session of CPU 0, which keeps the source");
	need(other >= 0 && add_timer(other, MS) == 0 && ioctl(other, TPROF_IOC_START) == 0 &&
	     ioctl(other, TPROF_IOC_STOP) == 0, "a session of all CPUs comes and goes");
	none("timer, after a session of all CPUs", nr_cpus - 1);
	close(other);
	close(keeper);
}

/* Else the tests above could not fail. */
static void all_cpus(void)
{
	int least[NR_CALLS], most[NR_CALLS];

	make_session(true, true);
	measure(least, most, nr_cpus - 1);
	for (size_t i = 0; i < NR_CALLS; i++)
		is(most[i], nr_cpus - 1, "a session of all CPUs: %s: all of them are interrupted", calls[i].name);
	close_session();
}

int main(void)
{
	device = open_device();
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	need(nr_cpus > 1 && nr_cpus <= MAX_CPUS, "there are 2 to %d CPUs", MAX_CPUS);
	pin(0);
	make_session(true, false);
	none("timer", nr_cpus - 1);
	beside_another(true);
	after_another();
	close_session();
	make_session(false, false);
	none("perf", nr_cpus - 1);
	beside_another(false);
	close_session();
	all_cpus();
	return done_testing();
}
