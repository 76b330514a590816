// SPDX-License-Identifier: GPL-2.0-only
/* Profiles that are kept in files. */
#include "profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "out.h"
#include "output.h"

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

int profile_file_write(const char *path, int (*write)(void *ctx, int fd), void *ctx)
{
	struct output output;
	int code = output_check(&output, path ? path : "-", NULL);

	if (!code)
		code = output_begin(&output);
	if (!code)
		code = output_end(&output, write(ctx, output.fd));
	output_fini(&output);
	return code;
}
