/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Cgroups of the unified (v2) hierarchy: from a path to the id that samples carry, and back.
 *
 * The id is the inode number of the cgroup's directory; on kernels of 64 bits that is the whole id, which is
 * never used again.
 */
#ifndef TPROF_CGROUP_H
#define TPROF_CGROUP_H

#include <stddef.h>
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
 * path as long as it is asked for. Lives until cgroups_age().
 */
const char *cgroups_path(struct cgroups *cgroups, uint64_t id);

/*
 * All tables were read. If more is remembered than the hierarchy had, forgets what was not asked for lately: what is
 * there is found again, and of what has been removed nothing is counted any more.
 */
void cgroups_age(struct cgroups *cgroups);

/* For tests: how many are remembered, and how many more than there are may be. */
size_t cgroups_nr(const struct cgroups *cgroups);
void cgroups_set_max_gone(struct cgroups *cgroups, size_t max_gone);

#endif
