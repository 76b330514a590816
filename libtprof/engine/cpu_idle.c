// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Idle time of each CPU. */
#include "cpu_idle.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cpu_idle_parse(const char *line, unsigned int *cpu, uint64_t *ticks)
{
	uint64_t idle, iowait;

	/* The line of all CPUs together begins "cpu  ...", and sscanf() would skip the blanks. */
	if (strncmp(line, "cpu", 3) != 0 || !isdigit((unsigned char)line[3]))
		return 0;
	if (sscanf(line, "cpu%u %*u %*u %*u %" SCNu64 " %" SCNu64, cpu, &idle, &iowait) != 3)
		return 0;
	*ticks = idle + iowait;
	return 1;
}

int cpu_idle_read(uint64_t *idle_ns, size_t nr)
{
	const uint64_t tick_ns = 1000000000ULL / (uint64_t)sysconf(_SC_CLK_TCK);
	FILE *file = fopen("/proc/stat", "re");
	char line[256];
	unsigned int cpu;
	uint64_t ticks;

	if (!file)
		return -errno;
	/* The CPU lines come first. Stops before the long lines of interrupts. */
	while (fgets(line, sizeof(line), file) && strncmp(line, "cpu", 3) == 0) {
		if (cpu_idle_parse(line, &cpu, &ticks) && cpu < nr)
			idle_ns[cpu] = ticks * tick_ns;
	}
	fclose(file);
	return 0;
}
