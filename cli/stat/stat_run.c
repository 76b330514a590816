// SPDX-License-Identifier: GPL-2.0-only
/* One run: opens the counters, starts the command, and waits for the end. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/exit_code.h"
#include "base/members.h"
#include "base/nearest.h"
#include "base/out.h"
#include "stat.h"
#include "wait/monotonic.h"

/* CPUs that come or go are noticed after this time. */
#define FOLLOW_NS 1000000000ull

/* A command that exits so soon after a signal was ended by the same one. */
#define SAME_TIME_MS 100

static const struct member members[] = {
	{ "kernel_only", "--kernel-only" },
	{ "user_only", "--user-only" },
	{ "pids", "-p" },
	{ "tids", "-t" },
	{ "cgroups", "-G" },
	{ "TPROF_PER_CGROUP", "--per-cgroup" },
	{ 0 }
};

struct run {
	const struct stat_options *options;
	struct tprof_counters *counters;
	struct watch watch;
	struct spawn spawn;
	uint64_t started_ns, interval_ns;	/* start of the counting, and of the interval */
	struct counts before;			/* at the start of the interval */
	struct rusage children;			/* of this process, at the start */
	int (*each)(void *ctx, const struct counts *counts);
	void *ctx;
};

struct suggestion {
	char typed[64], best[64];
	size_t distance;
};

static int offer(void *ctx, const char *name, const char *kind, bool usable)
{
	struct suggestion *suggestion = ctx;
	struct nearest nearest = { 0 };

	(void)kind;
	(void)usable;
	nearest_offer(&nearest, suggestion->typed, name);
	if (!nearest.word || (suggestion->best[0] && suggestion->distance <= nearest.distance))
		return 0;
	snprintf(suggestion->best, sizeof(suggestion->best), "%s", name);
	suggestion->distance = nearest.distance;
	return 0;
}

/* "event cyclse: there is no event of this name": the hint names the event that was probably meant. */
static void suggest(struct tprof_error *error)
{
	static const char start[] = "event ", why[] = ": there is no event of this name";
	const char *name = error->text + strlen(start), *end = strstr(error->text, why);
	struct suggestion suggestion = { 0 };

	if (!end || strncmp(error->text, start, strlen(start)) != 0)
		return;
	snprintf(suggestion.typed, sizeof(suggestion.typed), "%.*s", (int)(end - name), name);
	tprof_event__each(offer, &suggestion);
	if (suggestion.best[0])
		snprintf(error->hint, sizeof(error->hint), "did you mean %s? `tprof list events` lists all",
			 suggestion.best);
}

static int out_error_of_counters(const struct tprof_counters *counters, int err)
{
	out_error(tprof_counters__hint(counters), "%s", tprof_counters__error(counters));
	return out_exit_code(err);
}

static int open_counters(struct run *run)
{
	struct tprof_counters_opts opts = run->options->counters;
	struct tprof_error error = { 0 };
	int err;

	if (run->spawn.pid && !run->options->all && !opts.nr_cgroups) {
		opts.pids = &run->spawn.pid;
		opts.nr_pids = 1;
		opts.enable_on_exec = true;
	}
	run->counters = tprof_counters__open(&opts, &error);
	if (run->counters)
		return EXIT_OK;
	err = errno;
	members_to_options(members, &error);
	suggest(&error);
	return out_error_of(&error, err);
}

static int watch_all(struct run *run)
{
	uint64_t tick_ns = run->options->interval_ns ? run->options->interval_ns : FOLLOW_NS;
	int err = watch_interval(&run->watch, tick_ns);

	if (!err && run->spawn.pid)
		err = watch_command(&run->watch, run->spawn.pidfd);
	else if (!err)
		err = watch_counters(&run->watch, run->counters);
	if (!err)
		err = watch_duration(&run->watch, run->options->duration_ns);
	if (!err)
		return EXIT_OK;
	out_error(NULL, "epoll: %s", strerror(-err));
	return EXIT_FAIL;
}

static int start(struct run *run, char **command)
{
	int code = command ? spawn_prepare(&run->spawn, command, -1, -1, false) : EXIT_OK, err;

	if (!code)
		code = open_counters(run);
	if (!code)
		code = watch_all(run);
	if (code)
		return code;
	getrusage(RUSAGE_CHILDREN, &run->children);
	err = tprof_counters__start(run->counters);
	if (err)
		return out_error_of_counters(run->counters, err);
	/* Attaching the program that counts at context switches takes some time before the counters start. */
	run->started_ns = run->interval_ns = monotonic_ns();
	return command ? spawn_go(&run->spawn) : EXIT_OK;
}

static double seconds(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

static int take(struct run *run, struct counts *counts)
{
	const struct tprof_counters_opts *opts = &run->options->counters;
	bool is_machine = !opts->nr_pids && !opts->nr_tids && !opts->nr_cgroups &&
			  (!run->options->command || run->options->all);
	int err = counts_take(counts, run->counters);

	counts->has_idle = is_machine && (opts->per == TPROF_PER_TOTAL || opts->per == TPROF_PER_CPU);
	return err;
}

/* Takes the counts of the interval that ends now, and passes them on. */
static int end_interval(struct run *run, uint64_t now_ns)
{
	struct counts now, total;
	int err = take(run, &now), code;

	if (!err)
		err = take(run, &total);
	if (err) {
		out_error(NULL, "%s", strerror(-err));
		return EXIT_FAIL;
	}
	counts_subtract(&now, &run->before);
	now.start_s = (double)(run->interval_ns - run->started_ns) / 1e9;
	now.elapsed_s = (double)(now_ns - run->interval_ns) / 1e9;
	run->interval_ns = now_ns;
	counts_fini(&run->before);
	run->before = total;
	code = run->each(run->ctx, &now);
	counts_fini(&now);
	return code;
}

static int on_tick(struct run *run)
{
	uint64_t now_ns = monotonic_ns();
	int err = tprof_counters__read(run->counters);

	if (err)
		return out_error_of_counters(run->counters, err);
	return run->options->interval_ns ? end_interval(run, now_ns) : EXIT_OK;
}

/* Waits for the end. *@code: the exit code of an error. Returns the events that ended it. */
static int wait_end(struct run *run, int *code)
{
	int events;

	do {
		events = watch_wait(&run->watch);
		if (events < 0) {
			out_error(NULL, "epoll: %s", strerror(-events));
			*code = EXIT_FAIL;
			return 0;
		}
		if ((events & WATCH_TICK) && !(events & WATCH_END))
			*code = on_tick(run);
	} while (!*code && !(events & WATCH_END));
	return events;
}

/* Ends the counting; the command may still run. */
static int stop(struct run *run, struct counts *counts)
{
	uint64_t now_ns = monotonic_ns();
	int err = tprof_counters__stop(run->counters), code = EXIT_OK;

	if (err)
		return out_error_of_counters(run->counters, err);
	if (run->options->interval_ns)
		code = end_interval(run, now_ns);
	err = code ? 0 : take(run, counts);
	if (err) {
		out_error(NULL, "%s", strerror(-err));
		return EXIT_FAIL;
	}
	counts->elapsed_s = (double)(now_ns - run->started_ns) / 1e9;
	return code;
}

/* The CPU time of the command, which was reaped. */
static void take_times(const struct run *run, struct counts *counts)
{
	struct rusage children;

	getrusage(RUSAGE_CHILDREN, &children);
	counts->user_s = seconds(&children.ru_utime) - seconds(&run->children.ru_utime);
	counts->system_s = seconds(&children.ru_stime) - seconds(&run->children.ru_stime);
}

int stat_run(const struct stat_options *options, char **command, struct counts *counts,
	     int (*each)(void *ctx, const struct counts *counts), void *ctx, int *command_code, bool *stopped)
{
	struct run run = { .options = options, .spawn = SPAWN_NONE, .each = each, .ctx = ctx };
	int code = watch_open(&run.watch), events = 0;

	*counts = (struct counts){ 0 };
	if (!code)
		code = start(&run, command);
	if (!code)
		events = wait_end(&run, &code);
	if (events & WATCH_COMMAND)
		spawn_wait(&run.spawn);
	if (!code)
		code = stop(&run, counts);
	/* Ctrl-C ends both. The times of a command that goes on are not known. */
	if ((events & WATCH_SIGNAL) && run.spawn.pid && spawn_has_ended(&run.spawn, SAME_TIME_MS))
		spawn_wait(&run.spawn);
	if (!code && command && !run.spawn.pid)
		take_times(&run, counts);
	*stopped = run.watch.signalled;
	*command_code = spawn_end(&run.spawn, run.watch.signalled);
	tprof_counters__close(run.counters);
	counts_fini(&run.before);
	watch_close(&run.watch);
	return code;
}
