// SPDX-License-Identifier: GPL-2.0-only
/* `tprof diff`: the changes between two profiles, with confidence intervals. */
#include <string.h>

#include "base/opt.h"
#include "base/out.h"
#include "base/progress.h"
#include "base/words.h"
#include "cmd.h"
#include "diff/diff.h"
#include "file/profile_file.h"

#define AT(member) offsetof(struct diff, member)

#define ONLY_WORDS "before after"

static int set_only(void *ctx, const struct opt *opt, const char *value)
{
	return words_choose(opt, value, ONLY_WORDS, &((struct diff *)ctx)->only);
}

static const struct opt opts[] = {
	{ 'b', "by", "WHAT", "function (default), line, object, process, cgroup or owner", words_set_group, AT(group) },
	{ 's', "share", "WHAT", "share to compare: self (the default), or total (with callees)",
	  words_set_total, AT(by_total) },
	{ 0, "filter", "TEXT", "only rows whose name or object contains the text", opt_set_text, AT(filter) },
	{ 0, "only", "WHICH", "only rows that one profile has, and the other has not: before or after", set_only, 0 },
	{ 0, "fail-above", "POINTS", "exit with 1 if a share has grown significantly and by more than POINTS",
	  words_set_percent, AT(fail_above) },
	{ 'n', "limit", "ROWS", "show at most this many rows", opt_set_count, AT(limit) },
	{ 'j', "json", NULL, "write JSON", opt_set_flag, AT(json) },
};

static const struct opt_words words[] = {
	{ "by", WORDS_GROUP }, { "share", WORDS_TOTAL }, { "only", ONLY_WORDS }, { ".", "PROFILE" }, { 0 },
};

static int read_sides(struct diff *diff)
{
	int code = EXIT_OK;

	for (int side = 0; side < 2; side++) {
		diff->sides[side].profile = profile_file_read_part(diff->sides[side].path, &diff->read, &code);
		diff->sides[side].profile = profile_file_first_event(diff->sides[side].profile, &code);
		if (!diff->sides[side].profile)
			return code;
	}
	for (int side = 0; side < 2 && !code; side++)
		code = profile_group_check(diff->group, diff->sides[side].profile, diff->sides[side].path);
	return code ? code : profile_pair_check(diff->sides[0].profile, diff->sides[1].profile);
}

/* The result of --fail-above: 0 or the exit code. */
static int verdict(const struct diff *diff)
{
	if (!diff->nr_failed)
		return EXIT_OK;
	out_error("they are marked with an exclamation mark", "shares that grew by more than %g points: %zu",
		  diff->fail_above, diff->nr_failed);
	return EXIT_FAIL;
}

static int compare(struct diff *diff)
{
	int code = read_sides(diff), err;

	if (code)
		return code;
	progress_begin("comparing");
	err = diff_make(diff);
	progress_end();
	if (err) {
		out_error(NULL, "%s", strerror(-err));
		return EXIT_FAIL;
	}
	code = out_written(diff->json ? diff_json(diff) : diff_text(diff));
	if (!code)
		code = out_finish();
	return code ? code : verdict(diff);
}

int cmd_diff(int argc, char **argv)
{
	struct diff diff = { .fail_above = -1, .only = DIFF_BOTH, .read.sz = sizeof(diff.read) };
	const struct opt_usage usage = {
		.synopsis = "diff [option ...] BEFORE AFTER",
		.about = "Compare two saved profiles: the rows whose share has changed, with confidence intervals.",
		.words = words,
		.groups = {
			{ "Options", opts, ARRAY_SIZE(opts), &diff },
			{ "For files of other programs", profile_value_opts, PROFILE_VALUE_OPTS, &diff.read },
		},
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands != 2)
		return out_usage("for example: tprof diff before.pb.gz after.pb.gz", "diff: takes two profiles");
	diff.sides[0].path = rest.operands[0];
	diff.sides[1].path = rest.operands[1];
	code = compare(&diff);
	diff_fini(&diff);
	return code;
}
