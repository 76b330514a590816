// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Roots of processes that see other files than we do. */
#include "dso_root.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foreign.h"

/* By a descriptor of its root directory. False if there is none, or nothing can be learned from it. */
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
	for (size_t i = 0; i < roots->nr; i++) {
		close(roots->roots[i].fd);
		free(roots->roots[i].path);
	}
	roots->nr = 0;
}

/* Keeps its descriptor open. */
static const struct dso_root *add(struct dso_roots *roots, const struct dso_root *found)
{
	char link[32], path[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", found->fd);
	length = readlink(link, path, sizeof(path) - 1);
	path[length < 0 ? 0 : length] = '\0';
	roots->roots[roots->nr] = *found;
	roots->roots[roots->nr].path = strdup(path);
	return roots->roots[roots->nr].path ? &roots->roots[roots->nr++] : NULL;
}

static const struct dso_root *find(const struct dso_roots *roots, const struct dso_root *root)
{
	for (size_t i = 0; i < roots->nr; i++) {
		if (same_root(root, &roots->roots[i]))
			return &roots->roots[i];
	}
	return NULL;
}

const struct dso_root *dso_roots_get(struct dso_roots *roots, struct broker *broker, pid_t pid)
{
	int directory = pid > 0 ? foreign_open(broker, BROKER_ROOT, pid) : -1;
	const struct dso_root *known = NULL;
	struct dso_root root;

	if (directory < 0)
		return NULL;
	if (identify(broker, directory, pid, &root) && !same_root(&root, &roots->own)) {
		known = find(roots, &root);
		if (!known && roots->nr < DSO_ROOTS_MAX)
			known = add(roots, &root);
	}
	if (!known || known->fd != directory)
		close(directory);
	return known;
}

const char *dso_root_inside(const struct dso_root *root, const char *path)
{
	size_t length = strlen(root->path);

	return length > 1 && !strncmp(path, root->path, length) && path[length] == '/' ? path + length : path;
}
