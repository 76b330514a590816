// SPDX-License-Identifier: GPL-2.0-only
/*
 * An idle CPU under a timer session sleeps as if there were none: its timer interrupts are counted over five seconds,
 * alone, with the timer, and with an event of perf at the same rate. What it missed is made up for: the weight of the
 * idle samples is the time spent idle, and a task that sleeps and wakes is seen for its CPU time.
 *
 * vm: seconds=120
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "scope.h"

#define CPU	1
#define PERIOD	MS
#define SECONDS	5

static int device;

/* Interrupts of the CPU's own timer. */
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

static unsigned long over_five_seconds(const char *name)
{
	unsigned long before = timer_interrupts(), nr;

	sleep(SECONDS);
	nr = timer_interrupts() - before;
	diag("%s: %lu timer interrupts in %d s", name, nr, SECONDS);
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
	unsigned long alone, with_timer, with_perf;
	int session, event;
	struct tprof_ledger_read ledger;
	struct run run;

	alone = over_five_seconds("alone");
	session = timer_session();
	start_run(session, &run);
	with_timer = over_five_seconds("timer");
	stop_run(session, &run);
	event = perf_event();
	need(event >= 0, "an event of perf");
	with_perf = over_five_seconds("perf");
	close(event);

	/* An emulator that is behind gives less than a thousand interrupts a second. */
	check(with_perf > alone + SECONDS * 1000000000ULL / PERIOD / 5, "perf wakes an idle CPU");
	/* What happens to be waking it differs; a fifth of a timer that runs would not be chance. */
	check(with_timer < alone + (with_perf - alone) / 5, "the timer does not");
	ledger = read_ledger(session, CPU);
	check(closes(&ledger) && !lost(&ledger), "the ledger closes, nothing is lost");
	check(ledger.idle.weight <= ledger.fired.weight, "idle samples are samples");
	check(ledger.idle.weight > SECONDS * 900 * MS, "nearly all of the time was idle");
	check(is_time_of(&run, ledger.fired.weight, PERIOD), "no time is missing, and there is none too much");
	check(ledger.fired.samples < SECONDS * 1000000000ULL / PERIOD / 2, "it took less samples than periods");
	diag("%llu samples of %llu ns", ledger.fired.samples, ledger.fired.weight);
	close(session);
}

/* Naps of all lengths, and work of all lengths, some shorter than a period. */
static void wakes(void)
{
	int session = timer_session();
	struct tprof_ledger_read ledger;
	uint64_t busy = 0, seen, passed, began;
	struct run run;

	need(attach(session, TPROF_TARGET_THREAD, getpid()) == 0, "sees this thread");
	srand(1);
	pin(CPU);
	start_run(session, &run);
	for (int i = 0; i < 600; i++) {
		usleep(rand() % 5000);
		began = now_ns();
		burn(rand() % 2 ? rand() % (MS / 2) : rand() % (6 * MS));
		busy += now_ns() - began;
	}
	stop_run(session, &run);
	passed = run.stop_ends_ns - run.start_begins_ns;
	seen = seen_ns(session);
	same_time(seen, busy, PERIOD, "who sleeps and wakes is seen for its CPU time");
	diag("seen %llu of %llu ns, in %llu ns", (unsigned long long)seen, (unsigned long long)busy,
	     (unsigned long long)passed);
	ledger = read_ledger(session, CPU);
	check(closes(&ledger) && !lost(&ledger), "the ledger closes, nothing is lost");
	check(ledger.idle.weight > 0, "the rest is idle, or others'");
	check(is_time_of(&run, ledger.fired.weight, PERIOD),
	      "no time is missing, and there is none too much");
	diag("fired %llu, idle %llu of %llu ns", ledger.fired.weight, ledger.idle.weight, (unsigned long long)passed);
	close(session);
}

int main(void)
{
	device = open_device();
	diag("clock: %s", read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
	diag("idle: %s", read_file("/sys/devices/system/cpu/cpuidle/current_driver"));
	pin(0);
	sleeps();
	wakes();
	return done_testing();
}
