// SPDX-License-Identifier: GPL-2.0-only
/* An output file that gets its name only when it is complete. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/out.h"
#include "base/progress.h"
#include "caller.h"
#include "tprof_sandbox.h"

#define TEMPORARY ".tprof.XXXXXX"

static const char *hint_for(int err)
{
	switch (err) {
	case ENOSPC:
	case EDQUOT:
		return "free some disk space, or write to another file system: -o FILE";
	case EFBIG:
		return OUT_SIZE_HINT;
	case ENOENT:
		return "create the directory first";
	case ECHILD:
		return "the complete file is in the same directory, as .tprof.*: rename it";
	default:
		return "write to another file: -o FILE";
	}
}

static int failed_because(const struct output *output, int err, const char *why)
{
	out_error(hint_for(err), "%s: %s", output->name, why);
	return err == ENOENT || err == ENOTDIR ? EXIT_USAGE : EXIT_FAIL;
}

static int failed(const struct output *output, int err)
{
	return failed_because(output, err, strerror(err));
}

/* The directory of a path, which the caller frees; NULL if memory is short. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

static int refuse_terminal(const struct output *output, const char *format)
{
	return out_usage("use -o FILE, or a text format: --format text", "%s: is a terminal, and %s is binary",
			 output->name, format);
}

/* Opening a named pipe blocks until a reader opens it. */
static int open_as_it_is(struct output *output, const char *binary_format)
{
	output->fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (output->fd < 0)
		return failed(output, errno);
	return binary_format && isatty(output->fd) ? refuse_terminal(output, binary_format) : EXIT_OK;
}

static int check_directory(const struct output *output)
{
	char *directory = directory_of(output->target);
	int err = directory ? 0 : ENOMEM;

	if (!err && access(directory, W_OK | X_OK))
		err = errno;
	free(directory);
	return err ? failed(output, err) : EXIT_OK;
}

int output_check(struct output *output, const char *path, const char *binary_format)
{
	struct stat st;
	bool exists;

	*output = (struct output){ .path = path, .name = path, .fd = -1, .is_standard = !strcmp(path, "-") };
	if (output->is_standard) {
		output->name = "standard output";
		return binary_format && isatty(STDOUT_FILENO) ? refuse_terminal(output, binary_format) : EXIT_OK;
	}
	exists = !stat(path, &st);
	if (!exists && errno != ENOENT)
		return failed(output, errno);
	if (exists && S_ISDIR(st.st_mode))
		return out_usage("give the name of a file to -o", "%s: is a directory", path);
	if (exists && !S_ISREG(st.st_mode))
		return open_as_it_is(output, binary_format);
	/* A symlink is kept; its target is replaced. */
	output->target = exists ? realpath(path, NULL) : strdup(path);
	if (!output->target)
		return failed(output, errno);
	return check_directory(output);
}

int output_open(struct output *output)
{
	char *directory;
	int length, err;

	if (output->is_standard)
		output->fd = STDOUT_FILENO;
	if (output->fd >= 0)
		return EXIT_OK;
	directory = directory_of(output->target);
	length = directory ? asprintf(&output->temporary, "%s/" TEMPORARY, directory) : -1;
	if (length < 0) {
		free(directory);
		output->temporary = NULL;
		return failed(output, ENOMEM);
	}
	/* Mode 0600, because the file contains kernel addresses and the names of other users' programs. */
	output->fd = mkostemp(output->temporary, O_CLOEXEC);
	err = errno;
	if (output->fd >= 0)
		caller_own(output->fd, directory, strrchr(output->temporary, '/') + 1);
	free(directory);
	return output->fd < 0 ? failed(output, err) : EXIT_OK;
}

int output_begin(struct output *output)
{
	int code = output_open(output);

	/* On a terminal, the output itself shows the progress. */
	if (!code && !isatty(output->fd))
		progress_begin("writing %s", output->name);
	return code;
}

/* fsync() may be the first call to report a full disk. *@why: NULL, or the sentence of the library. */
static int finish_file(struct output *output, const char **why)
{
	int err;

	if (fsync(output->fd))
		return -errno;
	if (!output->session && rename(output->temporary, output->target))
		return -errno;
	err = output->session ? tprof_session__publish(output->session) : 0;
	if (err) {
		*why = tprof_session__error(output->session);
		return err;
	}
	free(output->temporary);
	output->temporary = NULL;
	return 0;
}

int output_end(struct output *output, int err)
{
	const char *why = NULL;

	if (!err && output->temporary)
		err = finish_file(output, &why);
	progress_end();
	/* It is not an error if the reader closes the pipe. */
	if (!err || err == -EPIPE)
		return EXIT_OK;
	return failed_because(output, -err, why ? why : strerror(-err));
}

void output_fini(struct output *output)
{
	/* In a sandbox, this process may not remove the file; the broker removes it. */
	if (output->temporary && output->fd >= 0 && !output->session)
		unlink(output->temporary);
	if (output->fd >= 0 && !output->is_standard)
		close(output->fd);
	free(output->temporary);
	free(output->target);
	*output = (struct output)OUTPUT_NONE;
}
