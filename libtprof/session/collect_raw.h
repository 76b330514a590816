/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Keys that go to a raw recording, and not into the profile. */
#ifndef TPROF_COLLECT_RAW_H
#define TPROF_COLLECT_RAW_H

#include "collect.h"
#include "format/raw_write.h"

struct collect_raw {
	struct raw_writer *writer;
	struct raw_numbers places;	/* of this reading: what makes two call stacks one */
	uint32_t *call_stacks;		/* by the number of the place */
	size_t call_stacks_room;
};

struct collect_raw *collect_raw_new(int fd);
void collect_raw_free(struct collect_raw *raw);

/* A key with its process as the profile would have it. Returns 0 or -ENOMEM. */
int collect_raw_key(const struct collector_table *t, const void *key, const struct tprof_entry *entry);

/* All keys of a reading were handed over; what it was made of may be named otherwise from now on. */
void collect_raw_forget(struct collect_raw *raw);

#endif
