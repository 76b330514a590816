/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Turns keys and samples into a profile. Counts are symbolized as soon as they are drained, while the processes are
 * still known, and accumulated until the client asks for a snapshot.
 */
#ifndef TPROF_COLLECT_H
#define TPROF_COLLECT_H

#include "base/text_stream.h"
#include "filter/table.h"
#include "host/cgroup.h"
#include "process/aspace.h"
#include "profile/profile.h"
#include "stack/stacks.h"
#include "symbol/symbolize.h"

struct collector {
	struct aspaces *aspaces;
	struct symbolizer *symbolizer;
	struct cgroups *cgroups;
	struct stacks *stacks;
	struct tprof_profile *profile;	/* collected since the last snapshot */
	const char *event_names[TPROF_EVENTS_MAX];
	size_t nr_events;
	uint32_t max_frames;		/* limit for stacks that are unwound */
	bool rows;			/* the client also wants the tables themselves */
	struct collect_call_stack *call_stack;	/* scratch for the current call stack; grows */
	struct collect_raw *raw;	/* samples go here instead of into the profile; or NULL */
	struct text_stream words;	/* storage of the last result of collect_words() */
	struct text_stream call_stack_words;	/* storage of the call stack in that result */
	bool names_lost;		/* side-band events were lost: names may be missing in what is collected now */
	struct tprof_tally unnamed;	/* samples without process or code while events were lost; since the start */
	int err;			/* first error */
};

/* One kernel stack and one user stack: a call stack has at most one of each. */
#define COLLECT_MAX_STACKS 2

/* The state of collecting from one table. */
struct collector_table {
	struct collector *collector;
	const struct table *table;
	int index;			/* index of the table in the profile */
	bool entries;			/* entries and call stacks are made from this table */
	const struct value_member *ip, *tgid, *exec, *owner, *owner_exec, *cgroup, *cpu, *flags, *comm, *time, *tid,
				  *event, *state;
	const struct value_member *stacks[COLLECT_MAX_STACKS];
	size_t nr_stacks;
	const struct value_member *wakers[TPROF_WAKERS_MAX];
	size_t nr_wakers;
	/* The last lookup of a process. Within one reading of a table its name stays the same. */
	struct {
		bool is_known;
		pid_t tgid;
		uint32_t exec;
		const char *comm;
	} last;
};

void collector_fini(struct collector *collector);

/* Finds the key members that the collector interprets. */
void collector_table_init(struct collector_table *into, struct collector *collector, const struct table *table,
			  int index, bool entries);

/* Callback of table_read(): collects one key with its value. ctx is a struct collector_table. */
void collect_key(void *ctx, const void *key, const void *value);

/* Callback of table_read() for a TPROF_STACKS table. */
struct collector_stacks {
	struct collector *collector;
	size_t value_bytes;
};
void collect_stack(void *ctx, const void *key, const void *value);

/* Callback of copies_read(): unwinds a copied stack and stores it under its id. ctx is a struct collector. */
void collect_copy(void *ctx, const struct tprof_copy *copy);

/* Callback for kept samples, for filters without a table. ctx is a struct collector. Returns 0. */
int collect_sample(void *ctx, const struct tprof_sample *sample);

#endif
