// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hardware counter of the module has the same count as `perf stat` on the same CPU over a fixed loop, and there are
 * as many samples as periods in this count. The clock of the machine counts instructions, because interrupts of other
 * emulated machines are late, and overflows in the meantime are lost.
 * vm: machines=arm64-icount
 */
#include "ktap.h"
#include "device.h"
#include "process.h"

#define PERIOD	500000

static const struct event {
	const char *name;
	uint64_t config;
} events[] = {
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES },
	/* The machine counts instructions, but only cycles cause overflow interrupts. */
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS },
};

/* Takes some seconds, so that its start has little weight. */
static void fixed_loop(void)
{
	for (volatile int i = 0; i < 300000000; i++)
		;
}

/* Makes a session on CPU 0 that counts the event during the loop, and samples it unless @period is 0. */
static int run_loop(const struct event *event, uint64_t period)
{
	int session = create_session(open_device());

	pin(0);
	need(session >= 0 && add_perf(session, PERF_TYPE_HARDWARE, event->config, period) == 0, "a session");
	need(ioctl(session, TPROF_IOC_START) == 0, "it starts");
	fixed_loop();
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	return session;
}

/* Whether @got differs from @wanted by at most @permille thousandths. */
static bool is_near(uint64_t got, uint64_t wanted, uint64_t permille)
{
	uint64_t difference = got > wanted ? got - wanted : wanted - got;

	diag("%llu, %llu", (unsigned long long)got, (unsigned long long)wanted);
	return wanted && difference * 1000 <= wanted * permille;
}

static void beside_perf_stat(const struct event *event, const char *self)
{
	unsigned long long counted = 0, perf = 0;
	char line[256];
	FILE *out;

	snprintf(line, sizeof(line), "perf stat -x, -C 0 -e %s -- %s %s 2>&1", event->name, self, event->name);
	out = popen(line, "r");
	need(out, "perf stat starts");
	while (fgets(line, sizeof(line), out)) {
		if (sscanf(line, "counted %llu", &counted) != 1 && strstr(line, event->name))
			sscanf(line, "%llu,", &perf);
	}
	is(pclose(out), 0, "%s: perf stat runs", event->name);
	check(is_near(counted, perf, 20), "%s: the module counts what perf stat counts, within 2 %%", event->name);
}

static void periods(const struct event *event)
{
	int session = run_loop(event, PERIOD);
	struct tprof_ledger_read ledger = read_ledger(session, 0);
	uint64_t counted = read_counts(session, 0, 0).value;

	check(counted > 100 * PERIOD, "%s: the loop takes its time", event->name);
	check(is_near(ledger.fired.samples * PERIOD, counted, 10), "%s: as many samples as periods, within 1 %%",
	      event->name);
	is(ledger.fired.weight, ledger.fired.samples * PERIOD, "%s: each stands for one", event->name);
	check(closes(&ledger) && !lost(&ledger), "%s: the ledger closes, nothing is lost", event->name);
	close(session);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		const struct event *event = &events[strcmp(argv[1], "cycles") != 0];

		printf("counted %llu\n", (unsigned long long)read_counts(run_loop(event, 0), 0, 0).value);
		return 0;
	}
	beside_perf_stat(&events[0], argv[0]);
	periods(&events[0]);
	beside_perf_stat(&events[1], argv[0]);
	return done_testing();
}
