/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf events that occupy hardware counters, for guest tests in C. Include ktap.h, device.h and process.h first. */
#ifndef TPROF_TESTS_PMU_H
#define TPROF_TESTS_PMU_H

#include <sys/syscall.h>

#define MOST_COUNTERS	32

/* CPU cycles, as an event for any counter of the PMU. */
#define ARMV8_CPU_CYCLES	0x11

struct pmu_reading {
	uint64_t value, enabled_ns, running_ns;
};

static int pmu_fds[MOST_COUNTERS], pmu_nr;

/* Opens @nr perf events on CPU 0, until disperse(). Returns the number of events that count all the time. */
__attribute__((unused))
static int crowd(int nr, bool pinned)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .config = ARMV8_CPU_CYCLES, .size = sizeof(attr), .pinned = pinned,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int nr_running = 0;

	for (pmu_nr = 0; pmu_nr < nr; pmu_nr++) {
		pmu_fds[pmu_nr] = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
		need(pmu_fds[pmu_nr] >= 0, "an event of perf");
	}
	burn(200 * MS);
	for (int i = 0; i < nr; i++) {
		struct pmu_reading reading = { 0 };

		/* A pinned event without a counter is in error state: a read returns 0 bytes. */
		if (read(pmu_fds[i], &reading, sizeof(reading)) == sizeof(reading) && reading.value &&
		    reading.running_ns == reading.enabled_ns)
			nr_running++;
	}
	return nr_running;
}

__attribute__((unused))
static void disperse(void)
{
	while (pmu_nr)
		close(pmu_fds[--pmu_nr]);
}

#endif
