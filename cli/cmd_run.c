// SPDX-License-Identifier: GPL-2.0-only
/* `tprof run`: runs any filter with any tables; prints its tables, and the kept samples as they arrive. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/ledger.h"
#include "base/out.h"
#include "cmd.h"
#include "sample/launch.h"
#include "sample/run_sample.h"
#include "wait/monotonic.h"

/*
 * How often kept samples are fetched. The stream holds about 2,000 samples, so the interval is halved when one fetch
 * returns a quarter of that.
 */
#define FETCH_SLOW_NS 100000000ull
#define FETCH_FAST_NS 5000000ull
#define MANY_SAMPLES 500

struct run {
	struct sampling sampling;
	uint64_t delay_ns;		/* -d; 0: one profile at the end */
	uint64_t limit;			/* -n; 0: all */
	bool json;
	struct tprof_session *session;
	struct watch watch;
	struct spawn spawn;
	uint64_t fetch_ns;
	uint64_t started_ns;		/* the intervals are relative to this time */
	uint64_t sampled_ns;		/* total duration of the printed tables */
	size_t nr_written;
};

#define AT(member) offsetof(struct run, member)

static const struct opt opts[] = {
	{ 'd', "delay", "SECONDS", "print the tables at this interval (default: once, at the end)", opt_set_seconds,
	  AT(delay_ns) },
	{ 'n', "limit", "ROWS", "print at most this many rows of each table, or histograms", opt_set_count, AT(limit) },
	{ 'j', "json", NULL, "write JSON, one object per line", opt_set_flag, AT(json) },
};

/* Prints the samples kept since the last call. 0 or the exit code; *@broken: writing failed. */
static int fetch_samples(struct run *run, bool *broken)
{
	struct run_samples samples = { .session = run->session, .json = run->json };
	int nr = tprof_session__read_samples(run->session, run_sample_print, &samples);

	*broken = false;
	if (fflush(stdout) || ferror(stdout)) {
		*broken = true;
		return out_written(errno ? errno : EIO);
	}
	if (nr < 0)
		return out_error_of_session(run->session, nr);
	if (nr > MANY_SAMPLES && run->fetch_ns > FETCH_FAST_NS) {
		run->fetch_ns /= 2;
		nr = watch_interval(&run->watch, run->fetch_ns);
		if (nr < 0)
			return out_error_of_session(run->session, nr);
	}
	return EXIT_OK;
}

/* Prints the counts since the last call. 0 or the exit code; *@broken: writing failed. */
static int write_tables(struct run *run, bool *broken)
{
	TPROF_OPTS(tprof_export_opts, export, .limit = run->limit, .tables = true);
	struct tprof_profile *profile = tprof_session__snapshot(run->session);
	int err = 0;

	*broken = false;
	if (!profile)
		return out_error_of_session(run->session, errno);
	run->sampled_ns += tprof_profile__duration_ns(profile);
	if (run->nr_written++ && !run->json && write(STDOUT_FILENO, "\n", 1) < 0)
		err = -errno;
	/* A filter without tables produces only the kept samples, which are already printed. */
	if (!err && (run->json || tprof_profile__nr_tables(profile)))
		err = tprof_profile__export(profile, run->json ? "json" : "text", STDOUT_FILENO, &export);
	tprof_profile__free(profile);
	*broken = err != 0;
	return out_written(err);
}

static int loop(struct run *run)
{
	uint64_t next_ns = run->started_ns + run->delay_ns, now_ns;
	bool broken = false;
	/* The first fetch selects delivery: until then, kept samples are added to the profile instead. */
	int code = fetch_samples(run, &broken), events;

	if (code || broken)
		return code;
	do {
		events = watch_wait(&run->watch);
		if (events < 0)
			return out_error_of_session(run->session, events);
		if (events & WATCH_COMMAND)
			spawn_wait(&run->spawn);
		if (events & WATCH_END)
			break;
		code = fetch_samples(run, &broken);
		now_ns = monotonic_ns();
		if (!code && !broken && run->delay_ns && now_ns >= next_ns) {
			next_ns += run->delay_ns;
			/* After a stop (SIGSTOP, suspend), the missed time becomes one long interval. */
			if (next_ns <= now_ns)
				next_ns = now_ns + run->delay_ns;
			code = write_tables(run, &broken);
		}
		if (code || broken)
			return code;
	} while (true);
	launch_stop(run->session);
	code = fetch_samples(run, &broken);
	if (!code && !broken)
		code = write_tables(run, &broken);
	return code ? code : ledger_print(run->session, run->sampled_ns);
}

static int start(struct run *run, const char *filter)
{
	int code, err;

	run->session = launch_open(&run->sampling, filter, &run->spawn, &code);
	if (!run->session)
		return code;
	run->started_ns = monotonic_ns();
	code = launch_start(&run->sampling, run->session, &run->watch, &run->spawn, NULL);
	err = code ? 0 : watch_interval(&run->watch, run->fetch_ns);
	return err ? out_error_of_session(run->session, err) : code;
}

static int run_filter(struct run *run, const char *filter, char **command)
{
	int code = watch_open(&run->watch), command_code;

	run->fetch_ns = run->delay_ns && run->delay_ns < FETCH_SLOW_NS ? run->delay_ns : FETCH_SLOW_NS;
	if (!code && command)
		code = spawn_prepare(&run->spawn, command, STDERR_FILENO, -1, false);
	if (!code)
		code = start(run, filter);
	if (!code)
		code = loop(run);
	command_code = spawn_end(&run->spawn, run->watch.signalled);
	if (!code)
		code = command_code;
	if (!code)
		code = sampling_verdict(&run->sampling, run->session);
	tprof_session__close(run->session);
	watch_close(&run->watch);
	return code;
}

static const struct opt_words words[] = { { ".", "FILTER" }, { 0 } };

int cmd_run(int argc, char **argv)
{
	struct run run = { .spawn = SPAWN_NONE };
	const struct opt_usage usage = {
		.synopsis = "run [option ...] FILTER [-- command ...]",
		.about = "Run a filter and print its tables and the samples that it keeps. FILTER is the path of a "
			 "compiled object, or a name from `tprof filter list`.",
		.words = words,
		.groups = {
			{ "Output", opts, ARRAY_SIZE(opts), &run },
			SAMPLING_GROUP(&run.sampling),
		},
	};
	struct opt_rest rest;
	int code;

	sampling_init(&run.sampling);
	run.sampling.session.tables = true;
	code = opt_parse(&usage, argc, argv, &rest);
	if (code == OPT_RUN && rest.nr_operands != 1)
		code = out_usage("give a path, or a name from `tprof filter list`", "run: takes one filter");
	if (code == OPT_RUN) {
		code = sampling_check(&run.sampling);
		if (!code)
			code = run_filter(&run, rest.operands[0], rest.command);
	}
	sampling_free(&run.sampling);
	return code;
}
