/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Idle time of each CPU from /proc/stat, with a resolution of 10 ms. */
#ifndef TPROF_CPU_IDLE_H
#define TPROF_CPU_IDLE_H

#include <stddef.h>
#include <stdint.h>

/* Fills idle_ns[cpu] for cpu < nr. CPUs that are not listed keep their value. Returns 0 or -errno. */
int cpu_idle_read(uint64_t *idle_ns, size_t nr);

/*
 * Parses one line of /proc/stat. Returns 1 and sets the CPU and its idle time (idle and iowait), or 0 if it is not a
 * CPU's line.
 */
int cpu_idle_parse(const char *line, unsigned int *cpu, uint64_t *ticks);

#endif
