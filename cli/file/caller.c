// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds the caller of sudo in the environment (SUDO_UID, SUDO_GID). The environment proves nothing, but it is trusted
 * only if this process is root.
 */
#include "caller.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* UINT32_MAX is not a valid id. */
static bool read_id(const char *variable, uint32_t *id)
{
	const char *text = getenv(variable);
	unsigned long long value;
	char *end;

	if (!text || !isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	*id = (uint32_t)value;
	return !*end && !errno && value < UINT32_MAX;
}

/*
 * Looks up the file relative to the open directory, because between two calls a path can come to name another
 * directory.
 */
static bool is_in_directory_of(uid_t uid, int directory, const char *name, int fd)
{
	struct stat at, file, found;

	return !fstat(directory, &at) && at.st_uid == uid && !fstat(fd, &file) &&
	       !fstatat(directory, name, &found, AT_SYMLINK_NOFOLLOW) &&
	       found.st_dev == file.st_dev && found.st_ino == file.st_ino;
}

bool caller_own(int fd, const char *directory, const char *name)
{
	uint32_t uid, gid;
	bool is_theirs;
	int at;

	if (geteuid() || !read_id("SUDO_UID", &uid) || !read_id("SUDO_GID", &gid))
		return false;
	at = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return false;
	is_theirs = is_in_directory_of(uid, at, name, fd) && !fchown(fd, uid, gid);
	close(at);
	return is_theirs;
}
