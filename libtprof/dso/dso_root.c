// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Root directories of processes that differ from our own. */
#include "dso_root.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rights/foreign.h"

/* @directory is the open root directory. Returns false if there is none or its identity is unknown. */
static bool identify(struct broker *broker, int directory, pid_t pid, struct dso_root *root)
{
	int namespace = foreign_open(broker, BROKER_MOUNTS, pid);
	struct stat st, mounts;
	bool is_known = namespace >= 0 && !fstat(namespace, &mounts) && !fstat(directory, &st);

	if (namespace >= 0)
		close(namespace);
	if (is_known)
		*root = (struct dso_root){
			.dev = st.st_dev, .ino = st.st_ino, .mounts = mounts.st_ino, .fd = directory,
		};
	return is_known;
}

static bool same_root(const struct dso_root *a, const struct dso_root *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->mounts == b->mounts;
}

static void forget(struct dso_root *root)
{
	if (root->fd >= 0)
		close(root->fd);
	free(root->path);
	*root = (struct dso_root){ .fd = -1 };
}

void dso_roots_init(struct dso_roots *roots)
{
	int root;

	*roots = (struct dso_roots){ 0 };
	root = foreign_open(NULL, BROKER_ROOT, getpid());
	if (root < 0)
		return;
	identify(NULL, root, getpid(), &roots->own);
	close(root);
}

void dso_roots_fini(struct dso_roots *roots)
{
	for (size_t i = 0; i < roots->nr; i++)
		forget(&roots->roots[i]);
	roots->nr = 0;
}

/* Returns a free slot, or reuses one without references. NULL: all are in use. */
static struct dso_root *take_slot(struct dso_roots *roots)
{
	if (roots->nr < DSO_ROOTS_MAX)
		return &roots->roots[roots->nr++];
	for (size_t i = 0; i < roots->nr; i++) {
		if (roots->roots[i].refs)
			continue;
		forget(&roots->roots[i]);
		return &roots->roots[i];
	}
	return NULL;
}

/* Takes ownership of the file descriptor. */
static struct dso_root *add(struct dso_roots *roots, const struct dso_root *found)
{
	struct dso_root *root = take_slot(roots);
	char link[32], path[PATH_MAX];
	ssize_t length;

	if (!root) {
		close(found->fd);
		return NULL;
	}
	*root = *found;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", found->fd);
	length = readlink(link, path, sizeof(path) - 1);
	path[length < 0 ? 0 : length] = '\0';
	root->path = strdup(path);
	if (root->path)
		return root;
	forget(root);
	return NULL;
}

static struct dso_root *find(struct dso_roots *roots, const struct dso_root *found)
{
	for (size_t i = 0; i < roots->nr; i++) {
		if (roots->roots[i].path && same_root(found, &roots->roots[i]))
			return &roots->roots[i];
	}
	return NULL;
}

struct dso_root *dso_roots_get(struct dso_roots *roots, struct broker *broker, pid_t pid)
{
	int directory = pid > 0 ? foreign_open(broker, BROKER_ROOT, pid) : -1;
	struct dso_root found, *root;

	if (directory < 0)
		return NULL;
	if (!identify(broker, directory, pid, &found) || same_root(&found, &roots->own)) {
		close(directory);
		return NULL;
	}
	root = find(roots, &found);
	if (root)
		close(directory);
	else
		root = add(roots, &found);
	if (root)
		root->refs++;
	return root;
}

void dso_root_put(struct dso_root *root)
{
	if (root)
		root->refs--;
}

const char *dso_root_inside(const struct dso_root *root, const char *path)
{
	size_t length = strlen(root->path);

	return length > 1 && !strncmp(path, root->path, length) && path[length] == '/' ? path + length : path;
}
