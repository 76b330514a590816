/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Lists of CPUs: those that are online, and the subset that the user selected. */
#ifndef TPROF_CPUS_H
#define TPROF_CPUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct cpus {
	unsigned int *ids;		/* ascending, but for those that came online later */
	size_t nr;
	unsigned int nr_online;
	bool chosen;			/* selected by a list; false: all online CPUs */
};

/*
 * Parses a list like "0-3,8"; NULL selects all online CPUs. Errors: EINVAL (malformed list), ENXIO (a CPU is not
 * online), ENOMEM.
 */
int cpus_init(struct cpus *cpus, const char *list, struct tprof_error *error);
/*
 * Reads which CPUs are online now, and adds those that are missing at the end, unless the CPUs were selected by a list.
 * *online, in which the caller may look them up, has to be released. Errors: ENOMEM, those of reading /sys.
 */
int cpus_follow(struct cpus *cpus, struct cpus *online);
/* Is it among them? */
bool cpus_have(const struct cpus *cpus, unsigned int cpu);
void cpus_release(struct cpus *cpus);

/* Parses a list in the kernel's format. Errors: EINVAL, ENOMEM. */
int cpus_parse(struct cpus *cpus, const char *list);

#endif
