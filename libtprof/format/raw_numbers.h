/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Which number the writer of a raw recording has given to a definition: by its bytes, for each kind apart. */
#ifndef TPROF_RAW_NUMBERS_H
#define TPROF_RAW_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

/* A zeroed struct has none. */
struct raw_numbers {
	struct hash hash;
	uint32_t nr;
	size_t memory;		/* what is held, bytes */
};

/* The number of a definition, which is the next one if it is new. -ENOMEM if there is no memory for it. */
int64_t raw_numbers_find(struct raw_numbers *numbers, const void *definition, size_t size, bool *is_new);

/* Forgets all; the next number is 0. */
void raw_numbers_forget(struct raw_numbers *numbers);

#endif
