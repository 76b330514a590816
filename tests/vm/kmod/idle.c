// SPDX-License-Identifier: GPL-2.0-only
/*
 * A timer session does not wake an idle CPU: its timer interrupts are counted with a perf event until there are enough,
 * and for the same time without a session and with the timer at the same rate. The weight of the idle samples is the
 * idle time, although the timer did not fire.
 *
 * vm: seconds=120
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "scope.h"

#define CPU	1
#define PERIOD	MS
#define SECONDS	2		/* at least */
#define ENOUGH	1000		/* interrupts; a slow emulator needs more than a second for them */

static int device;

/* Returns the number of local timer interrupts of the CPU. */
static unsigned long timer_interrupts(void)
{
	const char *line = strstr(read_file("/proc/interrupts"), "LOC:");
	unsigned long counts[2];

	if (!line) {
		line = strstr(read_file("/proc/interrupts"), "arch_timer");
		need(line, "timer interrupts are counted");
		while (line[-1] != '\n')
			line--;
	}
	need(sscanf(strchr(line, ':') + 1, "%lu %lu", &counts[0], &counts[1]) == 2, "on each CPU");
	return counts[CPU];
}

/* Counts for @seconds, or longer, until there are @enough. */
static unsigned long counted_while(const char *name, int *seconds, unsigned long enough)
{
	unsigned long before = timer_interrupts(), nr;

	sleep(*seconds);
	while ((nr = timer_interrupts() - before) < enough && *seconds < 20) {
		sleep(1);
		++*seconds;
	}
	diag("%s: %lu timer interrupts in %d s", name, nr, *seconds);
	return nr;
}

static int timer_session(void)
{
	int session = create_session(device);

	need(session >= 0 && add_timer(session, PERIOD) == 0, "a session");
	return session;
}

static int perf_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .size = sizeof(attr),
			.sample_period = PERIOD,
	};

	return syscall(SYS_perf_event_open, &attr, -1, CPU, -1, PERF_FLAG_FD_CLOEXEC);
}

static void sleeps(void)
{
	unsigned long alone, with_timer, with_perf, busy;
	int session, event, seconds = SECONDS;
	struct tprof_ledger_read ledger;
	struct run run;

	event = perf_event();
	need(event >= 0, "an event of perf");
	with_perf = counted_while("perf", &seconds, ENOUGH);
	close(event);
	alone = counted_while("alone", &seconds, 0);
	session = timer_session();
	start_run(session, &run);
	with_timer = counted_while("timer", &seconds, 0);
	stop_run(session, &run);
	ledger = read_ledger(session, CPU);
	busy = ledger.fired.samples - ledger.idle.samples;
	diag("%llu samples of %llu ns, %lu while it was not idle", ledger.fired.samples, ledger.fired.weight, busy);

	check(with_perf > alone + ENOUGH / 2, "perf wakes an idle CPU");
	/*
	 * Other wakeups vary, but a fifth of the interrupts of a running timer would not be random. A wakeup may keep
	 * the CPU busy for some periods, in which the timer fires.
	 */
	check(with_timer < alone + busy + (with_perf - alone) / 5, "the timer does not");
	check(closes(&ledger) && !lost(&ledger), "the ledger closes, nothing is lost");
	check(ledger.idle.weight <= ledger.fired.weight, "idle samples are samples");
	check(ledger.idle.weight > seconds * 900 * MS, "nearly all of the time was idle");
	check(is_time_of(&run, ledger.fired.weight, PERIOD), "no time is missing, and there is none too much");
	check(ledger.fired.samples < seconds * 1000000000ULL / PERIOD / 2, "it took less samples than periods");
	close(session);
}

int main(void)
{
	device = open_device();
	diag("clock: %s", read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
	diag("idle: %s", read_file("/sys/devices/system/cpu/cpuidle/current_driver"));
	pin(0);
	sleeps();
	return done_testing();
}
