/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Cgroups of the unified (v2) hierarchy: converts between paths and the ids in samples.
 *
 * The id is the inode number of the cgroup's directory. On 64-bit kernels this is the full id, and ids are never
 * reused.
 */
#ifndef TPROF_CGROUP_H
#define TPROF_CGROUP_H

#include <stddef.h>
#include <stdint.h>

struct cgroups;

/* The mount point of the hierarchy. */
struct cgroup_mount {
	char *point;		/* owned by the caller */
	char *root;		/* the cgroup that is mounted there, usually "/"; owned by the caller */
};

/* Finds the mount in the text of /proc/PID/mountinfo. Errors: EOPNOTSUPP (no cgroup2 mount), ENOMEM. */
int cgroup_parse_mountinfo(const char *text, struct cgroup_mount *mount);

/*
 * Looks up the id and the level (depth below the root, which has level 0) of a cgroup. @path is relative to the root of
 * the hierarchy, with or without a leading '/', or a path below the mount point. In a cgroup namespace the level is
 * known only if the caller is in or below the mounted cgroup and may run BPF programs. Errors: EOPNOTSUPP (no v2
 * hierarchy is mounted), ENOENT, EINVAL (not a v2 cgroup), those of stat(2).
 */
#define CGROUP_LEVEL_UNKNOWN UINT32_MAX
int cgroup_lookup(const char *path, uint64_t *id, uint32_t *level);

/* A cache of paths by id. Without a mounted hierarchy it knows no cgroup. Returns NULL if memory is exhausted. */
struct cgroups *cgroups_new(void);
void cgroups_free(struct cgroups *cgroups);

/*
 * Path of a cgroup relative to the root of the hierarchy ("/", "/user.slice/..."), or NULL if the cgroup was removed
 * before the first lookup. An unknown id triggers a scan of the hierarchy. A removed cgroup keeps its path as long as
 * it is looked up. The string is valid until cgroups_age().
 */
const char *cgroups_path(struct cgroups *cgroups, uint64_t id);

/*
 * Call it after all tables of an interval have been read. If the cache is much larger than the hierarchy, drops the
 * entries that were not looked up recently. Dropped cgroups that still exist are found by the next scan; removed ones
 * get no more samples.
 */
void cgroups_age(struct cgroups *cgroups);

/* For tests: the number of cached cgroups, and the limit for removed ones. */
size_t cgroups_nr(const struct cgroups *cgroups);
void cgroups_set_max_gone(struct cgroups *cgroups, size_t max_gone);

#endif
