// SPDX-License-Identifier: GPL-2.0-only
/* `tprof top`: shows which functions use the CPU right now; live on a terminal, as text, or as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/out.h"
#include "base/words.h"
#include "cmd.h"
#include "sample/launch.h"
#include "sample/wakeups.h"
#include "screen/term.h"
#include "top/top.h"

#define AT(member) offsetof(struct top, member)

static int set_call_graph(void *ctx, const struct opt *opt, const char *value)
{
	struct top *top = ctx;

	top->call_graph_option = value ? "--call-graph" : "-g";
	top->call_stacks = !value || !strcmp(value, "fp");
	if (top->call_stacks || !strcmp(value, "none"))
		return 0;
	return opt_refuse(opt, value, "is not a method of tprof top to find callers",
			  "use fp (frame pointers) or none (functions only); tprof record also has dwarf, for events "
			  "other than off-cpu, on-cpu and wakeup");
}

static int set_sort(void *ctx, const struct opt *opt, const char *value)
{
	struct top *top = ctx;

	top->sort_given = true;
	if (threads_sort_find(value, &top->threads_sort) == 0)
		return 0;
	return opt_refuse(opt, value, "is not an order of threads", "use running, ready, blocked, name or tid");
}

static int set_by(void *ctx, const struct opt *opt, const char *value)
{
	((struct top *)ctx)->by_given = true;
	return words_set_group(ctx, opt, value);
}

static int set_wakeups(void *ctx, const struct opt *opt, const char *value)
{
	return wakeups_set(&((struct top *)ctx)->sampling, opt, value);
}

static const struct opt opts[] = {
	{ 0, "threads", NULL, "show what each thread does all the time: it runs, is ready to run, or is blocked",
	  opt_set_flag, AT(threads) },
	{ 0, "by", "WHAT", "rows by function (default), line, object, process, cgroup or owner (key g)", set_by,
	  AT(by) },
	{ 0, "sort", "ORDER", "of --threads: running (default), ready, blocked, name or tid", set_sort, 0 },
	{ 'd', "delay", "SECONDS", "time between two updates (default: 1)", opt_set_seconds, AT(delay_ns) },
	{ 'g' | OPT_BARE, "call-graph", "HOW", "count call stacks from the start: fp (or -g) or none (default; key G)",
	  set_call_graph, 0 },
	{ 'n', "limit", "ROWS", "show at most this many rows", opt_set_count, AT(limit) },
	{ 'b', "batch", NULL, "write text, even to a terminal", opt_set_flag, AT(batch) },
	{ 'j', "json", NULL, "write JSON, one object per line: each interval, or the total with --duration",
	  opt_set_flag, AT(json) },
	WAKEUPS_OPT(set_wakeups),
};

static bool is_live(const struct top *top)
{
	return !top->batch && !top->json && term_is_screen();
}

/* The first given option that has no meaning with --threads, which has its filter and its events; NULL: none. */
static const char *not_of_threads(const struct top *top)
{
	const struct sampling *sampling = &top->sampling;
	const struct tprof_session_opts *session = &sampling->session;
	const struct {
		bool given;
		const char *name;
	} all[] = {
		{ top->call_graph_option, top->call_graph_option },
		{ top->by_given, "--by" },
		{ sampling->nr_wakers, "--wakeups" },
		{ sampling->filter, "--filter" },
		{ sampling->nr_events, sampling->events_option },
		{ session->rate_hz, "-F" },
		{ session->period, "-c" },
		{ session->wait_min_ns, "--min" },
		{ session->cpus, "-C" },
		{ session->kernel_only, "--kernel-only" },
		{ session->user_only, "--user-only" },
		{ sampling->nr_params, "--set" },
		{ sampling->max_stack, "--max-stack" },
		{ session->lines, "--lines" },
		{ session->inlines, "--inline" },
		{ session->debuginfod_ms, "--debuginfod" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (all[i].given)
			return all[i].name;
	}
	return NULL;
}

static int check_threads(const struct top *top)
{
	const char *other = top->threads ? not_of_threads(top) : NULL;

	if (!top->threads && top->sort_given)
		return out_usage("functions are sorted by weight; in the live view, the key s changes that",
				 "--sort is for --threads");
	if (!other)
		return 0;
	return out_usage("leave one of them out: --threads counts all of the time of each thread, without samples",
			 "--threads and %s exclude each other", other);
}

static int check(const struct top *top, const struct opt_rest *rest)
{
	char hint[256];
	int code;

	if (rest->nr_operands && top->call_stacks && !strcmp(rest->operands[0], "dwarf"))
		return out_usage(sampling_has_switches(&top->sampling) ? "leave it out; " NO_COPIES_HINT :
				 "use tprof record --call-graph dwarf", "-g takes no value, and top has no dwarf");
	if (rest->nr_operands) {
		snprintf(hint, sizeof(hint), "to launch and profile it: tprof top -- %s ...",
			 rest->operands[0]);
		return out_usage(hint, "%s: unexpected operand", rest->operands[0]);
	}
	if (top->sampling.filter && top->call_stacks)
		return out_usage("the filter decides whether call stacks are counted: leave one of them out",
				 "--filter and %s exclude each other", top->call_graph_option);
	code = check_threads(top);
	if (code)
		return code;
	if (top->by == TPROF_GROUP_LINE && !top->sampling.session.lines)
		return out_usage("add --lines", "--by line needs source lines");
	code = top_check_by(top);
	return code ? code : sampling_check(&top->sampling);
}

/* A key of the table is a thread with a reason. Most threads have few of them. */
#define KEYS_PER_THREAD 8
#define TABLE_ENTRIES 32768	/* of the filter */

/* Makes the tables larger than by default on a machine with many threads: the field "running/all" of /proc/loadavg. */
static void choose_table_entries(struct sampling *sampling)
{
	FILE *file = fopen("/proc/loadavg", "re");
	unsigned long nr = 0;

	if (file && fscanf(file, "%*s %*s %*s %*[0-9]/%lu", &nr) != 1)
		nr = 0;
	if (file)
		fclose(file);
	if (!sampling->table_entries && nr * KEYS_PER_THREAD > TABLE_ENTRIES)
		sampling->table_entries = nr * KEYS_PER_THREAD < 1U << 20 ? nr * KEYS_PER_THREAD : 1U << 20;
}

/* Sets what --threads counts. */
static int prepare_threads(struct top *top)
{
	top->sampling.filter = THREADS_FILTER;
	top->sampling.session.tables = true;
	choose_table_entries(&top->sampling);
	return sampling_add_events(&top->sampling, THREADS_EVENTS);
}

static const char *functions_filter(const struct top *top)
{
	return top->by == TPROF_GROUP_OWNER ? "owners" : "top";
}

static const char *call_stacks_filter(const struct top *top)
{
	return top->by == TPROF_GROUP_OWNER ? "ownstacks" : "stacks";
}

/* Opens and starts the session, and the command. */
static int start(struct top *top)
{
	const char *filter = top->sampling.filter;
	int code, err;

	if (!filter)
		filter = top->call_stacks ? call_stacks_filter(top) : functions_filter(top);
	top->session = launch_open(&top->sampling, filter, &top->spawn, &code);
	if (!top->session)
		return code;
	code = launch_start(&top->sampling, top->session, &top->watch, &top->spawn, NULL);
	if (code)
		return code;
	top->info.sz = sizeof(top->info);
	err = tprof_session__info(top->session, &top->info);
	return err ? out_error_of_session(top->session, err) : EXIT_OK;
}

/* Starts a command behind the live view; the end of its output is shown when the view is closed. */
static int launch_behind_view(struct top *top, char **command, struct tail *output)
{
	int err = tail_open(output), code;

	if (!err) {
		code = spawn_prepare(&top->spawn, command, output->theirs,
				     isatty(STDERR_FILENO) ? output->theirs : -1, true);
		if (code)
			return code;
		err = tail_begin(output);
	}
	if (err)
		out_error(NULL, "the output of %s cannot be captured: %s", command[0], strerror(-err));
	return err ? EXIT_FAIL : EXIT_OK;
}

/* The output of the command must neither disturb the view nor mix with the profile. */
static int launch(struct top *top, char **command, bool live, struct tail *output)
{
	top->launched = true;
	return live ? launch_behind_view(top, command, output) :
		      spawn_prepare(&top->spawn, command, STDERR_FILENO, -1, false);
}

static int run(struct top *top, char **command)
{
	bool live = is_live(top);
	struct tail output = TAIL_NONE;
	int code = watch_open(&top->watch), command_code;

	if (live) {
		term_hold();
		top->sampling.spare = &top->spare;
		if (!top->sampling.filter)
			top->spare.name = top->call_stacks ? functions_filter(top) : call_stacks_filter(top);
	}
	if (!code && command)
		code = launch(top, command, live, &output);
	if (!code)
		code = start(top);
	if (!code)
		code = live ? top_live(top, command ? &output : NULL) : top_batch(top);
	command_code = spawn_end(&top->spawn, top->watch.signalled);
	if (!code)
		code = command_code;
	if (!code)
		code = sampling_verdict(&top->sampling, top->session);
	tprof_session__close(top->session);
	watch_close(&top->watch);
	tail_close(&output);
	term_forget();
	return code;
}

static const struct opt_words words[] = { { "by", WORDS_GROUP }, { "sort", "running ready blocked name tid" }, { 0 } };

int cmd_top(int argc, char **argv)
{
	struct top top = { .spawn = SPAWN_NONE };
	const struct opt_usage usage = {
		.synopsis = "top [option ...] [-- command ...]",
		.about = "Show which functions use the CPU right now, counted in the kernel by a filter.",
		.words = words,
		.groups = {
			{ "Output", opts, ARRAY_SIZE(opts), &top },
			SAMPLING_GROUP(&top.sampling),
			SAMPLING_SOURCE_GROUP(&top.sampling),
			SAMPLING_FILTER_GROUP(&top.sampling),
		},
	};
	struct opt_rest rest;
	int code;

	sampling_init(&top.sampling);
	code = opt_parse(&usage, argc, argv, &rest);
	if (code == OPT_RUN) {
		code = check(&top, &rest);
		if (!code && top.threads)
			code = prepare_threads(&top);
		if (!code && top.by == TPROF_GROUP_OWNER && top.sampling.nr_wakers)
			code = out_usage("leave one of them out: waits with wakers have no owners",
					 "--by owner and --wakeups exclude each other");
		if (!code)
			code = wakeups_choose(&top.sampling, top.call_graph_option);
		/* The call stacks are shown, too. */
		top.call_stacks |= top.sampling.nr_wakers != 0;
		if (!code)
			code = run(&top, rest.command);
	}
	sampling_free(&top.sampling);
	return code;
}
