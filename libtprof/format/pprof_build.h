/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* A pprof file in the making: its strings, mappings, functions and locations, each there once. */
#ifndef TPROF_PPROF_BUILD_H
#define TPROF_PPROF_BUILD_H

#include <stdio.h>

#include "base/hash.h"
#include "tprof.h"

/* A piece of the message, freed with the build. */
struct pprof_block {
	struct pprof_block *next;
	_Alignas(16) char bytes[];
};

/* Pointers to pieces of one kind, in the order in which they came; those of a kind begin with a hash_node. */
struct pprof_list {
	void **items;
	size_t nr, room;
	struct hash index;
};

struct pprof_build {
	struct pprof_block *blocks;
	struct pprof_list strings, mappings, functions, locations, samples, comments;
};

/* Zeroed memory for a piece; NULL if there is none. */
void *pprof_build_take(struct pprof_build *build, size_t bytes);

/* The index of what is there, or of what it adds; -ENOMEM if there is no memory. */
int64_t pprof_build_string(struct pprof_build *build, const char *text);

/* A call stack as a sample; @cpu and @mode become labels unless they are -1. Errors: ENOMEM, ERANGE. */
int pprof_build_sample(struct pprof_build *build, const struct tprof_call_stack *call_stack, int cpu, int mode);

/* Errors: ENOMEM. */
int pprof_build_comment(struct pprof_build *build, const char *text);

/* Puts the message together and writes it. Errors: ENOMEM. */
int pprof_build_write(struct pprof_build *build, const struct tprof_profile *profile, FILE *out);

void pprof_build_fini(struct pprof_build *build);

#endif
