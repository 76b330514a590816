// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivery does not cause the events that it delivers, without end: on an idle CPU, each tracepoint that is sampled
 * with period 1 occurs about as often as when it is only counted. Walks the tracepoints of idle states and interrupts,
 * or with walk_all=1 in the environment, as on the machine next, those of timers, tasks and the scheduler, too.
 *
 * vm: all=arm64 seconds=240
 */
#include <dirent.h>

#include "ktap.h"
#include "device.h"
#include "process.h"

#define CPU	1
#define EVENTS	"/sys/kernel/tracing/events/"
#define WINDOW	(30 * MS)

#define NR_ALWAYS 4

static const char *const subsystems[] = {
	"power", "irq", "rcu", "context_tracking",
	"irq_vectors", "timer", "sched", "ipi", "tlb", "msr", "workqueue", "lock", "preemptirq", "nmi", "thermal",
	"signal", "task", "cgroup", "cpuhp",
};

static int device;
static unsigned int nr_walked, nr_refused;

struct rates {
	double events, samples;			/* a second, on the CPU */
};

static void sleep_ns(uint64_t ns)
{
	struct timespec time = { .tv_nsec = (long)ns };

	nanosleep(&time, NULL);
}

/* Returns false if the event cannot be opened with this period. */
static bool measure(long id, uint64_t period, struct rates *rates)
{
	int session = create_session(device);
	struct tprof_ledger_read ledger;
	struct tprof_counts counts;
	double seconds;
	uint64_t began;

	need(session >= 0 && configure_on_cpu(session, CPU, 0) == 0, "a session of CPU 1");
	if (add_perf(session, PERF_TYPE_TRACEPOINT, (uint64_t)id, period) < 0 || ioctl(session, TPROF_IOC_START) < 0) {
		close(session);
		return false;
	}
	began = now_ns();
	sleep_ns(WINDOW);
	need(ioctl(session, TPROF_IOC_STOP) == 0, "it stops");
	seconds = (double)(now_ns() - began) / 1e9;
	counts = read_counts(session, 0, CPU);
	ledger = read_ledger(session, CPU);
	rates->events = (double)counts.value / seconds;
	rates->samples = (double)ledger.fired.samples / seconds;
	if (!closes(&ledger))
		check(false, "the ledger closes");
	close(session);
	return true;
}

/* Twice, if it looks like feedback: another process may have woken the CPU. */
static void walk(const char *name, long id)
{
	struct rates counted, sampled;

	for (int try = 0; try < 3; try++) {
		if (!measure(id, 0, &counted) || !measure(id, 1, &sampled)) {
			nr_refused++;
			return;
		}
		nr_walked += !try;
		if (sampled.samples < 3 * counted.events + 500)
			return;
	}
	check(false, "%s: counted %.0f events/s, sampled %.0f events/s and %.0f samples/s", name, counted.events,
	      sampled.events, sampled.samples);
}

static void walk_subsystem(const char *subsystem)
{
	char path[512];
	struct dirent *entry;
	DIR *directory;

	snprintf(path, sizeof(path), EVENTS "%s", subsystem);
	directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		snprintf(path, sizeof(path), EVENTS "%s/%s/id", subsystem, entry->d_name);
		if (entry->d_name[0] == '.' || access(path, R_OK))
			continue;
		walk(path + strlen(EVENTS), atol(read_file(path)));
	}
	if (directory)
		closedir(directory);
}

int main(void)
{
	size_t nr = getenv("walk_all") ? sizeof(subsystems) / sizeof(subsystems[0]) : NR_ALWAYS;

	device = open_device();
	pin(0);
	for (size_t i = 0; i < nr; i++)
		walk_subsystem(subsystems[i]);
	diag("%u tracepoints walked, %u cannot be sampled", nr_walked, nr_refused);
	check(nr_walked > 5, "the kernel has tracepoints");
	return done_testing();
}
