// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Roots of processes that see other files than we do. */
#include "dso_root.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* False if the process is gone, or not ours to look at. */
static bool identify(const char *process, struct dso_root *root)
{
	struct stat directory, mounts;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/root/", process);
	if (stat(path, &directory))
		return false;
	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (stat(path, &mounts))
		return false;
	*root = (struct dso_root){
		.dev = directory.st_dev, .ino = directory.st_ino, .mounts = mounts.st_ino, .fd = -1,
	};
	return true;
}

static bool same_root(const struct dso_root *a, const struct dso_root *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->mounts == b->mounts;
}

void dso_roots_init(struct dso_roots *roots)
{
	*roots = (struct dso_roots){ 0 };
	identify("self", &roots->own);
}

void dso_roots_fini(struct dso_roots *roots)
{
	for (size_t i = 0; i < roots->nr; i++) {
		close(roots->roots[i].fd);
		free(roots->roots[i].path);
	}
	roots->nr = 0;
}

static const struct dso_root *add(struct dso_roots *roots, const char *process, const struct dso_root *found)
{
	struct dso_root *root = &roots->roots[roots->nr];
	char link[64], path[PATH_MAX];
	ssize_t length;

	*root = *found;
	snprintf(link, sizeof(link), "/proc/%s/root", process);
	length = readlink(link, path, sizeof(path) - 1);
	path[length < 0 ? 0 : length] = '\0';
	root->path = strdup(path);
	root->fd = open(link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->path && root->fd >= 0) {
		roots->nr++;
		return root;
	}
	if (root->fd >= 0)
		close(root->fd);
	free(root->path);
	return NULL;
}

const struct dso_root *dso_roots_get(struct dso_roots *roots, pid_t pid)
{
	struct dso_root root;
	char process[16];

	snprintf(process, sizeof(process), "%d", pid);
	if (pid <= 0 || !identify(process, &root) || same_root(&root, &roots->own))
		return NULL;
	for (size_t i = 0; i < roots->nr; i++) {
		if (same_root(&root, &roots->roots[i]))
			return &roots->roots[i];
	}
	return roots->nr == DSO_ROOTS_MAX ? NULL : add(roots, process, &root);
}

const char *dso_root_inside(const struct dso_root *root, const char *path)
{
	size_t length = strlen(root->path);

	return length > 1 && !strncmp(path, root->path, length) && path[length] == '/' ? path + length : path;
}
