// SPDX-License-Identifier: GPL-2.0-only
/* Saved profiles. */
#include "profile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/group.h"
#include "base/members.h"
#include "base/out.h"
#include "base/progress.h"
#include "output.h"

/* The members of struct tprof_read_opts that the library names when it refuses them. */
static const struct member members[] = { { "from_ns", "--from" }, { "to_ns", "--to" }, { 0 } };

static int set_from(void *ctx, const struct opt *opt, const char *value)
{
	return opt_seconds(opt, value, "0", &((struct tprof_read_opts *)ctx)->from_ns);
}

/* 0 is refused, because it means no limit. */
static int set_to(void *ctx, const struct opt *opt, const char *value)
{
	return opt_seconds(opt, value, "0.000000001", &((struct tprof_read_opts *)ctx)->to_ns);
}

const struct opt profile_part_opts[PROFILE_PART_OPTS] = {
	{ 0, "from", "SECONDS", "only samples from this time on, since the start of sampling", set_from, 0 },
	{ 0, "to", "SECONDS", "only samples before this time", set_to, 0 },
};

const struct opt profile_value_opts[PROFILE_VALUE_OPTS] = {
	{ 0, "value", "VALUE", "the event or value to show; -VALUE: its negative part", opt_set_text,
	  offsetof(struct tprof_read_opts, value) },
};

int profile_file_operand(const struct opt_rest *rest, const char **input)
{
	if (!rest->nr_operands)
		return EXIT_OK;
	if (rest->nr_operands > 1 || *input)
		return out_usage("give one profile, with -i or as an operand", "%s: a profile is already given, %s",
				 rest->operands[rest->nr_operands > 1], *input ? *input : rest->operands[0]);
	*input = rest->operands[0];
	return EXIT_OK;
}

static const char *hint_for(int err, bool is_named)
{
	if (err == EACCES)
		return "the file belongs to the user who recorded it, perhaps root: use sudo, or chown the file";
	if (!is_named && err == ENOENT && !access(PROFILE_RAW_FILE, F_OK))
		return "there is a raw recording here, " PROFILE_RAW_FILE ": read it with -i, as in tprof report -i "
		       PROFILE_RAW_FILE;
	return is_named ? "give the path of a profile; `tprof record` makes one" :
			  "make a profile with `tprof record`, or name one: -i FILE";
}

static void warn(void *ctx, enum tprof_log_level level, const char *message)
{
	(void)ctx;
	if (level == TPROF_LOG_WARN)
		out_note("warning: %s", message);
}

const char *profile_file_name(const char *path)
{
	if (!path)
		return PROFILE_FILE;
	return strcmp(path, "-") ? path : "standard input";
}

struct tprof_profile *profile_file_read_part(const char *path, struct tprof_read_opts *opts, int *code)
{
	const char *name = profile_file_name(path);
	struct tprof_profile *profile;
	struct tprof_error error;
	int fd;

	if (path && !strcmp(path, "-")) {
		fd = STDIN_FILENO;
	} else {
		progress_begin("opening %s", name);
		fd = open(name, O_RDONLY | O_CLOEXEC);
	}
	if (fd < 0) {
		int err = errno;

		out_error(hint_for(err, path != NULL), "%s: %s", name, strerror(err));
		*code = out_exit_code(err);
		return NULL;
	}
	opts->log = warn;
	progress_begin("reading %s", name);
	profile = tprof_profile__read_part(fd, name, opts, &error);
	if (!profile) {
		int err = errno;

		members_to_options(members, &error);
		*code = out_error_of(&error, err);
	}
	progress_end();
	if (fd != STDIN_FILENO)
		close(fd);
	return profile;
}

struct tprof_profile *profile_file_read(const char *path, int *code)
{
	TPROF_OPTS(tprof_read_opts, opts);

	return profile_file_read_part(path, &opts, code);
}

static void say_first_event(const struct tprof_profile *profile)
{
	size_t nr = tprof_profile__nr_events(profile);
	static bool said;

	/* Once for two files that are compared. */
	if (said)
		return;
	said = true;
	fprintf(stderr, "tprof: shows the event %s; --value of report, flame, diff and export selects ",
		tprof_profile__event(profile, 0)->event);
	for (size_t e = 1; e < nr; e++)
		fprintf(stderr, "%s%s", tprof_profile__event(profile, e)->event, e + 1 < nr ? ", " : "\n");
}

struct tprof_profile *profile_file_first_event(struct tprof_profile *profile, int *code)
{
	struct tprof_profile *first;

	if (!profile || tprof_profile__nr_events(profile) == 1)
		return profile;
	say_first_event(profile);
	first = tprof_profile__of_event(profile, 0);
	if (!first) {
		out_error(NULL, "%s", strerror(errno));
		*code = EXIT_FAIL;
	}
	tprof_profile__free(profile);
	return first;
}

int profile_group_check(enum tprof_group group, const struct tprof_profile *profile, const char *path)
{
	if (group != TPROF_GROUP_OWNER || group_has_owners(profile))
		return EXIT_OK;
	return out_usage("tprof record --owners counts them", "%s has no owners", path);
}

int profile_pair_check(const struct tprof_profile *before, const struct tprof_profile *after)
{
	const char *events[] = { tprof_profile__info(before)->event, tprof_profile__info(after)->event };

	if (!strcmp(events[0], events[1]))
		return EXIT_OK;
	return out_usage("record both with the same event",
			 "%s and %s: profiles of different events cannot be compared", events[0], events[1]);
}

int profile_file_write(const char *path, const char *binary_format, int (*write)(void *ctx, int fd), void *ctx)
{
	struct output output;
	int code = output_check(&output, path ? path : "-", binary_format);

	if (!code)
		code = output_begin(&output);
	if (!code)
		code = output_end(&output, write(ctx, output.fd));
	output_fini(&output);
	return code;
}
