// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Cgroups of the unified (v2) hierarchy: converts between paths and ids. */
#include "cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/hash.h"
#include "cgroup_level.h"
#include "proc.h"

/* Inode number of the first cgroup namespace (PROC_CGROUP_INIT_INO), the same on every kernel. */
#define INITIAL_CGROUP_NAMESPACE 0xEFFFFFFBUL

/*
 * A cgroup that a scan found, or an id that was looked up and not found. The latter never appears later, as ids are not
 * reused.
 */
struct cgroup {
	struct hash_node node;		/* key: id */
	char *path;			/* NULL: not found */
	uint32_t asked;			/* age at the last lookup */
};

struct cgroups {
	struct cgroup_mount mount;	/* point is NULL if there is no mount */
	struct hash hash;
	uint32_t age;
	size_t nr_read, max_gone;	/* size of the hierarchy at the last scan; limit for further entries */
};

/* Limit for cached cgroups that are not in the hierarchy and were not looked up recently. */
#define MAX_GONE 4096

/* mountinfo escapes space, tab, line feed and backslash as a backslash and three octal digits. */
static char *mountinfo_field(const char *at, size_t size)
{
	char *field = malloc(size + 1), *to = field;

	if (!field)
		return NULL;
	for (const char *end = at + size; at < end; at++) {
		if (end - at >= 4 && at[0] == '\\' && strspn(at + 1, "01234567") >= 3) {
			*to++ = (char)((at[1] - '0') << 6 | (at[2] - '0') << 3 | (at[3] - '0'));
			at += 3;
		} else {
			*to++ = *at;
		}
	}
	*to = '\0';
	return field;
}

/* Start and size of the field with this number, counted from 0; NULL if the line has fewer fields. */
static const char *line_field(const char *line, unsigned int number, size_t *size)
{
	while (number--) {
		line += strcspn(line, " \n");
		if (*line != ' ')
			return NULL;
		line++;
	}
	*size = strcspn(line, " \n");
	return line;
}

/* id parent major:minor root mount-point options [optional...] - type source options */
static bool line_is_cgroup2(const char *line)
{
	const char *type = strstr(line, " - ");

	return type && type < strchrnul(line, '\n') && !strncmp(type, " - cgroup2 ", 11);
}

int cgroup_parse_mountinfo(const char *text, struct cgroup_mount *mount)
{
	memset(mount, 0, sizeof(*mount));
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *root, *point;
		size_t root_size, point_size;

		if (!line_is_cgroup2(line))
			continue;
		root = line_field(line, 3, &root_size);
		point = line_field(line, 4, &point_size);
		if (!root || !point || *root != '/' || *point != '/')
			continue;
		mount->root = mountinfo_field(root, root_size);
		mount->point = mountinfo_field(point, point_size);
		return mount->root && mount->point ? 0 : -ENOMEM;
	}
	return -EOPNOTSUPP;
}

static void mount_release(struct cgroup_mount *mount)
{
	free(mount->root);
	free(mount->point);
	memset(mount, 0, sizeof(*mount));
}

static int mount_find(struct cgroup_mount *mount)
{
	struct proc_text text = { 0 };
	int err;

	memset(mount, 0, sizeof(*mount));
	err = proc_read(&text, "self/mountinfo");
	if (!err)
		err = cgroup_parse_mountinfo(text.text, mount);
	proc_text_fini(&text);
	if (err)
		mount_release(mount);
	return err;
}

static uint32_t count_components(const char *path)
{
	uint32_t nr = 0;

	while (*(path += strspn(path, "/"))) {
		path += strcspn(path, "/");
		nr++;
	}
	return nr;
}

/* If @path is @dir or below it, returns the rest of @path, else NULL. */
static const char *path_below(const char *path, const char *dir)
{
	size_t size = strlen(dir);

	return strncmp(path, dir, size) || (path[size] && path[size] != '/') ? NULL : path + size;
}

/*
 * Level of the mounted cgroup. In a cgroup namespace, paths are relative to the root of the namespace, which can have
 * any level; and the mounted cgroup can be above it ("/..").
 */
static uint32_t mount_level(const struct cgroup_mount *mount)
{
	struct stat namespace, point;
	uint32_t level;

	if (stat("/proc/self/ns/cgroup", &namespace) || namespace.st_ino == INITIAL_CGROUP_NAMESPACE)
		return count_components(mount->root);
	if (stat(mount->point, &point) || cgroup_level_of_own(point.st_ino, &level))
		return CGROUP_LEVEL_UNKNOWN;
	return level;
}

static int lookup_real(const struct cgroup_mount *mount, const char *real, uint64_t *id, uint32_t *level)
{
	const char *below = path_below(real, mount->point);
	struct statfs fs;
	struct stat st;

	if (stat(real, &st) || statfs(real, &fs))
		return -errno;
	if (!below || !S_ISDIR(st.st_mode) || fs.f_type != CGROUP2_SUPER_MAGIC)
		return -EINVAL;
	*id = st.st_ino;
	*level = mount_level(mount);
	if (*level != CGROUP_LEVEL_UNKNOWN)
		*level += count_components(below);
	return 0;
}

static int lookup_in(const struct cgroup_mount *mount, const char *path, uint64_t *id, uint32_t *level)
{
	char full[PATH_MAX], *real;
	const char *dir = path_below(path, mount->point) ? "" : mount->point;
	int err;

	if (snprintf(full, sizeof(full), "%s%s%s", dir, *dir ? "/" : "", path) >= (int)sizeof(full))
		return -ENAMETOOLONG;
	/* "a/../b" has the level of "b". */
	real = realpath(full, NULL);
	if (!real)
		return -errno;
	err = lookup_real(mount, real, id, level);
	free(real);
	return err;
}

int cgroup_lookup(const char *path, uint64_t *id, uint32_t *level)
{
	struct cgroup_mount mount;
	int err = mount_find(&mount);

	if (err)
		return err;
	err = lookup_in(&mount, path, id, level);
	mount_release(&mount);
	return err;
}

struct cgroups *cgroups_new(void)
{
	struct cgroups *cgroups = calloc(1, sizeof(*cgroups));

	if (!cgroups)
		return NULL;
	mount_find(&cgroups->mount);
	cgroups->max_gone = MAX_GONE;
	return cgroups;
}

static bool cgroup_free(void *ctx, struct hash_node *node)
{
	struct cgroup *cgroup = (struct cgroup *)node;

	(void)ctx;
	free(cgroup->path);
	free(cgroup);
	return false;
}

void cgroups_free(struct cgroups *cgroups)
{
	if (!cgroups)
		return;
	hash_filter(&cgroups->hash, cgroup_free, NULL);
	hash_fini(&cgroups->hash);
	mount_release(&cgroups->mount);
	free(cgroups);
}

/* @path may be NULL. If memory is exhausted, the entry is not cached. */
static void cgroups_add(struct cgroups *cgroups, uint64_t id, const char *path)
{
	struct cgroup *cgroup;

	cgroups->nr_read++;
	if (hash_find(&cgroups->hash, id))
		return;
	cgroup = calloc(1, sizeof(*cgroup));
	if (!cgroup)
		return;
	cgroup->path = path ? strdup(path) : NULL;
	if ((path && !cgroup->path) || hash_add(&cgroups->hash, &cgroup->node, id))
		cgroup_free(NULL, &cgroup->node);
}

static bool is_dot(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Adds all cgroups below a directory. Takes ownership of the file descriptor. @path has a capacity of PATH_MAX. */
static void cgroups_walk(struct cgroups *cgroups, int fd, char *path, size_t size)
{
	DIR *dir = fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		size_t name_size = strlen(entry->d_name);

		if (entry->d_type != DT_DIR || is_dot(entry->d_name) || size + name_size + 2 > PATH_MAX)
			continue;
		path[size] = '/';
		memcpy(path + size + 1, entry->d_name, name_size + 1);
		cgroups_add(cgroups, entry->d_ino, path);
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (fd >= 0)
			cgroups_walk(cgroups, fd, path, size + 1 + name_size);
	}
	closedir(dir);
}

static void cgroups_read(struct cgroups *cgroups)
{
	const char *root = cgroups->mount.root;
	char path[PATH_MAX];
	size_t size;
	struct stat st;
	int fd;

	if (!cgroups->mount.point || strlen(root) >= sizeof(path))
		return;
	fd = open(cgroups->mount.point, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	cgroups_add(cgroups, st.st_ino, root);
	size = strcmp(root, "/") ? strlen(root) : 0;
	memcpy(path, root, size);
	cgroups_walk(cgroups, fd, path, size);
}

const char *cgroups_path(struct cgroups *cgroups, uint64_t id)
{
	struct cgroup *cgroup = (struct cgroup *)hash_find(&cgroups->hash, id);

	if (!cgroup) {
		cgroups->nr_read = 0;
		cgroups_read(cgroups);
		cgroups_add(cgroups, id, NULL);
		cgroup = (struct cgroup *)hash_find(&cgroups->hash, id);
	}
	if (cgroup)
		cgroup->asked = cgroups->age;
	return cgroup ? cgroup->path : NULL;
}

static bool cgroup_keep(void *ctx, struct hash_node *node)
{
	const struct cgroups *cgroups = ctx;

	if (cgroups->age - ((struct cgroup *)node)->asked <= 2)
		return true;
	return cgroup_free(NULL, node);
}

void cgroups_age(struct cgroups *cgroups)
{
	cgroups->age++;
	if (cgroups->hash.nr > 2 * cgroups->nr_read + cgroups->max_gone)
		hash_filter(&cgroups->hash, cgroup_keep, cgroups);
}

size_t cgroups_nr(const struct cgroups *cgroups)
{
	return cgroups->hash.nr;
}

void cgroups_set_max_gone(struct cgroups *cgroups, size_t max_gone)
{
	cgroups->max_gone = max_gone;
}
