/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Writes keys to a raw recording instead of the profile. */
#ifndef TPROF_COLLECT_RAW_H
#define TPROF_COLLECT_RAW_H

#include "collect.h"
#include "format/raw_write.h"

struct collect_raw {
	struct raw_writer *writer;
	struct raw_numbers places;	/* of this reading: key members that identify a call stack */
	uint32_t *call_stacks;		/* by number in places */
	size_t call_stacks_capacity;
};

struct collect_raw *collect_raw_new(int fd);
void collect_raw_free(struct collect_raw *raw);

/* Writes a key; @entry has its process. Returns 0 or -ENOMEM. */
int collect_raw_key(const struct collector_table *t, const void *key, const struct tprof_entry *entry);

/* Call after all keys of a reading: call stacks are symbolized anew from now on. */
void collect_raw_forget(struct collect_raw *raw);

#endif
