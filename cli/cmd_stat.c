// SPDX-License-Identifier: GPL-2.0-only
/* `tprof stat`: counts events without sampling them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "cmd.h"
#include "stat/stat.h"

#define AT(member) offsetof(struct stat_options, member)

static int add_events(void *ctx, const struct opt *opt, const char *value)
{
	(void)opt;
	return opt_add_text(value, &((struct stat_options *)ctx)->events);
}

static int add_cgroup(void *ctx, const struct opt *opt, const char *value)
{
	if (!value[0])
		return opt_refuse(opt, value, "is empty", "give a path below the cgroup v2 root");
	return opt_add_text(value, &((struct stat_options *)ctx)->cgroups);
}

static int add_pids(void *ctx, const struct opt *opt, const char *value)
{
	return opt_add_ids(opt, value, &((struct stat_options *)ctx)->pids);
}

static int add_tids(void *ctx, const struct opt *opt, const char *value)
{
	return opt_add_ids(opt, value, &((struct stat_options *)ctx)->tids);
}

/* Milliseconds, as in perf. */
static int set_interval(void *ctx, const struct opt *opt, const char *value)
{
	uint64_t ms = 0;
	int code = opt_number(opt, value, 10, 1000000000, &ms);

	((struct stat_options *)ctx)->interval_ns = ms * 1000000;
	return code;
}

static int set_runs(void *ctx, const struct opt *opt, const char *value)
{
	return opt_number(opt, value, 1, 1000000, &((struct stat_options *)ctx)->runs);
}

static int set_verbose(void *ctx, const struct opt *opt, const char *value)
{
	(void)opt;
	(void)value;
	((struct stat_options *)ctx)->verbosity++;
	return 0;
}

/* The options of a rate and a period are those of the commands that sample. */
static int refuse_rate(void *ctx, const struct opt *opt, const char *value)
{
	(void)ctx;
	(void)value;
	return out_usage("leave it out; tprof record takes samples", "-%c: stat counts every event, so it has no %s",
			 opt->letter, opt->letter == 'F' ? "rate" : "period");
}

static const struct opt counting_opts[] = {
	{ 'e', "event", "EVENTS", "events (list: a,b), groups in braces: {a,b}; may be repeated", add_events, 0 },
	{ 'a', "all", NULL, "the whole machine (the default without a command)", opt_set_flag, AT(all) },
	{ 'p', "pid", "PID", "only these processes (list: 1,2) and their descendants", add_pids, 0 },
	{ 't', "tid", "TID", "only these threads (list)", add_tids, 0 },
	{ 'C', "cpu", "CPUS", "only on these CPUs (list: 0-3,8)", opt_set_text, AT(counters.cpus) },
	{ 'G', "cgroup", "CGROUP", "only this cgroup and its descendants; may be repeated", add_cgroup, 0 },
	{ 0, "kernel-only", NULL, "do not count in user mode", opt_set_flag, AT(counters.kernel_only) },
	{ 0, "user-only", NULL, "do not count in the kernel", opt_set_flag, AT(counters.user_only) },
	{ 0, "duration", "SECONDS", "end after this many seconds", opt_set_seconds, AT(duration_ns) },
	{ 'r', "repeat", "RUNS", "run the command this often: mean and standard deviation", set_runs, 0 },
	{ 0, "against", "COMMAND", "run this command in turn with the other, and compare", opt_set_text,
	  AT(against) },
	{ 'F', "freq", "HZ", "refused: stat takes no samples", refuse_rate, 0 },
	{ 'c', "count", "COUNT", "refused: stat takes no samples", refuse_rate, 0 },
	{ 'v', "verbose", NULL, "log to standard error; twice: in full detail", set_verbose, 0 },
};

static const struct opt output_opts[] = {
	{ 0, "per-cpu", NULL, "a row for each CPU", opt_set_flag, AT(per_cpu) },
	{ 0, "per-process", NULL, "a row for each process", opt_set_flag, AT(per_process) },
	{ 0, "per-thread", NULL, "a row for each thread", opt_set_flag, AT(per_thread) },
	{ 0, "per-cgroup", NULL, "a row for each cgroup", opt_set_flag, AT(per_cgroup) },
	{ 'I', "interval", "MILLISECONDS", "print the counts of each interval", set_interval, 0 },
	{ 'n', "limit", "ROWS", "print at most this many rows", opt_set_count, AT(limit) },
	{ 'o', "output", "FILE", "write to a file", opt_set_text, AT(path) },
	{ 'j', "json", NULL, "write JSON, one object per line", opt_set_flag, AT(json) },
	{ 0, "csv", NULL, "write comma-separated values, for spreadsheets", opt_set_flag, AT(csv) },
};

static void log_message(void *ctx, enum tprof_log_level level, const char *message)
{
	const struct stat_options *options = ctx;

	if ((int)level <= options->verbosity)
		fprintf(stderr, "tprof: %s%s\n", level == TPROF_LOG_WARN ? "warning: " : "", message);
}

/* Options that exclude each other. The library knows those of its own options. */
static int check(const struct stat_options *options)
{
	int nr_per = options->per_cpu + options->per_process + options->per_thread + options->per_cgroup;
	bool repeats = options->runs > 1 || options->against;

	if (options->all && (options->pids.nr || options->tids.nr))
		return out_usage("leave -a out to count only these", "-a and %s exclude each other",
				 options->pids.nr ? "-p" : "-t");
	if (options->command && (options->pids.nr || options->tids.nr))
		return out_usage("count either a command or what runs already", "%s and a command exclude each other",
				 options->pids.nr ? "-p" : "-t");
	if (nr_per > 1)
		return out_usage("give one of --per-cpu, --per-process, --per-thread and --per-cgroup",
				 "rows can be of one kind only");
	if (options->json && options->csv)
		return out_usage("give one of them", "--json and --csv exclude each other");
	if (options->runs && !options->command)
		return out_usage("for example: tprof stat -r 5 -- make", "-r needs a command to run");
	if (options->against && !options->command)
		return out_usage("for example: tprof stat --against './new' -- ./old",
				 "--against needs a command to compare with");
	if (options->against && options->runs == 1)
		return out_usage("leave -r out for 10 runs of each", "--against needs at least 2 runs");
	if (repeats && (options->interval_ns || nr_per))
		return out_usage("leave one of them out", "%s and %s exclude each other",
				 options->against ? "--against" : "-r", options->interval_ns ? "-I" : "--per-...");
	if (repeats && options->duration_ns)
		return out_usage("each run ends with its command", "%s and --duration exclude each other",
				 options->against ? "--against" : "-r");
	return EXIT_OK;
}

static char *join(char **words)
{
	size_t size = 1;
	char *text;

	for (char **word = words; *word; word++)
		size += strlen(*word) + 1;
	text = malloc(size);
	if (!text)
		return NULL;
	text[0] = '\0';
	for (char **word = words; *word; word++) {
		if (word != words)
			strcat(text, " ");
		strcat(text, *word);
	}
	tprof_text__mend(text);
	return text;
}

static void fill(struct stat_options *options)
{
	struct tprof_counters_opts *counters = &options->counters;

	counters->events = options->events.texts;
	counters->nr_events = options->events.nr;
	counters->pids = options->pids.ids;
	counters->nr_pids = options->pids.nr;
	counters->tids = options->tids.ids;
	counters->nr_tids = options->tids.nr;
	counters->cgroups = options->cgroups.texts;
	counters->nr_cgroups = options->cgroups.nr;
	if (options->per_cpu)
		counters->per = TPROF_PER_CPU;
	else if (options->per_process)
		counters->per = TPROF_PER_PROCESS;
	else if (options->per_thread)
		counters->per = TPROF_PER_THREAD;
	else if (options->per_cgroup)
		counters->per = TPROF_PER_CGROUP;
	counters->log = log_message;
	counters->log_ctx = options;
}

struct writing {
	const struct stat_options *options;
	struct stat_result *result;
	struct stat_ratios ratios;	/* over the intervals; of a total only */
};

/* Are rows those of whatever runs, and not given by options? */
static bool finds_units(const struct stat_options *options)
{
	return options->per_process || (options->per_thread && !options->tids.nr) ||
	       (options->per_cgroup && !options->cgroups.nr);
}

static bool is_total(const struct stat_options *options)
{
	return options->counters.per == TPROF_PER_TOTAL;
}

/* @ratios: NULL without intervals. */
static int write_counts(const struct stat_options *options, struct stat_result *result, struct counts *counts,
			const struct stat_ratios *ratios)
{
	if (finds_units(options))
		counts_sort(counts);
	if (options->json)
		return stat_json(options, result, counts, ratios);
	return options->csv ? stat_csv(options, result, counts) : stat_text(options, result, counts);
}

static bool is_counted(const struct counts *counts, const struct counts_row *row)
{
	for (size_t i = 0; i < counts->nr_events; i++)
		if (row->counts[i].state == TPROF_COUNTED)
			return true;
	return false;
}

/*
 * Passes a copy, because the rows of the next interval are subtracted by index. Processes, threads and cgroups that did
 * not run in the interval are left out; they include all that have ended before.
 */
static int write_interval(void *ctx, const struct counts *counts)
{
	struct writing *writing = ctx;
	bool finds_rows = finds_units(writing->options);
	struct counts sorted = *counts;
	int err;

	sorted.rows = malloc((counts->nr_rows + 1) * sizeof(*sorted.rows));
	sorted.nr_rows = 0;
	for (size_t i = 0; sorted.rows && i < counts->nr_rows; i++)
		if (!finds_rows || is_counted(counts, &counts->rows[i]))
			sorted.rows[sorted.nr_rows++] = counts->rows[i];
	err = sorted.rows ? 0 : -ENOMEM;
	if (!err && is_total(writing->options))
		err = stat_ratios_add(&writing->ratios, counts);
	if (!err)
		err = write_counts(writing->options, writing->result, &sorted,
				   is_total(writing->options) ? &writing->ratios : NULL);
	free(sorted.rows);
	if (err == -EPIPE)
		return STAT_NO_READER;
	/* A file is complete after the last interval. */
	return err ? stat_result_end(writing->result, err) : EXIT_OK;
}

/* After the last interval. The ratios in JSON are those up to the interval. */
static int write_ratios(const struct writing *writing, const struct counts *counts)
{
	bool is_text = !writing->options->json && !writing->options->csv;

	return is_text ? stat_text_ratios(writing->result, counts, &writing->ratios) : 0;
}

static int count_once(const struct stat_options *options, struct stat_result *result)
{
	struct writing writing = { .options = options, .result = result };
	struct counts counts;
	int command_code = EXIT_OK, err;
	bool stopped;
	int code = stat_run(options, options->command, &counts, write_interval, &writing, &command_code, &stopped);

	if (!code) {
		err = options->interval_ns ? write_ratios(&writing, &counts) :
					     write_counts(options, result, &counts, NULL);
		code = stat_result_end(result, err);
	}
	counts_fini(&counts);
	stat_ratios_fini(&writing.ratios);
	if (code == STAT_NO_READER)
		code = EXIT_OK;
	return code ? code : command_code;
}

static int count(const struct stat_options *options)
{
	struct stat_result result;
	int code = stat_result_open(options, &result);

	if (!code)
		code = options->runs > 1 || options->against ? stat_repeat(options, &result) :
							       count_once(options, &result);
	stat_result_close(&result);
	return code;
}

static const struct opt_words words[] = { { "event", "EVENT" }, { 0 } };

int cmd_stat(int argc, char **argv)
{
	struct stat_options options = { .counters = { .sz = sizeof(options.counters) } };
	const struct opt_usage usage = {
		.synopsis = "stat [option ...] [-- command ...]",
		.about = "Count how often events occur, without samples: of a command, of processes, threads or "
			 "cgroups, or of the whole machine.",
		.words = words,
		.groups = {
			{ "Counting", counting_opts, ARRAY_SIZE(counting_opts), &options },
			{ "Output", output_opts, ARRAY_SIZE(output_opts), &options },
		},
	};
	struct opt_rest rest;
	int code = opt_parse(&usage, argc, argv, &rest);

	if (code == OPT_RUN && rest.nr_operands)
		code = out_usage("put -- before the command: tprof stat -- make", "stat: unexpected operand %s",
				 rest.operands[0]);
	if (code == OPT_RUN) {
		options.command = rest.command;
		options.command_text = rest.command ? join(rest.command) : NULL;
		fill(&options);
		code = check(&options);
		if (!code)
			code = count(&options);
	}
	free(options.command_text);
	free(options.events.texts);
	free(options.cgroups.texts);
	free(options.pids.ids);
	free(options.tids.ids);
	return code;
}
