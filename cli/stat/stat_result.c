// SPDX-License-Identifier: GPL-2.0-only
/* Where the results of `tprof stat` go. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/out.h"
#include "stat.h"

static int open_stream(struct stat_result *result, int fd)
{
	int copy = dup(fd);

	result->out = copy < 0 ? NULL : fdopen(copy, "w");
	if (result->out)
		return EXIT_OK;
	out_error(NULL, "%s: %s", result->output.name, strerror(errno));
	if (copy >= 0)
		close(copy);
	return EXIT_FAIL;
}

/*
 * The table of a command goes to standard error, because standard output is that of the command. It has a buffer, so
 * that the reason of a failed write is known.
 */
int stat_result_open(const struct stat_options *options, struct stat_result *result)
{
	int code;

	*result = (struct stat_result){ .output = OUTPUT_NONE, .out = stdout };
	if (!options->path && options->command && !options->json && !options->csv) {
		result->output.name = "standard error";
		return open_stream(result, STDERR_FILENO);
	}
	if (!options->path)
		return EXIT_OK;
	code = output_check(&result->output, options->path, NULL);
	if (!code)
		code = output_begin(&result->output);
	return code ? code : open_stream(result, result->output.fd);
}

int stat_result_flush(FILE *out)
{
	errno = 0;
	if (fflush(out))
		return errno ? -errno : -EIO;
	return ferror(out) ? -EIO : 0;
}

int stat_result_end(struct stat_result *result, int err)
{
	return result->out == stdout ? out_written(err) : output_end(&result->output, err);
}

void stat_result_close(struct stat_result *result)
{
	if (result->out && result->out != stdout)
		fclose(result->out);
	output_fini(&result->output);
}
