// SPDX-License-Identifier: GPL-2.0-only
/* `tprof report`: shows a saved profile in a browser, as text, or as JSON. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/opt.h"
#include "base/out.h"
#include "base/progress.h"
#include "base/words.h"
#include "cmd.h"
#include "file/profile_file.h"
#include "report/browser.h"
#include "report/report.h"
#include "screen/term.h"

#define AT(member) offsetof(struct report, member)

#define CALLS_WORDS "none callers callees"	/* in the order of enum report_calls */

/* Only raw recordings distinguish threads and CPUs. */
static int set_group(void *ctx, const struct opt *opt, const char *value)
{
	struct report *report = ctx;
	bool thread = !strcmp(value, "thread"), cpu = !strcmp(value, "cpu");

	report->read.owner = thread ? TPROF_OWNER_THREAD : cpu ? TPROF_OWNER_CPU : TPROF_OWNER_PROCESS;
	return words_set_group(ctx, opt, thread || cpu ? "process" : value);
}

static int set_calls(void *ctx, const struct opt *opt, const char *value)
{
	int chosen = 0, err = words_choose(opt, value, CALLS_WORDS, &chosen);

	((struct report *)ctx)->calls_shown = (enum report_calls)chosen;
	return err;
}

static const struct opt opts[] = {
	{ 'i', "input", "FILE", "the profile (default: " PROFILE_FILE "; -: standard input)", opt_set_text, AT(input) },
	{ 'b', "by", "WHAT", "function (default), line, object, process, cgroup; for raw recordings also thread, cpu",
	  set_group, AT(group) },
	{ 's', "sort", "WHAT", "sort by self (the default), or by total (with callees)",
	  words_set_total, AT(by_total) },
	{ 'g', "call-graph", "WHAT", "show trees of callers or callees, or none (default)", set_calls, 0 },
	{ 0, "filter", "TEXT", "only rows whose name or object contains the text", opt_set_text, AT(filter) },
	{ 0, "percent-limit", "PERCENT", "leave out rows and branches below this share (default: 0, or 0.5 with trees)",
	  words_set_percent, AT(percent_limit) },
	{ 'n', "limit", "ROWS", "show at most this many rows", opt_set_count, AT(limit) },
	{ 'j', "json", NULL, "write JSON", opt_set_flag, AT(json) },
	{ 0, "stdio", NULL, "write text, even to a terminal", opt_set_flag, AT(stdio) },
};

static const struct opt_words words[] = {
	{ "input", "PROFILE" }, { "by", WORDS_GROUP " thread cpu" }, { "sort", WORDS_TOTAL },
	{ "call-graph", CALLS_WORDS }, { ".", "PROFILE" }, { 0 },
};

#define NO_LIMIT_GIVEN (-1.0)
#define LIMIT_WITH_TREES 0.5	/* limits the number of trees to a readable amount */

static int make(struct report *report)
{
	int err;

	progress_begin("adding up samples");
	err = report_make(report);
	progress_end();
	return err;
}

static int browse(struct report *report)
{
	int err, code;

	if (report->calls_shown == REPORT_NONE)
		report->calls_shown = REPORT_CALLERS;
	err = make(report);
	code = err ? out_written(err) : browser_run(report);
	report_fini(report);
	return code;
}

static int write_report(struct report *report)
{
	int err = make(report), code;

	/* On a terminal, the report itself shows the progress. */
	if (!isatty(STDOUT_FILENO))
		progress_begin("writing the report");
	if (!err)
		err = report->json ? report_json(report) : report_text(report);
	progress_end();
	code = out_written(err);
	report_fini(report);
	return code ? code : out_finish();
}

/* The browser needs a screen to draw on, and a keyboard. */
static bool is_browsed(const struct report *report)
{
	return !report->json && !report->stdio && term_is_screen() && isatty(STDIN_FILENO);
}

int cmd_report(int argc, char **argv)
{
	struct report report = {
		.percent_limit = NO_LIMIT_GIVEN, .read.sz = sizeof(report.read),
	};
	const struct opt_usage usage = {
		.synopsis = "report [option ...] [FILE]",
		.about = "Show a saved profile: where the time goes, and the callers and callees.",
		.words = words,
		.groups = {
			{ "Options", opts, ARRAY_SIZE(opts), &report },
			{ "For a raw recording", profile_part_opts, PROFILE_PART_OPTS, &report.read },
			{ "For a file of another program", profile_value_opts, PROFILE_VALUE_OPTS, &report.read },
		},
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);
	bool is_view;

	if (code != OPT_RUN)
		return code;
	code = profile_file_operand(&rest, &report.input);
	if (code)
		return code;
	is_view = is_browsed(&report);
	if (report.percent_limit == NO_LIMIT_GIVEN)
		report.percent_limit = report.calls_shown == REPORT_NONE || is_view ? 0 : LIMIT_WITH_TREES;
	report.profile = profile_file_read_part(report.input, &report.read, &code);
	if (!report.profile)
		return code;
	code = is_view ? browse(&report) : write_report(&report);
	tprof_profile__free(report.profile);
	return code;
}
