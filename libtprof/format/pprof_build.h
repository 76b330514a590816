/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Builds a pprof file: its strings, mappings, functions and locations, each stored once. */
#ifndef TPROF_PPROF_BUILD_H
#define TPROF_PPROF_BUILD_H

#include <stdio.h>

#include "base/hash.h"
#include "tprof.h"

/* A block of the message, freed with the build. */
struct pprof_block {
	struct pprof_block *next;
	_Alignas(16) char bytes[];
};

/* Items of one kind in the order of creation. Items found by hash begin with a hash_node. */
struct pprof_list {
	void **items;
	size_t nr, capacity;
	struct hash index;
};

struct pprof_build {
	struct pprof_block *blocks;
	struct pprof_list strings, mappings, functions, locations, samples, comments;
};

/* Allocates zeroed memory; NULL if there is none. */
void *pprof_build_take(struct pprof_build *build, size_t bytes);

/* Finds or adds a string. Returns its index, or -ENOMEM. */
int64_t pprof_build_string(struct pprof_build *build, const char *text);

/* The values of a sample, one for each event. */
struct pprof_values {
	struct tprof_tally events[TPROF_EVENTS_MAX];
	size_t nr;
};

/*
 * Adds a call stack as a sample with these values. @cpu and @mode become labels unless they are -1. Errors: ENOMEM,
 * ERANGE.
 */
int pprof_build_sample(struct pprof_build *build, const struct tprof_call_stack *call_stack,
		       const struct pprof_values *values, int cpu, int mode);

/* Errors: ENOMEM. */
int pprof_build_comment(struct pprof_build *build, const char *text);

/* Assembles the message and writes it. Errors: ENOMEM. */
int pprof_build_write(struct pprof_build *build, const struct tprof_profile *profile, FILE *out);

void pprof_build_fini(struct pprof_build *build);

#endif
