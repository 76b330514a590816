/* SPDX-License-Identifier: GPL-2.0-only */
/* What to sample, with which filter and for how long: the options that all sampling subcommands share. */
#ifndef TPROF_SAMPLING_H
#define TPROF_SAMPLING_H

#include "base/opt.h"
#include "tprof.h"

/* --set name=value */
struct sampling_param {
	const char *name;	/* allocated; the value lies behind it */
	const char *value;
};

struct sampling {
	struct tprof_session_opts session;	/* points into what follows, and to argv */
	pid_t *pids;
	pid_t *tids;
	const char **cgroups;
	struct sampling_param *params;
	size_t nr_params;
	size_t pids_room, tids_room, cgroups_room, params_room;	/* how many the arrays have room for */
	const char *filter;			/* --filter, NULL: not given */
	uint64_t table_entries;			/* 0: as the author of the filter wished */
	uint64_t max_stack;			/* frames; 0: as many as usual */
	uint64_t duration_ns;			/* 0: until something ends it */
	bool all;				/* -a: all processes, also beside a command */
	bool pin;
	bool strict;
	bool no_sandbox;
	int verbosity;				/* how often -v was given */
	void (*say)(void *ctx, const char *message);	/* takes messages in place of stderr; or NULL */
	void *say_ctx;
};

extern const struct opt sampling_opts[];
extern const size_t nr_sampling_opts;
/* --filter, for commands that do not take the filter as an operand. */
extern const struct opt sampling_filter_opts[];
extern const size_t nr_sampling_filter_opts;

/* Debug information, for commands that show places in the source. */
extern const struct opt sampling_source_opts[];
extern const size_t nr_sampling_source_opts;

/* What an opt_usage needs: struct sampling sampling; sampling_init(&sampling); ... .groups = { ... } */
#define SAMPLING_GROUP(sampling) { "Sampling", sampling_opts, nr_sampling_opts, (sampling) }
#define SAMPLING_SOURCE_GROUP(sampling) { "Source", sampling_source_opts, nr_sampling_source_opts, (sampling) }
#define SAMPLING_FILTER_GROUP(sampling) { "Filter", sampling_filter_opts, nr_sampling_filter_opts, (sampling) }

/* Messages of the library go to stderr, as loud as -v says. */
void sampling_init(struct sampling *sampling);
void sampling_free(struct sampling *sampling);

/* As --set name=value. 0, or the exit code after having said why. */
int sampling_set(struct sampling *sampling, const char *name, const char *value);

/* Options that exclude each other. 0, or EXIT_USAGE after having said so. */
int sampling_check(const struct sampling *sampling);

/*
 * Opens a session with the filter of that name or path in it, parameters and table sizes set; not started.
 * Returns NULL after having said why, with the exit code in *code.
 */
struct tprof_session *sampling_open(const struct sampling *sampling, const char *filter, int *code);

/* Has it hold all that needs rights, and pins if asked to. 0, or the exit code after having said why. */
int sampling_prepare(const struct sampling *sampling, struct tprof_session *session);

/* At the end: EXIT_LOSS, said so, if the session lost samples and --strict was given; else EXIT_OK. */
int sampling_verdict(const struct sampling *sampling, struct tprof_session *session);

#endif
