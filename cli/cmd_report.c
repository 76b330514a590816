// SPDX-License-Identifier: GPL-2.0-only
/* `tprof report`: shows a saved profile in a browser, as text, or as JSON. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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
	{ 'b', "by", "WHAT", "function (default), line, object, process, cgroup, owner; for raw recordings thread, cpu",
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
	if (!err && report->notes)
		fputs(report->notes, stdout);
	if (!err)
		err = report->json ? report_json(report) : report_text(report);
	progress_end();
	code = out_written(err);
	report_fini(report);
	return code ? code : out_finish();
}

/* Prints a note as a comment, with the time since the start. */
static int write_note(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_note *note)
{
	static const char *const targets[TPROF_NR_TARGET_KINDS] = { "process", "thread", "cgroup" };
	FILE *out = ctx;
	double seconds = note->time_ns > info->start_ns ? (double)(note->time_ns - info->start_ns) / 1e9 : 0;

	fprintf(out, "# at %.3f s: ", seconds);
	switch (note->kind) {
	case TPROF_NOTE_ADDED:
	case TPROF_NOTE_REMOVED:
		fprintf(out, "%s %s ", note->kind == TPROF_NOTE_ADDED ? "added:" : "removed:", targets[note->target]);
		if (note->target == TPROF_TARGET_KIND_CGROUP)
			fprintf(out, "%s\n", note->text);
		else
			fprintf(out, "%s (%llu)\n", note->text, (unsigned long long)note->id);
		break;
	case TPROF_NOTE_PERIOD:
		fprintf(out, "period: %llu\n", (unsigned long long)note->id);
		break;
	case TPROF_NOTE_PAUSED:
	case TPROF_NOTE_RESUMED:
		fprintf(out, "%s\n", note->kind == TPROF_NOTE_PAUSED ? "paused" : "resumed");
		break;
	default:
		fprintf(out, "mark: %s\n", note->text);
	}
	return 0;
}

/* Text and JSON have columns for all events of the profile, which is freed; the browser shows the first one. */
static struct tprof_profile *choose_events(struct report *report, struct tprof_profile *whole, bool is_view, int *code)
{
	struct tprof_profile *first;
	int err;

	if (!whole || is_view || tprof_profile__nr_events(whole) == 1)
		return profile_file_first_event(whole, code);
	first = tprof_profile__of_event(whole, 0);
	err = first ? report_events_open(report, whole) : -errno;
	tprof_profile__free(whole);
	if (!err)
		return first;
	tprof_profile__free(first);
	*code = out_written(err);
	return NULL;
}

/* Reads the profile, and keeps the notes of a raw recording as text. */
static struct tprof_profile *read_profile(struct report *report, bool is_view, int *code)
{
	size_t size = 0;
	FILE *notes = is_view || report->json ? NULL : open_memstream(&report->notes, &size);
	struct tprof_profile *profile;

	if (notes) {
		report->read.note = write_note;
		report->read.note_ctx = notes;
	}
	profile = choose_events(report, profile_file_read_part(report->input, &report->read, code), is_view, code);
	if (notes)
		fclose(notes);
	return profile;
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
			{ "For a file with several values", profile_value_opts, PROFILE_VALUE_OPTS, &report.read },
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
	report.profile = read_profile(&report, is_view, &code);
	if (report.profile)
		code = profile_group_check(report.group, report.profile, report.input);
	if (report.profile && !code)
		code = is_view ? browse(&report) : write_report(&report);
	report_events_close(&report);
	tprof_profile__free(report.profile);
	free(report.notes);
	return code;
}
