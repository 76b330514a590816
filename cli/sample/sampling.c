// SPDX-License-Identifier: GPL-2.0-only
/* Turns the shared sampling options into a session. */
#include "sampling.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/grow.h"
#include "base/ledger.h"
#include "base/members.h"
#include "base/out.h"
#include "base/progress.h"
#include "events.h"

/* The members of struct tprof_session_opts that the library names when it refuses them. */
static const struct member members[] = {
	{ "rate_hz", "-F" },
	{ "period", "-c" },
	{ "kernel_only", "--kernel-only" },
	{ "user_only", "--user-only" },
	{ "cpus", "-C" },
	{ "wait_min_ns", "--min" },
	{ 0 }
};

static int out_of_memory(void)
{
	out_error(NULL, "%s", strerror(ENOMEM));
	return EXIT_FAIL;
}

static int set_rate(void *ctx, const struct opt *opt, const char *value)
{
	struct sampling *sampling = ctx;

	return opt_positive(opt, value, UINT64_MAX, &sampling->session.rate_hz);
}

static int set_period(void *ctx, const struct opt *opt, const char *value)
{
	struct sampling *sampling = ctx;

	return opt_positive(opt, value, UINT64_MAX, &sampling->session.period);
}

static int add_pids(void *ctx, const struct opt *opt, const char *value)
{
	struct sampling *sampling = ctx;
	int code = opt_add_ids(opt, value, &sampling->pids);

	sampling->session.pids = sampling->pids.ids;
	sampling->session.nr_pids = sampling->pids.nr;
	return code;
}

static int add_tids(void *ctx, const struct opt *opt, const char *value)
{
	struct sampling *sampling = ctx;
	int code = opt_add_ids(opt, value, &sampling->tids);

	sampling->session.tids = sampling->tids.ids;
	sampling->session.nr_tids = sampling->tids.nr;
	return code;
}

static int add_cgroup(void *ctx, const struct opt *opt, const char *value)
{
	struct sampling *sampling = ctx;
	int code;

	if (!value[0])
		return opt_refuse(opt, value, "is empty", "give a path below the cgroup v2 root");
	code = opt_add_text(value, &sampling->cgroups);
	sampling->session.cgroups = sampling->cgroups.texts;
	sampling->session.nr_cgroups = sampling->cgroups.nr;
	return code;
}

int sampling_set(struct sampling *sampling, const char *name, const char *value, const char *option)
{
	struct sampling_param *more = grow_array(sampling->params, sampling->nr_params, &sampling->params_capacity,
						 sizeof(*more));
	size_t length = strlen(name);
	char *both;

	if (!more)
		return out_of_memory();
	sampling->params = more;
	both = malloc(length + strlen(value) + 2);
	if (!both)
		return out_of_memory();
	strcpy(both, name);
	strcpy(both + length + 1, value);
	more[sampling->nr_params++] = (struct sampling_param){ both, both + length + 1, option };
	return 0;
}

static int add_param(void *ctx, const struct opt *opt, const char *value)
{
	size_t length = strcspn(value, "=");
	char *name;
	int code;

	if (!length || !value[length])
		return opt_refuse(opt, value, "is not of the form name=value",
				  "`tprof filter show FILTER` lists the parameters");
	name = strndup(value, length);
	if (!name)
		return out_of_memory();
	code = sampling_set(ctx, name, value + length + 1, NULL);
	free(name);
	return code;
}

static int set_max_stack(void *ctx, const struct opt *opt, const char *value)
{
	return opt_positive(opt, value, UINT32_MAX, &((struct sampling *)ctx)->max_stack);
}

/* A time with its unit, which is not optional: a number alone could be seconds or nanoseconds. */
static int set_min(void *ctx, const struct opt *opt, const char *value)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double number = strtod(value, &end);

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (!isdigit((unsigned char)value[0]) || strcmp(end, units[i].name) != 0)
			continue;
		if (!(number * units[i].ns < 1e18))
			break;
		((struct sampling *)ctx)->session.wait_min_ns = (uint64_t)(number * units[i].ns);
		return 0;
	}
	return opt_refuse(opt, value, "is not a time", "write it with its unit: 100us, 1.5ms, 2s");
}

static int set_debuginfod(void *ctx, const struct opt *opt, const char *value)
{
	struct sampling *sampling = ctx;
	uint64_t seconds = 0;
	int code = opt_number(opt, value, 1, 3600, &seconds);

	sampling->session.debuginfod_ms = seconds * 1000;
	return code;
}

static int set_verbose(void *ctx, const struct opt *opt, const char *value)
{
	(void)opt;
	(void)value;
	((struct sampling *)ctx)->verbosity++;
	return 0;
}

#define AT(member) offsetof(struct sampling, member)

const struct opt sampling_opts[] = {
	{ 'F', "freq", "HZ", "samples per second on each CPU, 1 to " OPT_TEXT(TPROF_RATE_HZ_MAX) " (default: "
	  OPT_TEXT(TPROF_RATE_HZ_DEFAULT) ")", set_rate, 0 },
	{ 'c', "count", "COUNT", "take a sample every COUNT events (cpu-clock: nanoseconds)", set_period, 0 },
	{ 'e', "event", "EVENT", "event to sample, or several: a,b (default: cycles, or cpu-clock if not available)",
	  events_set, 0 },
	{ 0, "off-cpu", NULL, "count waits: the time that threads spend off the CPU (as -e off-cpu)", events_set_waits,
	  0 },
	{ 0, "wall", NULL, "count both: time on the CPU and waits (as -e cpu-clock,off-cpu)", events_set_wall, 0 },
	{ 0, "min", "TIME", "count only waits that are at least so long, such as 100us", set_min, 0 },
	{ 'a', "all", NULL, "all processes (the default without a command)", opt_set_flag, AT(all) },
	{ 'p', "pid", "PID", "only these processes (list: 1,2) and their descendants", add_pids, 0 },
	{ 't', "tid", "TID", "only these threads (list)", add_tids, 0 },
	{ 'C', "cpu", "CPUS", "only these CPUs (list: 0-3,8)", opt_set_text, AT(session.cpus) },
	{ 'G', "cgroup", "CGROUP", "only this cgroup and its descendants; may be repeated", add_cgroup, 0 },
	{ 0, "comm", "NAME", "only threads with this name", opt_set_text, AT(session.comm) },
	{ 0, "kernel-only", NULL, "only samples in the kernel", opt_set_flag, AT(session.kernel_only) },
	{ 0, "user-only", NULL, "only samples in user mode", opt_set_flag, AT(session.user_only) },
	{ 0, "duration", "SECONDS", "end after this many seconds", opt_set_seconds, AT(duration_ns) },
	{ 0, "engine", "ENGINE", "kmod or perf (default: the best one that works)", opt_set_text,
	  AT(session.engine) },
	{ 0, "set", "NAME=VALUE", "set a parameter of the filter; may be repeated", add_param, 0 },
	{ 0, "table-entries", "COUNT", "capacity of each table of the filter, in keys", opt_set_count,
	  AT(table_entries) },
	{ 0, "max-stack", "FRAMES", "maximum depth of a call stack, " OPT_TEXT(TPROF_STACK_MIN_FRAMES) " to "
	  OPT_TEXT(TPROF_STACK_MAX_FRAMES) " (default: " OPT_TEXT(TPROF_STACK_FRAMES) ")", set_max_stack, 0 },
	{ 0, "pin", NULL, "pin the maps below /sys/fs/bpf/tprof/ for bpftool", opt_set_flag, AT(pin) },
	{ 0, "no-sandbox", NULL, "keep all privileges while sampling, for debugging", opt_set_flag, AT(no_sandbox) },
	{ 0, "strict", NULL, "exit with 3 if samples were lost", opt_set_flag, AT(strict) },
	{ 'v', "verbose", NULL, "log to standard error; twice: in full detail", set_verbose, 0 },
};
const size_t nr_sampling_opts = ARRAY_SIZE(sampling_opts);

const struct opt sampling_filter_opts[] = {
	{ 0, "filter", "FILTER", "name of a shipped filter, or path of an object (default: top)",
	  opt_set_text, AT(filter) },
};
const size_t nr_sampling_filter_opts = ARRAY_SIZE(sampling_filter_opts);

const struct opt sampling_source_opts[] = {
	{ 0, "lines", NULL, "show source lines, from debug information", opt_set_flag, AT(session.lines) },
	{ 0, "inline", NULL, "show inlined functions, from debug information", opt_set_flag, AT(session.inlines) },
	{ 0, "debuginfod", "SECONDS", "get debug files from DEBUGINFOD_URLS, for at most SECONDS", set_debuginfod, 0 },
};
const size_t nr_sampling_source_opts = ARRAY_SIZE(sampling_source_opts);

static void log_message(void *ctx, enum tprof_log_level level, const char *message)
{
	const struct sampling *sampling = ctx;

	if ((int)level > sampling->verbosity)
		return;
	if (sampling->say) {
		sampling->say(sampling->say_ctx, message);
		return;
	}
	progress_clear();
	fprintf(stderr, "tprof: %s%s\n", level == TPROF_LOG_WARN ? "warning: " : "", message);
}

void sampling_init(struct sampling *sampling)
{
	*sampling = (struct sampling){
		.session = { .sz = sizeof(sampling->session), .log = log_message, .log_ctx = sampling },
	};
}

void sampling_free(struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->nr_params; i++)
		free((char *)sampling->params[i].name);
	free(sampling->params);
	for (size_t i = 0; i < sampling->nr_events; i++)
		free(sampling->events[i]);
	free(sampling->events);
	free(sampling->cgroups.texts);
	free(sampling->tids.ids);
	free(sampling->pids.ids);
}

int sampling_check(const struct sampling *sampling)
{
	const struct tprof_session_opts *session = &sampling->session;

	if (sampling->all && (session->nr_pids || session->nr_tids))
		return out_usage("leave -a out to sample only these", "-a and %s exclude each other",
				 session->nr_pids ? "-p" : "-t");
	return 0;
}

/* Reports the error of a filter, after the option that caused it (NULL: --set). Returns the exit code. */
static int refuse_option(const struct tprof_filter *filter, const char *option, int err)
{
	if (!option)
		return out_error_of_filter(filter, err);
	out_error(tprof_filter__hint(filter), "%s: %s", option, tprof_filter__error(filter));
	return out_exit_code(err);
}

static int set_up(const struct sampling *sampling, struct tprof_filter *filter)
{
	int err = 0;

	for (size_t i = 0; i < sampling->nr_params; i++) {
		const struct sampling_param *param = &sampling->params[i];

		err = tprof_filter__set(filter, param->name, param->value);
		if (err)
			return refuse_option(filter, param->option, err);
	}
	if (sampling->table_entries)
		err = tprof_filter__set_table_entries(filter, NULL, (uint32_t)sampling->table_entries);
	if (err)
		return refuse_option(filter, "--table-entries", err);
	if (sampling->max_stack)
		err = tprof_filter__set_stack_frames(filter, (uint32_t)sampling->max_stack);
	return err ? refuse_option(filter, "--max-stack", err) : 0;
}

/* The event of -e, or that of the filter; NULL: the default of the library. */
static const char *first_event(const struct sampling *sampling, const struct tprof_filter *filter)
{
	const char *event = sampling->nr_events ? sampling->events[0] : tprof_filter__event(filter);

	return event[0] ? event : NULL;
}

/* Opens the session with the events of -e, each with the rate or the period of -F or -c. */
static struct tprof_session *open_session(const struct sampling *sampling, const struct tprof_filter *filter,
					  struct tprof_error *error)
{
	struct tprof_event_opts events[TPROF_EVENTS_MAX + 1] = { 0 };
	struct tprof_session_opts opts = sampling->session;

	if (sampling->nr_events < 2) {
		opts.event = first_event(sampling, filter);
		return tprof_session__open(&opts, error);
	}
	opts.events = events;
	opts.nr_events = sampling->nr_events;
	/* The library refuses more. */
	for (size_t i = 0; i < sampling->nr_events && i < ARRAY_SIZE(events); i++)
		events[i] = events_opts(sampling, i);
	opts.rate_hz = opts.period = 0;
	return tprof_session__open(&opts, error);
}

struct tprof_session *sampling_open(const struct sampling *sampling, const char *filter_name, int *code)
{
	struct tprof_session *session;
	struct tprof_filter *filter;
	struct tprof_error error = { 0 };
	int err;

	filter = tprof_filter__open(filter_name, &error);
	if (!filter) {
		*code = out_error_of(&error, errno);
		return NULL;
	}
	*code = set_up(sampling, filter);
	if (*code) {
		tprof_filter__free(filter);
		return NULL;
	}
	session = open_session(sampling, filter, &error);
	if (!session) {
		err = errno;
		members_to_options(members, &error);
		*code = out_error_of(&error, err);
		tprof_filter__free(filter);
		return NULL;
	}
	err = tprof_session__add_filter(session, filter);
	if (err) {
		*code = out_error_of_session(session, err);
		tprof_session__close(session);
		return NULL;
	}
	return session;
}

/* Reports an error of preparing; the engine may refuse the period, too. Returns the exit code. */
static int refuse_session(const struct tprof_session *session, int err)
{
	struct tprof_error error;

	snprintf(error.text, sizeof(error.text), "%s", tprof_session__error(session));
	snprintf(error.hint, sizeof(error.hint), "%s", tprof_session__hint(session));
	members_to_options(members, &error);
	return out_error_of(&error, err);
}

/* The options of the first filter apply as far as the spare one has parameters and stacks. */
static void load_spare(const struct sampling *sampling, struct tprof_session *session, struct sampling_spare *spare)
{
	struct tprof_error error = { 0 };
	struct tprof_filter *filter = tprof_filter__open(spare->name, &error);
	int err = filter ? 0 : -errno;

	for (size_t i = 0; i < sampling->nr_params && filter; i++)
		tprof_filter__set(filter, sampling->params[i].name, sampling->params[i].value);
	if (filter && sampling->table_entries)
		tprof_filter__set_table_entries(filter, NULL, (uint32_t)sampling->table_entries);
	if (filter && sampling->max_stack)
		tprof_filter__set_stack_frames(filter, (uint32_t)sampling->max_stack);
	if (filter)
		err = tprof_session__load_filter(session, filter);
	if (!err)
		spare->filter = filter;
	else
		snprintf(spare->why, sizeof(spare->why), "%s", filter ? tprof_session__error(session) : error.text);
}

int sampling_prepare(const struct sampling *sampling, struct tprof_session *session)
{
	int code, err = tprof_session__prepare(session);

	if (err)
		return refuse_session(session, err);
	if (sampling->spare && sampling->spare->name)
		load_spare(sampling, session, sampling->spare);
	err = sampling->pin ? tprof_session__pin(session) : 0;
	if (!err)
		return 0;
	/* A pinning error is never a usage error: for example, the bpf file system is not mounted. */
	code = out_error_of_session(session, err);
	return code == EXIT_USAGE ? EXIT_CANNOT : code;
}

int sampling_verdict(const struct sampling *sampling, struct tprof_session *session)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	uint64_t lost;
	int err;

	if (!sampling->strict)
		return EXIT_OK;
	err = tprof_session__ledger(session, &ledger);
	if (err)
		return out_error_of_session(session, err);
	lost = ledger_missing(&ledger);
	if (!lost)
		return EXIT_OK;
	out_error("the ledger in the output shows the reasons", "%llu samples were lost", (unsigned long long)lost);
	return EXIT_LOSS;
}
