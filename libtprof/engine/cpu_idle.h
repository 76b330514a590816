/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* How long each CPU has been idle, by the kernel's own account (/proc/stat; a hundredth of a second exact). */
#ifndef TPROF_CPU_IDLE_H
#define TPROF_CPU_IDLE_H

#include <stddef.h>
#include <stdint.h>

/* Fills idle_ns[cpu] for cpu < nr; CPUs that are not listed keep what they had. Returns 0 or -errno. */
int cpu_idle_read(uint64_t *idle_ns, size_t nr);

/* One line of /proc/stat: 1 and the CPU and its idle time (idle and iowait), or 0 if it is not such a line. */
int cpu_idle_parse(const char *line, unsigned int *cpu, uint64_t *ticks);

#endif
