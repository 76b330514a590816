/* SPDX-License-Identifier: GPL-2.0-only */
/* `tprof stat`: what is counted, for how long, how often, and where the result goes. */
#ifndef TPROF_STAT_H
#define TPROF_STAT_H

#include <stdio.h>

#include "base/opt_list.h"
#include "counts.h"
#include "file/output.h"
#include "moments.h"
#include "sample/spawn.h"
#include "stat_ratios.h"
#include "wait/watch.h"

/* Times of a run, as rows of a table of repeats. */
enum stat_time { STAT_ELAPSED, STAT_USER, STAT_SYSTEM, STAT_NR_TIMES };

struct stat_options {
	struct tprof_counters_opts counters;	/* points into the members below, and into argv */
	struct opt_texts events, cgroups;
	struct opt_ids pids, tids;
	bool all;			/* -a: also with a command */
	bool per_thread, per_process, per_cpu, per_cgroup;
	bool json, csv;
	uint64_t interval_ns;		/* 0: once, at the end */
	uint64_t duration_ns;		/* 0: no limit */
	uint64_t runs;			/* 0: not given */
	uint64_t limit;			/* rows; 0: all */
	const char *against;		/* a second command, see against.h; NULL: none */
	const char *path;		/* -o; NULL: none */
	int verbosity;
	char **command;			/* NULL: none */
	char *command_text;		/* its words, for people */
};

/* Where the results go. */
struct stat_result {
	struct output output;		/* -o */
	FILE *out;
	bool has_head;			/* the header was written */
};

/* Values of several runs of one command. */
struct stat_runs {
	struct counts counts;		/* of the last run */
	struct moments *events;
	bool *missing;			/* by event: in one of the runs it was not counted */
	struct stat_ratios ratios;
	struct moments times[STAT_NR_TIMES];
	size_t nr_failed;
	int first_failure;		/* exit code */
};

/* stat_result.c */

/* Opens -o, standard output or standard error. 0, or the exit code after reporting an error. */
int stat_result_open(const struct stat_options *options, struct stat_result *result);
/* Writes what is buffered. 0 or -errno, also if an earlier write has failed. */
int stat_result_flush(FILE *out);
/* Everything was written, or failed with @err. Returns the exit code after reporting an error. */
int stat_result_end(struct stat_result *result, int err);
void stat_result_close(struct stat_result *result);

/* stat_run.c */

/* Of a function that gets intervals: the reader of a pipe is gone, which is no error. */
#define STAT_NO_READER (-1)

/*
 * Counts one run of the command, or without a command until a signal, the end of the targets or of the duration. Fills
 * @counts, and with an interval passes the counts of each to @each, until it returns something else than 0.
 * *@command_code: the exit code of the command. *@stopped: a signal has ended it. 0, the exit code after reporting an
 * error, or what @each has returned.
 */
int stat_run(const struct stat_options *options, char **command, struct counts *counts,
	     int (*each)(void *ctx, const struct counts *counts), void *ctx, int *command_code, bool *stopped);

/* stat_repeat.c */

/* Runs the command again and again, and in turn the other one if there is one. Returns the exit code. */
int stat_repeat(const struct stat_options *options, struct stat_result *result);
void stat_runs_fini(struct stat_runs *runs);

/*
 * stat_text.c, stat_text_runs.c, stat_json.c, stat_csv.c: each writes to result->out. 0 or -errno. @ratios: over the
 * intervals up to this one; NULL without intervals.
 */

int stat_text(const struct stat_options *options, struct stat_result *result, const struct counts *counts);
/* The ratios over all intervals. */
int stat_text_ratios(struct stat_result *result, const struct counts *counts, const struct stat_ratios *ratios);
int stat_text_runs(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs);
int stat_text_against(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs,
		      const struct stat_runs *others);
int stat_json(const struct stat_options *options, struct stat_result *result, const struct counts *counts,
	      const struct stat_ratios *ratios);
int stat_json_runs(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs,
		   const struct stat_runs *others);
int stat_csv(const struct stat_options *options, struct stat_result *result, const struct counts *counts);
int stat_csv_runs(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs,
		  const struct stat_runs *others);

/* stat_names.c */

/* The name of a time: "elapsed", "user" or "system". */
const char *stat_time_name(enum stat_time which);
/* The name of a unit of rows: "total", "cpu", "thread", "process" or "cgroup". */
const char *stat_per_name(const struct stat_options *options);
/* The name of the scope: "command", "machine", "processes", "threads" or "cgroups". */
const char *stat_scope_name(const struct stat_options *options);

#endif
