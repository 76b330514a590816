/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Root directories of processes that differ from our own: those of containers and chroot(2). Each is stored once and
 * kept open, because its processes may have exited when debug files are searched.
 */
#ifndef TPROF_DSO_ROOT_H
#define TPROF_DSO_ROOT_H

#include <sys/stat.h>
#include <sys/types.h>

#include "rights/broker.h"

/*
 * Usually more than the roots with code to symbolize. For roots beyond this limit, debug files are searched in our own
 * root.
 */
#define DSO_ROOTS_MAX 64

struct dso_roots {
	struct dso_root {
		dev_t dev;
		ino_t ino;
		ino_t mounts;	/* inode number of the mount namespace */
		int fd;
		char *path;	/* its path in our own root; "" if not visible there */
		unsigned int refs;
	} roots[DSO_ROOTS_MAX];
	size_t nr;
	struct dso_root own;
};

void dso_roots_init(struct dso_roots *roots);
void dso_roots_fini(struct dso_roots *roots);

/* The root of a process; it stays open until it is put. NULL: our own, or not accessible. @broker may be NULL. */
struct dso_root *dso_roots_get(struct dso_roots *roots, struct broker *broker, pid_t pid);
/* Drops a reference. The root stays open until its slot is needed. */
void dso_root_put(struct dso_root *root);

/*
 * Converts a path of a process to a path in @root. /proc shows paths relative to our own root if they are visible
 * there, else relative to that of the process.
 */
const char *dso_root_inside(const struct dso_root *root, const char *path);

#endif
