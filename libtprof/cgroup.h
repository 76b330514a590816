/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Cgroups of the unified (v2) hierarchy: from a path to the id that samples carry, and back.
 *
 * The id is the inode number of the cgroup's directory; on kernels of 64 bits that is the whole id, which is
 * never used again.
 */
#ifndef TPROF_CGROUP_H
#define TPROF_CGROUP_H

#include <stdint.h>

struct cgroups;

/* Where the hierarchy is mounted. */
struct cgroup_mount {
	char *point;		/* the caller's to free */
	char *root;		/* which cgroup is mounted there, mostly "/"; the caller's to free */
};

/* Finds the mount in the text of /proc/PID/mountinfo. Errors: EOPNOTSUPP (there is none), ENOMEM. */
int cgroup_parse_mountinfo(const char *text, struct cgroup_mount *mount);

/*
 * Id and level (depth below the root, which is 0) of a cgroup. @path is relative to the root of the
 * hierarchy, with or without a leading '/', or a path below the mount point.
 * In a cgroup namespace the level is known only if the caller is in a cgroup of it, and may run BPF programs.
 * Errors: EOPNOTSUPP (no v2 hierarchy is mounted), ENOENT, EINVAL (not a v2 cgroup), those of stat(2).
 */
#define CGROUP_LEVEL_UNKNOWN UINT32_MAX
int cgroup_lookup(const char *path, uint64_t *id, uint32_t *level);

/* Remembers paths by id. Works without a hierarchy too: then it knows none. NULL if there is no memory. */
struct cgroups *cgroups_new(void);
void cgroups_free(struct cgroups *cgroups);

/*
 * Path of a cgroup relative to the root of the hierarchy ("/", "/user.slice/..."), or NULL if it was gone
 * before it was first asked for. The hierarchy is read when an id is new; a cgroup that is removed keeps its
 * path. Lives as long as @cgroups.
 */
const char *cgroups_path(struct cgroups *cgroups, uint64_t id);

#endif
