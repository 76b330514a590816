// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer continues when its CPU wakes: a task that sleeps and works has samples for its CPU time. In a machine whose
 * clock counts instructions, because interrupts of other emulated machines are late.
 *
 * vm: machines=arm64-icount
 */
#include "ktap.h"
#include "device.h"
#include "process.h"
#include "scope.h"

#define CPU	1
#define PERIOD	MS

/* Sleeps and works for random times, some shorter than a period. */
static void wakes(int device)
{
	int session = create_session(device);
	struct tprof_ledger_read ledger;
	uint64_t busy = 0, seen, passed, began;
	struct run run;

	need(session >= 0 && add_timer(session, PERIOD) == 0, "a session");
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
	wakes(open_device());
	return done_testing();
}
