/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* How deep a cgroup is, where paths do not tell: in a cgroup namespace they begin at its root, wherever that is. */
#ifndef TPROF_CGROUP_LEVEL_H
#define TPROF_CGROUP_LEVEL_H

#include <stdint.h>

/*
 * Depth of a cgroup that this process is in or below, as programs count it: that of the root of the hierarchy is 0.
 * Errors: ENOENT (it is in another one), those of loading and running a BPF program.
 */
int cgroup_level_of_own(uint64_t id, uint32_t *level);

#endif
