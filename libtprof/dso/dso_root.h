/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Roots of processes that see other files than we do: of containers, and behind chroot(2). Kept open, each once, for
 * their processes may be gone when debug files are looked for.
 */
#ifndef TPROF_DSO_ROOT_H
#define TPROF_DSO_ROOT_H

#include <sys/stat.h>
#include <sys/types.h>

#include "rights/broker.h"

/* More roots than have code that is named at a time, as a rule; the debug files of others are looked for in ours. */
#define DSO_ROOTS_MAX 64

struct dso_roots {
	struct dso_root {
		dev_t dev;
		ino_t ino;
		ino_t mounts;	/* the mount namespace */
		int fd;
		char *path;	/* as we see it; "" if we do not */
		unsigned int refs;
	} roots[DSO_ROOTS_MAX];
	size_t nr;
	struct dso_root own;
};

void dso_roots_init(struct dso_roots *roots);
void dso_roots_fini(struct dso_roots *roots);

/* The root of a process, open until it is put; NULL: it is ours, or cannot be had. @broker may be NULL. */
struct dso_root *dso_roots_get(struct dso_roots *roots, struct broker *broker, pid_t pid);
/* It stays open until its place is needed. */
void dso_root_put(struct dso_root *root);

/* A path in the root. What /proc says of a process is a path in ours if we see the place, else one in that root. */
const char *dso_root_inside(const struct dso_root *root, const char *path);

#endif
