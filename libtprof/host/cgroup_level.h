/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The level of a cgroup in a cgroup namespace. Paths there are relative to the root of the namespace and do not reveal
 * it.
 */
#ifndef TPROF_CGROUP_LEVEL_H
#define TPROF_CGROUP_LEVEL_H

#include <stdint.h>

/*
 * Level of a cgroup that contains this process or is an ancestor of its cgroup, counted from the root of the hierarchy
 * (0), as BPF helpers count it. Errors: ENOENT (this process is not in or below the cgroup), those of loading and
 * running a BPF program.
 */
int cgroup_level_of_own(uint64_t id, uint32_t *level);

#endif
