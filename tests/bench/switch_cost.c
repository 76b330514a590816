// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counts the instructions of a context switch while cgroups are counted, on a machine whose clock advances by a
 * nanosecond with each instruction. Two processes in cgroups of their own hand a byte to each other through pipes.
 * Prints lines
 *
 *	@switch NAME CGROUPS INSTRUCTIONS
 *
 * where NAME is floor (nothing counts), stat (tprof_counters__open() with cgroups) or copies (a perf event for each
 * cgroup and CPU, as perf stat --for-each-cgroup opens them).
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libtprof/tprof.h"
#include "libtprof/tprof_count.h"
#include "switches.h"

#define NR_CGROUPS	100

static char paths[NR_CGROUPS][64];	/* below the cgroup v2 root */

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		fail("%s: %s", path, strerror(errno));
}

/* The first controller that is enabled also enables the one of perf, which no file names. */
static void make_cgroups(void)
{
	char dir[128];

	write_text("/sys/fs/cgroup/cgroup.subtree_control", "+pids");
	for (int i = 0; i < NR_CGROUPS; i++) {
		snprintf(paths[i], sizeof(paths[i]), "/bench%d", i);
		snprintf(dir, sizeof(dir), "/sys/fs/cgroup%s", paths[i]);
		if (mkdir(dir, 0755))
			fail("%s: %s", dir, strerror(errno));
	}
}

static void enter_cgroup(int i)
{
	char file[128];

	snprintf(file, sizeof(file), "/sys/fs/cgroup%s/cgroup.procs", paths[i]);
	write_text(file, "0\n");
}

static void enter_other_cgroup(void)
{
	enter_cgroup(1);
}

static double measure(void)
{
	return switches_measure(enter_other_cgroup);
}

static void with_stat(int nr)
{
	const char *const event = "task-clock";
	const char *cgroups[NR_CGROUPS];
	struct tprof_error error;
	TPROF_OPTS(tprof_counters_opts, opts, .events = &event, .nr_events = 1, .cgroups = cgroups,
		   .nr_cgroups = (size_t)nr);
	struct tprof_counters *counters;
	double cost;

	for (int i = 0; i < nr; i++)
		cgroups[i] = paths[i];
	counters = tprof_counters__open(&opts, &error);
	if (!counters)
		fail("%s", error.text);
	if (tprof_counters__start(counters))
		fail("%s", tprof_counters__error(counters));
	cost = measure();
	if (tprof_counters__stop(counters))
		fail("%s", tprof_counters__error(counters));
	printf("@switch stat %d %.1f\n", nr, cost);
	tprof_counters__close(counters);
}

static void with_copies(int nr)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_TASK_CLOCK,
	};
	int fds[NR_CGROUPS];

	for (int i = 0; i < nr; i++) {
		char dir[128];
		int cgroup;

		snprintf(dir, sizeof(dir), "/sys/fs/cgroup%s", paths[i]);
		cgroup = open(dir, O_RDONLY | O_CLOEXEC);
		fds[i] = (int)syscall(SYS_perf_event_open, &attr, cgroup, 0, -1, PERF_FLAG_PID_CGROUP);
		if (cgroup < 0 || fds[i] < 0)
			fail("%s: no perf event: %s", dir, strerror(errno));
		close(cgroup);
	}
	printf("@switch copies %d %.1f\n", nr, measure());
	for (int i = 0; i < nr; i++)
		close(fds[i]);
}

int main(void)
{
	make_cgroups();
	enter_cgroup(0);
	printf("@switch floor 0 %.1f\n", measure());
	with_stat(1);
	with_stat(10);
	with_stat(NR_CGROUPS);
	with_copies(1);
	with_copies(10);
	with_copies(NR_CGROUPS);
	return 0;
}
