/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Call chains of keys: the frames of the kernel, then those of the program that called it, from the leaf to the root.
 *
 * Nothing is glued and nothing left out in silence: where a stack was cut off, has not been stored or could not be
 * read, a frame of TPROF_MODE_UNKNOWN says so.
 */
#ifndef TPROF_COLLECT_CHAIN_H
#define TPROF_COLLECT_CHAIN_H

#include "collect.h"

/* The address of the sample, and each stack with a mark behind it. */
#define COLLECT_CHAIN_MAX (1 + COLLECT_MAX_STACKS * (TPROF_STACK_MAX_FRAMES + 1))

struct collect_chain {
	struct tprof_frame frames[COLLECT_CHAIN_MAX];
	const struct tprof_frame *order[COLLECT_CHAIN_MAX];	/* for struct tprof_chain */
	size_t nr;
};

/*
 * Makes the chain of a key with stacks; it has one frame at least. Strings are those of the symbolizer, NULL where
 * there is nothing to say. Errors: ENOMEM.
 */
int collect_chain(const struct collector_table *t, const void *key, struct collect_chain *chain);

#endif
