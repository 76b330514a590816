// SPDX-License-Identifier: GPL-2.0-only
/* Repeated runs of a command, and of a second one in turn with it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "against.h"
#include "base/exit_code.h"
#include "base/out.h"
#include "stat.h"

#define RUNS_AGAINST 10

void stat_runs_fini(struct stat_runs *runs)
{
	counts_fini(&runs->counts);
	free(runs->events);
	free(runs->missing);
	stat_ratios_fini(&runs->ratios);
	*runs = (struct stat_runs){ 0 };
}

/* Takes ownership of @counts. 0 or -ENOMEM. */
static int add_run(struct stat_runs *runs, struct counts *counts)
{
	counts_fini(&runs->counts);
	runs->counts = *counts;
	if (!runs->events) {
		runs->events = calloc(counts->nr_events, sizeof(*runs->events));
		runs->missing = calloc(counts->nr_events, sizeof(*runs->missing));
	}
	if (!runs->events || !runs->missing)
		return -ENOMEM;
	for (size_t i = 0; i < counts->nr_events; i++) {
		const struct count *count = &counts->rows[0].counts[i];

		if (count->state == TPROF_COUNTED)
			moments_add(&runs->events[i], count->value);
		else
			runs->missing[i] = true;
	}
	moments_add(&runs->times[STAT_ELAPSED], counts->elapsed_s);
	moments_add(&runs->times[STAT_USER], counts->user_s);
	moments_add(&runs->times[STAT_SYSTEM], counts->system_s);
	return stat_ratios_add(&runs->ratios, counts);
}

/* One run. *@stopped: a signal has ended it, so it does not count. Returns the exit code of an error. */
static int run_once(const struct stat_options *options, char **command, struct stat_runs *runs, bool *stopped)
{
	struct counts counts;
	int failure, code = stat_run(options, command, &counts, NULL, NULL, &failure, stopped);

	if (code || *stopped) {
		counts_fini(&counts);
		return code;
	}
	if (failure && !runs->nr_failed++)
		runs->first_failure = failure;
	if (!add_run(runs, &counts))
		return EXIT_OK;
	out_error(NULL, "%s", strerror(ENOMEM));
	return EXIT_FAIL;
}

/* In the second half of each pair of rounds the order is reversed, so that a trend affects both alike. */
static int run_all(const struct stat_options *options, char ***commands, struct stat_runs runs[2], bool *stopped)
{
	uint64_t nr = options->runs ? options->runs : RUNS_AGAINST;
	int code = EXIT_OK;

	for (uint64_t round = 0; round < nr && !code && !*stopped; round++) {
		for (int i = 0; i < (options->against ? 2 : 1) && !code && !*stopped; i++) {
			int which = options->against ? i ^ (int)(round & 1) : 0;

			code = run_once(options, commands[which], &runs[which], stopped);
		}
	}
	return code;
}

static int write_runs(const struct stat_options *options, struct stat_result *result, const struct stat_runs runs[2])
{
	const struct stat_runs *others = options->against ? &runs[1] : NULL;

	if (options->json)
		return stat_json_runs(options, result, &runs[0], others);
	if (options->csv)
		return stat_csv_runs(options, result, &runs[0], others);
	return others ? stat_text_against(options, result, &runs[0], others) :
			stat_text_runs(options, result, &runs[0]);
}

static void warn_failures(const struct stat_runs *runs, const char *command)
{
	if (runs->nr_failed)
		out_error("the values of these runs are part of the mean", "%zu of %zu runs of %s failed, the first "
			  "with exit code %d", runs->nr_failed, runs->times[0].nr, command, runs->first_failure);
}

/* Were there runs enough for a result? */
static bool has_result(const struct stat_options *options, const struct stat_runs runs[2])
{
	size_t needed = options->against ? 2 : 1;

	return runs[0].times[0].nr >= needed && (!options->against || runs[1].times[0].nr >= needed);
}

/* Returns the exit code. */
static int report(const struct stat_options *options, struct stat_result *result, const struct stat_runs runs[2])
{
	int err;

	warn_failures(&runs[0], options->command_text);
	if (options->against)
		warn_failures(&runs[1], options->against);
	err = write_runs(options, result, runs);
	return stat_result_end(result, err);
}

/* An error does not lose the runs before it. */
int stat_repeat(const struct stat_options *options, struct stat_result *result)
{
	struct against against = { .commands = { options->command } };
	struct stat_runs runs[2] = { 0 };
	bool stopped = false;
	int code = EXIT_OK, written;

	if (options->against && against_init(&against, options->command, options->against)) {
		out_error(NULL, "%s", strerror(ENOMEM));
		code = EXIT_FAIL;
	}
	if (!code)
		code = run_all(options, against.commands, runs, &stopped);
	if (has_result(options, runs)) {
		written = report(options, result, runs);
		code = code ? code : written;
	} else if (!code && stopped) {
		out_error("fewer runs take less time: -r", "a signal has ended the runs before there was a result");
		code = EXIT_FAIL;
	}
	if (!code)
		code = runs[0].first_failure ? runs[0].first_failure : runs[1].first_failure;
	stat_runs_fini(&runs[0]);
	stat_runs_fini(&runs[1]);
	if (options->against)
		against_fini(&against);
	return code;
}
