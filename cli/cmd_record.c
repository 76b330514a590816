// SPDX-License-Identifier: GPL-2.0-only
/* `tprof record`: samples until an end condition, then writes a profile with call stacks to a file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ledger.h"
#include "base/out.h"
#include "base/progress.h"
#include "base/units.h"
#include "calls/no_callers.h"
#include "cmd.h"
#include "file/format.h"
#include "file/output.h"
#include "file/profile_file.h"
#include "sample/launch.h"
#include "sample/record_raw.h"
#include "sample/wakeups.h"

struct record {
	struct sampling sampling;
	const char *path;		/* -o; NULL: not given */
	bool raw;
	bool owners;			/* --owners */
	const char *format_name;	/* --format; NULL: chosen by the file name */
	const struct call_graph *call_graph;	/* NULL: not given */
	const char *call_graph_option;		/* that gave it: --call-graph or -g */
	char size[24];			/* bytes of a stack copy, in decimal; empty: not given */
	struct tprof_format format;
	struct output output;
	struct tprof_session *session;
	struct watch watch;
	struct spawn spawn;
};

/* The methods to find callers, each with its filter. */
static const struct call_graph {
	const char *name;
	const char *filter;
	const char *owners_filter;	/* for --owners; NULL: none */
	const char *size_param;		/* parameter of the filter for the size of a stack copy; NULL: none */
} call_graphs[] = {
	{ "fp", "stacks", "ownstacks", NULL },
	{ "dwarf", "dwarf", NULL, "stack_bytes" },
	{ "none", "top", "owners", NULL },
};

/* Parses the size in "dwarf,8192". The library checks its range. */
static int set_size(struct record *record, const struct opt *opt, const char *value, const char *size)
{
	const struct call_graph *how = record->call_graph;
	uint64_t bytes;
	int code;

	if (!how->size_param)
		return opt_refuse(opt, value, "takes no size", "only dwarf takes a size: dwarf,8192");
	code = opt_positive(opt, size, UINT32_MAX, &bytes);
	snprintf(record->size, sizeof(record->size), "%llu", (unsigned long long)bytes);
	return code;
}

static int set_call_graph(void *ctx, const struct opt *opt, const char *value)
{
	struct record *record = ctx;
	size_t length;

	record->call_graph_option = value ? "--call-graph" : "-g";
	if (!value)
		value = call_graphs[0].name;
	length = strcspn(value, ",");
	record->size[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(call_graphs); i++) {
		if (strlen(call_graphs[i].name) != length || strncmp(call_graphs[i].name, value, length))
			continue;
		record->call_graph = &call_graphs[i];
		return value[length] ? set_size(record, opt, value, value + length + 1) : 0;
	}
	return opt_refuse(opt, value, "is not a method to find callers",
			  "use fp (frame pointers), dwarf (copies of stacks) or none (functions only)");
}

static int set_wakeups(void *ctx, const struct opt *opt, const char *value)
{
	return wakeups_set(&((struct record *)ctx)->sampling, opt, value);
}

#define AT(member) offsetof(struct record, member)

static const struct opt opts[] = {
	{ 'o', "output", "FILE", "output file (default: " PROFILE_FILE ", or " RECORD_RAW_PATH "); -: standard output",
	  opt_set_text, AT(path) },
	{ 0, "format", "FORMAT", "file format (default: by the file name, or pprof)", opt_set_text, AT(format_name) },
	{ 'g' | OPT_BARE, "call-graph", "HOW", "how to find callers: fp, dwarf[,BYTES] or none (default, and -g: fp)",
	  set_call_graph, 0 },
	{ 0, "owners", NULL, "count also for which process the kernel worked (tprof report --by owner)", opt_set_flag,
	  AT(owners) },
	{ 0, "raw", NULL, "write every sample with its time, during sampling", opt_set_flag, AT(raw) },
	WAKEUPS_OPT(set_wakeups),
};

static const struct opt filter_opts[] = {
	{ 0, "filter", "FILTER", "name of a shipped filter, or path of an object (default: stacks)", opt_set_text,
	  AT(sampling.filter) },
};

static const char *filter_of(const struct record *record)
{
	const struct call_graph *how = record->call_graph ? record->call_graph : &call_graphs[0];

	if (record->sampling.filter)
		return record->sampling.filter;
	if (record->raw)
		return "raw";
	return record->owners ? how->owners_filter : how->filter;
}

/* "-g dwarf", which is a habit from perf: -g takes no value. NULL: the operand is no method. */
static const struct call_graph *find_method(const char *operand)
{
	size_t length = strcspn(operand, ",");

	for (size_t i = 0; i < ARRAY_SIZE(call_graphs); i++) {
		if (strlen(call_graphs[i].name) == length && !strncmp(call_graphs[i].name, operand, length))
			return &call_graphs[i];
	}
	return NULL;
}

/* Does the method copy stacks of threads that do not run? */
static bool copies_waiting(const struct record *record, const struct call_graph *how)
{
	return how->size_param && (record->sampling.nr_wakers || sampling_has_switches(&record->sampling));
}

static int refuse_method(const struct record *record, const char *operand)
{
	char hint[256];

	snprintf(hint, sizeof(hint), "--call-graph %s", operand);
	return out_usage(copies_waiting(record, find_method(operand)) ? "leave it out; " NO_COPIES_HINT : hint,
			 "%s: unexpected operand: -g takes no value", operand);
}

static int check(const struct record *record, const struct opt_rest *rest)
{
	char hint[256];

	if (rest->nr_operands && record->call_graph && find_method(rest->operands[0]))
		return refuse_method(record, rest->operands[0]);
	if (rest->nr_operands) {
		snprintf(hint, sizeof(hint), "to launch and record it: tprof record -- %s ...", rest->operands[0]);
		return out_usage(hint, "%s: unexpected operand", rest->operands[0]);
	}
	if (record->sampling.nr_wakers && record->raw)
		return out_usage("leave one of them out; the filter wakeups counts wakers by name: tprof run wakeups",
				 "--wakeups and --raw exclude each other: a raw sample has one call stack");
	if (record->sampling.filter && record->call_graph)
		return out_usage("the filter decides whether call stacks are counted: leave one of them out",
				 "--filter and %s exclude each other", record->call_graph_option);
	if (record->owners && (record->raw || record->sampling.filter || record->sampling.nr_wakers ||
			       (record->call_graph && !record->call_graph->owners_filter)))
		return out_usage("--owners has filters of its own, for functions and for call stacks by frame pointers",
				 "--owners excludes --raw, --filter, --wakeups and --call-graph dwarf");
	if (record->call_graph && !record->sampling.nr_wakers && copies_waiting(record, record->call_graph))
		return out_usage("use --call-graph fp; " NO_COPIES_HINT,
				 "--call-graph %s cannot find callers of waits, runs and wake-ups",
				 record->call_graph->name);
	if (record->raw && record->format_name)
		return out_usage("convert the raw recording afterwards: tprof export -i FILE -f FORMAT",
				 "--raw and --format exclude each other");
	if (record->raw && record->call_graph && record->call_graph != &call_graphs[0])
		return out_usage("a raw recording always has call stacks by frame pointers: leave --call-graph out",
				 "--raw and --call-graph %s exclude each other", record->call_graph->name);
	if (record->sampling.session.inlines &&
	    (!strcmp(filter_of(record), "top") || !strcmp(filter_of(record), "owners")))
		return out_usage("inlined functions are frames of call stacks: use --call-graph fp",
				 "--inline needs call stacks");
	return sampling_check(&record->sampling);
}

/* Prints "tprof: tprof.pb.gz: 120 call stacks, 8.4 KiB", or "tprof: x.folded: no samples". */
static void say_file(const struct record *record, const struct tprof_profile *profile, off_t size)
{
	size_t nr_call_stacks = tprof_profile__nr_call_stacks(profile);
	size_t nr = nr_call_stacks ? nr_call_stacks : tprof_profile__nr_entries(profile);
	char contents[64] = "no samples";
	struct units_text bytes;

	if (nr)
		snprintf(contents, sizeof(contents), "%zu %s%s", nr, nr_call_stacks ? "call stack" : "function",
			 nr == 1 ? "" : "s");
	out_note("%s: %s%s%s", record->output.name, contents, size > 0 ? ", " : "",
		 size > 0 ? units_bytes(&bytes, (uint64_t)size) : "");
}

/* Prints how many samples have callers that were found by frame pointers, if any. */
static void say_frame_pointers(const struct tprof_profile *profile)
{
	struct tprof_tally found = tprof_profile__by_frame_pointer(profile);

	if (found.samples)
		out_note("callers of %llu samples were found by frame pointers; they are marked", found.samples);
}

/* Below this share, missing callers are not reported: code that is written in assembly often has no frames. */
#define NO_CALLERS_PERCENT 5

/* Names the other method if frame pointers did not find callers. For events of context switches there is none. */
static void say_no_callers(const struct record *record, const struct tprof_profile *profile)
{
	double percent = strcmp(filter_of(record), call_graphs[0].filter) ? 0 : no_callers_percent(profile);

	if (percent > NO_CALLERS_PERCENT)
		out_note("callers are missing in %.0f %% of the samples with user code, because it was built without "
			 "frame pointers: %s", percent, sampling_has_switches(&record->sampling) ?
			 "build it with -fno-omit-frame-pointer" : "--call-graph dwarf finds them");
}

static int write_profile(struct record *record, const struct tprof_profile *profile)
{
	struct stat st = { 0 };
	int code = output_begin(&record->output);

	if (code)
		return code;
	code = output_end(&record->output,
			  tprof_profile__export(profile, record->format.name, record->output.fd, NULL));
	if (code)
		return code;
	/* Only a regular file has a size. */
	if (fstat(record->output.fd, &st) || !S_ISREG(st.st_mode))
		st.st_size = 0;
	code = ledger_print(record->session, tprof_profile__duration_ns(profile));
	say_file(record, profile, st.st_size);
	say_frame_pointers(profile);
	say_no_callers(record, profile);
	return code;
}

static int sample(struct record *record)
{
	struct tprof_profile *profile;
	int code, events;

	do {
		events = watch_wait(&record->watch);
		if (events < 0)
			return record->raw ? record_raw_end(&record->output, record->session, events) :
					     out_error_of_session(record->session, events);
		if (events & WATCH_COMMAND)
			spawn_wait(&record->spawn);
	} while (!(events & WATCH_END));
	progress_begin("symbolizing");
	if (record->raw) {
		code = record_raw_end(&record->output, record->session, 0);
		progress_end();
		return code;
	}
	launch_stop(record->session);
	profile = tprof_session__snapshot(record->session);
	progress_end();
	if (!profile)
		return out_error_of_session(record->session, errno);
	code = write_profile(record, profile);
	tprof_profile__free(profile);
	return code;
}

static int start(struct record *record, char **command)
{
	int code = watch_open(&record->watch);

	/* The output of the command must not mix with the profile on standard output. */
	if (!code && command)
		code = spawn_prepare(&record->spawn, command, record->output.is_standard ? STDERR_FILENO : -1, -1,
				     false);
	if (code)
		return code;
	if (record->size[0])
		code = sampling_set(&record->sampling, record->call_graph->size_param, record->size, "--call-graph");
	if (code)
		return code;
	record->session = launch_open(&record->sampling, filter_of(record), &record->spawn, &code);
	if (!record->session)
		return code;
	if (record->raw)
		code = record_raw_begin(&record->output, record->session);
	else
		code = output_open(&record->output);
	if (!code)
		code = launch_start(&record->sampling, record->session, &record->watch, &record->spawn,
				    &record->output);
	return code || !record->raw ? code : record_raw_started(&record->output);
}

static int run(struct record *record, char **command)
{
	int code = start(record, command), command_code;

	if (!code)
		code = sample(record);
	command_code = spawn_end(&record->spawn, record->watch.signalled);
	if (!code)
		code = command_code;
	if (!code)
		code = sampling_verdict(&record->sampling, record->session);
	tprof_session__close(record->session);
	watch_close(&record->watch);
	return code;
}

/* Chooses the output format, and checks the output file. */
static int choose_output(struct record *record)
{
	int code;

	if (record->raw)
		return output_check(&record->output, record->path ? record->path : RECORD_RAW_PATH, "a raw recording");
	if (!record->path)
		record->path = PROFILE_FILE;
	code = format_choose(record->format_name, record->path, "pprof", &record->format);
	if (!code && strcmp(record->format.name, "pprof") != 0)
		code = sampling_check_one_event(&record->sampling, "this format",
						"record to " PROFILE_FILE ", then: tprof export --value EVENT");
	return code ? code : output_check(&record->output, record->path,
					  record->format.binary ? record->format.name : NULL);
}

int cmd_record(int argc, char **argv)
{
	struct record record = { .output = OUTPUT_NONE, .spawn = SPAWN_NONE };
	const struct opt_usage usage = {
		.synopsis = "record [option ...] [-- command ...]",
		.about = "Sample until the command exits, the duration is over, or Ctrl-C; write a profile with the "
			 "call stacks\ncounted in the kernel to a file.",
		.groups = {
			{ "Output", opts, ARRAY_SIZE(opts), &record },
			SAMPLING_GROUP(&record.sampling),
			SAMPLING_SOURCE_GROUP(&record.sampling),
			{ "Filter", filter_opts, ARRAY_SIZE(filter_opts), &record },
		},
	};
	struct opt_rest rest;
	int code;

	sampling_init(&record.sampling);
	code = opt_parse(&usage, argc, argv, &rest);
	if (code == OPT_RUN) {
		code = check(&record, &rest);
		if (!code)
			code = wakeups_choose(&record.sampling, record.call_graph_option);
		if (!code)
			code = choose_output(&record);
		if (!code)
			code = run(&record, rest.command);
	}
	output_fini(&record.output);
	sampling_free(&record.sampling);
	return code;
}
