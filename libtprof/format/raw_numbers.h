/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The numbers that the writer of a raw recording assigns to definitions, by content, for each kind separately. */
#ifndef TPROF_RAW_NUMBERS_H
#define TPROF_RAW_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash.h"

/* A zeroed struct is empty. */
struct raw_numbers {
	struct hash hash;
	struct arena definitions;
	uint32_t nr;
	size_t memory;		/* bytes in use */
};

/* Finds the number of a definition, or assigns the next one (*is_new). -ENOMEM if there is no memory. */
int64_t raw_numbers_find(struct raw_numbers *numbers, const void *definition, size_t size, bool *is_new);

/* Drops all definitions; the next number is 0. */
void raw_numbers_forget(struct raw_numbers *numbers);

#endif
