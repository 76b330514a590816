// SPDX-License-Identifier: GPL-2.0-only
/* Raw recordings: every sample, in a file that stays readable even if tprof is killed. */
#include "record_raw.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/ledger.h"
#include "base/out.h"
#include "base/units.h"
#include "launch.h"

int record_raw_begin(struct output *output, struct tprof_session *session)
{
	int code = output_begin(output), err;

	if (code)
		return code;
	err = tprof_session__raw_begin(session, output->fd);
	return err ? out_error_of_session(session, err) : EXIT_OK;
}

int record_raw_started(struct output *output)
{
	return output_end(output, 0);
}

/* Prints "tprof: tprof.traw: 4711 samples, 165.1 KiB", and ", cut short" if it is not complete. */
static void say_file(const struct output *output, const struct tprof_raw_sum *sum)
{
	struct units_text bytes;

	out_note("%s: %" PRIu64 " sample%s, %s%s", output->name, sum->samples, sum->samples == 1 ? "" : "s",
		 units_bytes(&bytes, sum->bytes), sum->complete ? "" : ", cut short");
}

/* Prints the ledger, which adds up whether or not the file could be written. */
static int print_final_ledger(struct tprof_session *session)
{
	struct tprof_profile *profile = tprof_session__snapshot(session);
	int code;

	if (!profile)
		return out_error_of_session(session, errno);
	code = ledger_print(session, tprof_profile__duration_ns(profile));
	tprof_profile__free(profile);
	return code;
}

/* It is not an error if a device or a pipe does not support fsync(). */
static int sync_file(const struct output *output)
{
	if (!fsync(output->fd) || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
		return EXIT_OK;
	out_error(out_write_hint(errno), "%s: %s", output->name, strerror(errno));
	return EXIT_FAIL;
}

/* Uses the hint of the library or, for write errors, which depend on the caller's file, the hint of the command. */
static int say_failure(struct tprof_session *session, int err)
{
	const char *hint = tprof_session__hint(session);

	if (hint && hint[0])
		return out_error_of_session(session, err);
	out_error(out_write_hint(-err), "%s", tprof_session__error(session));
	return out_exit_code(err);
}

int record_raw_end(struct output *output, struct tprof_session *session, int err)
{
	struct tprof_raw_sum sum = { .sz = sizeof(sum) };
	int code = EXIT_OK, ledger_code, ended;

	launch_stop(session);
	/* It is not an error if the reader closes the pipe. */
	if (err && err != -EPIPE)
		code = say_failure(session, err);
	/* Also after a failure, for the sum of what is in the file. */
	ended = tprof_session__raw_end(session, &sum);
	if (!err && ended && ended != -EPIPE)
		code = say_failure(session, ended);
	if (!err)
		err = ended;
	if (!code && !err)
		code = sync_file(output);
	ledger_code = print_final_ledger(session);
	if (err != -EPIPE && sum.bytes)
		say_file(output, &sum);
	return code ? code : ledger_code;
}
