// SPDX-License-Identifier: GPL-2.0-only
/* Profiles that are kept in files. */
#include "profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"
#include "out.h"

struct tprof_profile *profile_file_read(const char *path, int *code)
{
	const char *name = path ? path : PROFILE_FILE;
	struct tprof_profile *profile;
	struct tprof_error error;
	int fd;

	if (!strcmp(name, "-")) {
		fd = STDIN_FILENO;
		name = "standard input";
	} else {
		fd = open(name, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0) {
		out_error(path ? "-i FILE says which profile to read" :
				 "`tprof record` makes one; -i FILE says which to read", "%s: %m", name);
		*code = out_exit_code(errno);
		return NULL;
	}
	profile = tprof_profile__read(fd, name, &error);
	if (!profile)
		*code = out_error_of(&error, errno);
	if (fd != STDIN_FILENO)
		close(fd);
	return profile;
}

static int complain(const char *path, int err)
{
	out_error(abs(err) == ENOSPC ? "make room, or write to another place" : "-o FILE says where to write",
		  "%s: %s", path, strerror(abs(err)));
	return EXIT_FAIL;
}

/* What is not a regular file is written to as it is. */
static int write_into(const char *path, int (*write)(void *ctx, int fd), void *ctx)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666), err;

	if (fd < 0)
		return complain(path, errno);
	err = write(ctx, fd);
	if (close(fd) && !err)
		err = -errno;
	return err ? complain(path, err) : EXIT_OK;
}

/* A file beside the one that is wanted, with the rights that it would have. */
static int open_beside(char *beside)
{
	int fd = mkstemp(beside);
	mode_t mask = umask(0);

	umask(mask);
	if (fd >= 0 && fchmod(fd, 0666 & ~mask)) {
		close(fd);
		unlink(beside);
		return -1;
	}
	return fd;
}

static int write_whole(const char *path, int (*write)(void *ctx, int fd), void *ctx)
{
	char *beside;
	int fd, err;

	if (asprintf(&beside, "%s.XXXXXX", path) < 0)
		return complain(path, ENOMEM);
	fd = open_beside(beside);
	err = fd < 0 ? -errno : write(ctx, fd);
	if (fd >= 0 && close(fd) && !err)
		err = -errno;
	if (!err && rename(beside, path))
		err = -errno;
	if (err && fd >= 0)
		unlink(beside);
	free(beside);
	return err ? complain(path, err) : EXIT_OK;
}

int profile_file_write(const char *path, int (*write)(void *ctx, int fd), void *ctx)
{
	struct stat status;

	if (!path || !strcmp(path, "-"))
		return out_written(write(ctx, STDOUT_FILENO));
	if (!lstat(path, &status) && !S_ISREG(status.st_mode))
		return write_into(path, write, ctx);
	return write_whole(path, write, ctx);
}
