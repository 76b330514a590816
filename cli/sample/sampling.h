/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that all sampling subcommands share: event, scope, filter, duration. */
#ifndef TPROF_SAMPLING_H
#define TPROF_SAMPLING_H

#include "base/opt.h"
#include "base/opt_list.h"
#include "tprof.h"

/* --set name=value */
struct sampling_param {
	const char *name;	/* owned; the value follows in the same allocation */
	const char *value;
	const char *option;	/* for messages: the option that sets it; NULL: --set */
};

/* A filter that can replace the one of the session while it samples, in the sandbox, too. */
struct sampling_spare {
	const char *name;		/* of a shipped filter; NULL: none is loaded */
	struct tprof_filter *filter;	/* NULL: it is not loaded, because: */
	char why[512];
};

struct sampling {
	struct tprof_session_opts session;	/* points into the members below, and into argv; without the events */
	char **events;				/* -e, owned; none: the default event */
	size_t nr_events, events_capacity;
	const char *events_option;		/* that named the first one: -e, --off-cpu or --wall; NULL: none */
	struct opt_ids pids, tids;
	struct opt_texts cgroups;
	struct sampling_param *params;
	size_t nr_params;
	size_t params_capacity;
	const char *filter;			/* --filter, NULL: not given */
	uint64_t table_entries;			/* keys; 0: the default of the filter */
	uint64_t max_stack;			/* frames; 0: the default */
	uint64_t nr_wakers;			/* --wakeups (wakeups.h); 0: not given */
	uint64_t duration_ns;			/* 0: no limit */
	bool all;				/* -a: all processes, even with a command */
	bool pin;
	bool strict;
	bool no_sandbox;
	int verbosity;				/* number of -v options */
	struct sampling_spare *spare;		/* or NULL */
	void (*say)(void *ctx, const char *message);	/* receives messages instead of stderr; or NULL */
	void *say_ctx;
};

extern const struct opt sampling_opts[];
extern const size_t nr_sampling_opts;
/* --filter, for commands that do not take the filter as an operand. */
extern const struct opt sampling_filter_opts[];
extern const size_t nr_sampling_filter_opts;

/* Debug information, for commands that show source lines. */
extern const struct opt sampling_source_opts[];
extern const size_t nr_sampling_source_opts;

/* For the groups of an opt_usage. @sampling: a struct sampling after sampling_init(). */
#define SAMPLING_GROUP(sampling) { "Sampling", sampling_opts, nr_sampling_opts, (sampling) }
#define SAMPLING_SOURCE_GROUP(sampling) { "Source", sampling_source_opts, nr_sampling_source_opts, (sampling) }
#define SAMPLING_FILTER_GROUP(sampling) { "Filter", sampling_filter_opts, nr_sampling_filter_opts, (sampling) }

/* The library logs to stderr, with the verbosity that -v selects. */
void sampling_init(struct sampling *sampling);
void sampling_free(struct sampling *sampling);

/* Like -e, on behalf of another option: a list of events. 0, or the exit code after reporting an error. */
int sampling_add_events(struct sampling *sampling, const char *events);

/* Like --set name=value, on behalf of another option. 0, or the exit code after reporting an error. */
int sampling_set(struct sampling *sampling, const char *name, const char *value, const char *option);

/* Adds the event of --off-cpu unless it is among the events. 0, or the exit code after reporting an error. */
int sampling_add_waits(struct sampling *sampling);

/* Why call stacks of these events are found by frame pointers only. */
#define NO_COPIES_HINT "a stack can be copied only while its thread runs"

/* True if an event of context switches is given: off-cpu, on-cpu or wakeup. */
bool sampling_has_switches(const struct sampling *sampling);

/* 0, or EXIT_USAGE after reporting that @what, such as a command, has one event only, and several are given. */
int sampling_check_one_event(const struct sampling *sampling, const char *what, const char *hint);

/*
 * Checks for options of the command that exclude each other; sampling_open() reports those that are members of
 * struct tprof_session_opts. 0, or EXIT_USAGE after reporting the conflict.
 */
int sampling_check(const struct sampling *sampling);

/*
 * Opens a session with the filter given by name or path, and sets parameters and table sizes. Does not start it.
 * Returns NULL after reporting an error, with the exit code in *@code.
 */
struct tprof_session *sampling_open(const struct sampling *sampling, const char *filter, int *code);

/*
 * Acquires everything that needs privileges, loads the spare filter, and pins maps if requested. 0, or the exit code
 * after reporting an error. Without the spare filter the session samples nevertheless.
 */
int sampling_prepare(const struct sampling *sampling, struct tprof_session *session);

/* Call at the end. With --strict, reports lost samples and returns EXIT_LOSS; otherwise returns EXIT_OK. */
int sampling_verdict(const struct sampling *sampling, struct tprof_session *session);

#endif
