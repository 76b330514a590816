// SPDX-License-Identifier: GPL-2.0-only
/* `tprof report`: a profile that was kept, as text or JSON. */
#include <stdio.h>

#include "cmd.h"
#include "opt.h"
#include "out.h"
#include "profile_file.h"
#include "report.h"
#include "words.h"

#define AT(member) offsetof(struct report, member)

static int set_calls(void *ctx, const struct opt *opt, const char *value)
{
	static const char *const words[] = {
		[REPORT_NONE] = "none", [REPORT_CALLERS] = "callers", [REPORT_CALLEES] = "callees",
	};
	int chosen = 0, err = words_choose(opt, value, words, ARRAY_SIZE(words), &chosen);

	((struct report *)ctx)->calls_shown = (enum report_calls)chosen;
	return err;
}

static const struct opt opts[] = {
	{ 'i', "input", "FILE", "the profile (default: " PROFILE_FILE "; -: standard input)", opt_set_text, AT(input) },
	{ 'b', "by", "WHAT", "function (default), object, process or cgroup", words_set_group, AT(group) },
	{ 's', "sort", "WHAT", "by what is in it itself (self, the default), or with what it called (total)",
	  words_set_total, AT(by_total) },
	{ 'g', "call-graph", "WHAT", "trees of callers, of callees, or none (default)", set_calls, 0 },
	{ 0, "filter", "TEXT", "only what has this in its name or object", opt_set_text, AT(filter) },
	{ 0, "percent-limit", "PERCENT", "leave out rows and branches below (default: 0, or 0.5 with trees)",
	  words_set_percent, AT(percent_limit) },
	{ 'n', "limit", "ROWS", "at most so many rows", opt_set_count, AT(limit) },
	{ 'j', "json", NULL, "write JSON", opt_set_flag, AT(json) },
};

#define NO_LIMIT_GIVEN (-1.0)
#define LIMIT_WITH_TREES 0.5	/* else there would be more trees than anybody reads */

static int write_report(struct report *report)
{
	int err = report_make(report), code;

	if (!err)
		err = report->json ? report_json(report) : report_text(report);
	code = out_written(err);
	report_fini(report);
	return code ? code : out_finish();
}

int cmd_report(int argc, char **argv)
{
	struct report report = { .percent_limit = NO_LIMIT_GIVEN };
	const struct opt_usage usage = {
		.synopsis = "report [option ...]",
		.about = "Show a profile that was kept: what the time went to, and who called it.",
		.groups = { { "Options", opts, ARRAY_SIZE(opts), &report } },
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code != OPT_RUN)
		return code;
	if (rest.nr_operands)
		return out_usage("-i FILE says which profile to read", "%s: not an option", rest.operands[0]);
	if (report.percent_limit == NO_LIMIT_GIVEN)
		report.percent_limit = report.calls_shown == REPORT_NONE ? 0 : LIMIT_WITH_TREES;
	report.profile = profile_file_read(report.input, &code);
	if (!report.profile)
		return code;
	code = write_report(&report);
	tprof_profile__free(report.profile);
	return code;
}
