/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * From keys and samples to a profile: what the kernel counted is named at once, while the processes are still
 * known, and added up until the client asks for it.
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
	struct tprof_profile *profile;	/* what was collected since the last snapshot */
	uint32_t max_frames;		/* of a stack that is unwound */
	bool rows;			/* the client wants tables as they are, too */
	struct collect_call_stack *call_stack;	/* the one at hand; grows */
	struct collect_raw *raw;	/* where samples are written to, and not into the profile; or NULL */
	struct text_stream words;	/* what collect_words() returned last */
	struct text_stream call_stack_words;	/* of the call stack in there */
	bool names_lost;		/* side-band events were lost: what is collected now may lack names */
	struct tprof_tally unnamed;	/* what did while they were, of its process or code; since the start */
	int err;			/* the first thing that went wrong */
};

/* That of the kernel and that of the program: a call stack has one of each at most. */
#define COLLECT_MAX_STACKS 2

/* What the keys of one table go through. */
struct collector_table {
	struct collector *collector;
	const struct table *table;
	int index;			/* among the tables of the profile */
	bool entries;			/* this is the table that entries and call stacks are made from */
	const struct value_member *ip, *tgid, *exec, *cgroup, *cpu, *flags, *comm, *time, *tid;
	const struct value_member *stacks[COLLECT_MAX_STACKS];
	size_t nr_stacks;
};

void collector_fini(struct collector *collector);

/* Looks up the members that mean something in the key. */
void collector_table_init(struct collector_table *into, struct collector *collector, const struct table *table,
			  int index, bool entries);

/* For table_read(): one key with its value; ctx is a struct collector_table. */
void collect_key(void *ctx, const void *key, const void *value);

/* For table_read() of a TPROF_STACKS. */
struct collector_stacks {
	struct collector *collector;
	size_t value_bytes;
};
void collect_stack(void *ctx, const void *key, const void *value);

/* A copied stack: unwound, and remembered under its id; ctx is a struct collector. */
void collect_copy(void *ctx, const struct tprof_copy *copy);

/* A kept sample, for filters that have no table; ctx is a struct collector. Returns 0. */
int collect_sample(void *ctx, const struct tprof_sample *sample);

#endif
