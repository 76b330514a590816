// SPDX-License-Identifier: GPL-2.0-only
/*
 * More threads wait than the table of the module has space for: each of them is counted as lost, and the ledger closes.
 * When they have gone, there is space again. The same for wake-ups.
 *
 * vm: machines=x86-64,next
 */
#include <limits.h>
#include <pthread.h>

#include "ktap.h"
#include "device.h"
#include "process.h"

/* See docs/module.md. */
#define SPARE	1024
/* This many do not fit, or more: threads that wait since before the session started have no entry until they run. */
#define EXCESS	200
#define NAPS	100

static int hold[2];			/* the threads wait for its end */

static unsigned int count_threads(void)
{
	unsigned int running, all;

	need(sscanf(read_file("/proc/loadavg"), "%*s %*s %*s %u/%u", &running, &all) == 2, "threads are counted");
	return all;
}

static void *wait_for_end(void *unused)
{
	char byte;

	(void)!read(hold[0], &byte, 1);
	return unused;
}

/* Returns false if there were not as many. */
static bool start_threads(pthread_t *threads, unsigned int nr)
{
	pthread_attr_t small;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN);
	for (unsigned int i = 0; i < nr; i++) {
		if (pthread_create(&threads[i], &small, wait_for_end, NULL))
			return false;
	}
	/* The last ones may not wait yet. */
	usleep(500000);
	return true;
}

/* Each step begins when it reads a byte, and ends when it writes one. */
static void many_threads(int steps, int done, unsigned int nr)
{
	pthread_t *threads = calloc(nr, sizeof(*threads));
	char byte;

	if (!threads || pipe(hold) || read(steps, &byte, 1) != 1 || !start_threads(threads, nr) ||
	    write(done, "x", 1) != 1 || read(steps, &byte, 1) != 1)
		_exit(EXIT_FAILURE);
	close(hold[1]);
	for (unsigned int i = 0; i < nr; i++)
		pthread_join(threads[i], NULL);
	if (write(done, "x", 1) != 1 || read(steps, &byte, 1) != 1)
		_exit(EXIT_FAILURE);
	for (int i = 0; i < NAPS; i++)
		usleep(1000);
	_exit(write(done, "x", 1) == 1 ? EXIT_SUCCESS : EXIT_FAILURE);
}

static int steps[2], done[2];

static struct tprof_ledger_read step(int session, const char *what)
{
	struct tprof_ledger_read ledger;
	char byte;

	need(write(steps[1], "x", 1) == 1 && read(done[0], &byte, 1) == 1, "%s", what);
	flush(session);
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "%s: the ledger closes", what);
	return ledger;
}

static int new_session(int device, const char *source, pid_t process)
{
	struct tprof_event event = { .size = sizeof(event), .period = 1 };
	const struct tprof_target target = {
		.size = sizeof(target), .kind = TPROF_TARGET_PROCESS, .id = (uint64_t)process,
	};
	int session = create_session(device);

	snprintf(event.source, sizeof(event.source), "%s", source);
	need(ioctl(session, TPROF_IOC_ADD_EVENT, &event) == 0 && ioctl(session, TPROF_IOC_ATTACH, &target) == 0 &&
	     ioctl(session, TPROF_IOC_START) == 0, "a session of the child: %s", source);
	return session;
}

/* The wake-ups of the threads for which there was no space are lost, once for each time that they wait. */
static void wakeups_are_lost(int session, const char *what)
{
	struct tprof_ledger_read ledger;

	flush(session);
	ledger = read_ledger(session, -1);
	check(closes(&ledger), "%s: the ledger of wake-ups closes", what);
	check(ledger.lost[TPROF_LOST_THREADS_FULL].samples >= EXCESS, "%s: %llu wake-ups are lost", what,
	      (unsigned long long)ledger.lost[TPROF_LOST_THREADS_FULL].samples);
}

int main(void)
{
	int device = open_device(), session, wakeups, status;
	struct tprof_ledger_read full, gone, again;
	unsigned int nr = 2 * count_threads() + SPARE + EXCESS;
	pid_t child;

	/* Otherwise short waits are added up after so many others. */
	need(write_file("/sys/module/tprof/parameters/cpu_time_max_percent", "100") == 0, "no limit");
	need(pipe(steps) == 0 && pipe(done) == 0, "pipes");
	child = new_child();
	if (!child) {
		close(done[0]);
		many_threads(steps[0], done[1], nr);
	}
	close(done[1]);
	session = new_session(device, "off-cpu", child);
	wakeups = new_session(device, "wakeup", child);
	full = step(session, "more threads than there is space for");
	wakeups_are_lost(wakeups, "more threads than there is space for");
	check(full.lost[TPROF_LOST_THREADS_FULL].samples >= EXCESS, "%llu of %u are lost",
	      (unsigned long long)full.lost[TPROF_LOST_THREADS_FULL].samples, nr);
	is(full.lost[TPROF_LOST_THREADS_FULL].weight, 0, "how long they wait is not known");
	gone = step(session, "they have gone");
	again = step(session, "further waits");
	wakeups_are_lost(wakeups, "they have gone");
	is(again.lost[TPROF_LOST_THREADS_FULL].samples, gone.lost[TPROF_LOST_THREADS_FULL].samples,
	   "there is space for them");
	check(again.outcomes[TPROF_OUTCOME_DONE].samples >= gone.outcomes[TPROF_OUTCOME_DONE].samples + NAPS,
	      "each of them is a sample");
	need(ioctl(session, TPROF_IOC_STOP) == 0, "stop");
	need(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child ends");
	return done_testing();
}
