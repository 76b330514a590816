// SPDX-License-Identifier: GPL-2.0-only
/* Messages on stderr, and the exit codes of errors. */
#include "out.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_code.h"
#include "progress.h"

/* Arguments and names of files must not control the terminal. Changes @text in place. */
void out_clean(char *text)
{
	tprof_text__mend(text);
	for (unsigned char *at = (unsigned char *)text; *at; at++) {
		bool is_long = at[0] == 0xc2 && at[1] < 0xa0;	/* U+0080 to U+009F */

		if (*at >= ' ' && *at != 0x7f && !is_long)
			continue;
		*at = '?';
		if (is_long)
			*++at = '?';
	}
}

static void say(const char *hint, const char *format, va_list args)
{
	char *text;

	progress_end();
	fflush(stdout);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	if (text)
		out_clean(text);
	fprintf(stderr, "tprof: %s\n", text ? text : strerror(ENOMEM));
	free(text);
	if (hint && hint[0])
		fprintf(stderr, "hint: %s\n", hint);
}

void out_error(const char *hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(hint, format, args);
	va_end(args);
}

int out_usage(const char *hint, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(hint, format, args);
	va_end(args);
	return EXIT_USAGE;
}

void out_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(NULL, format, args);
	va_end(args);
}

int out_exit_code(int err)
{
	switch (abs(err)) {
	case 0:
		return EXIT_OK;
	case EINVAL:
	case ERANGE:
	case ENOENT:		/* no such event, cgroup, filter, parameter */
	case ESRCH:		/* no such process */
	case ENXIO:		/* no such CPU */
	case E2BIG:		/* more events than can be counted */
	case ENOEXEC:		/* not a filter */
	case EPROTO:		/* a filter for another version */
		return EXIT_USAGE;
	case EPERM:
	case ENODEV:		/* the module is not loaded */
	case EOPNOTSUPP:
	case ENOSYS:
		return EXIT_CANNOT;
	default:
		return EXIT_FAIL;
	}
}

static int error_in_words(const char *text, const char *hint, int err)
{
	out_error(hint, "%s", text && text[0] ? text : strerror(abs(err)));
	return out_exit_code(err);
}

int out_error_of(const struct tprof_error *error, int err)
{
	return error_in_words(error->text, error->hint, err);
}

int out_error_of_session(const struct tprof_session *session, int err)
{
	return error_in_words(tprof_session__error(session), tprof_session__hint(session), err);
}

int out_error_of_filter(const struct tprof_filter *filter, int err)
{
	return error_in_words(tprof_filter__error(filter), tprof_filter__hint(filter), err);
}

const char *out_write_hint(int err)
{
	switch (err) {
	case ENOSPC:
	case EDQUOT:
		return "free some disk space, or write to another file system";
	case EFBIG:
		return OUT_SIZE_HINT;
	case EIO:
		return "the device failed, see dmesg: write to another device";
	default:
		return NULL;
	}
}

int out_written(int err)
{
	if (!err || abs(err) == EPIPE)
		return EXIT_OK;
	if (abs(err) == ENOMEM) {
		out_error(NULL, "%s", strerror(ENOMEM));
		return EXIT_FAIL;
	}
	out_error(out_write_hint(abs(err)), "standard output: %s", strerror(abs(err)));
	return EXIT_FAIL;
}

/*
 * A write that failed before the last flush sets the error flag of the stream, but its errno is lost. The flush
 * normally fails for the same reason. If nothing was left to flush, poll() tells whether the reader of a pipe is gone.
 */
static int reason_of_mark(void)
{
	struct pollfd reader = { .fd = STDOUT_FILENO };

	if (poll(&reader, 1, 0) == 1 && (reader.revents & POLLERR))
		return EPIPE;
	return EIO;
}

int out_finish(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_OK;
	return out_written(errno ? errno : reason_of_mark());
}
