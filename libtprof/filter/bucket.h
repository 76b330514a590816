/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Buckets of histograms: numbers of the kinds VALUE_LOG2, VALUE_LOG2_NS and VALUE_LINEAR. */
#ifndef TPROF_BUCKET_H
#define TPROF_BUCKET_H

#include "value.h"

/* The upper bound of a bucket without one in 64 bits. */
#define BUCKET_NO_END UINT64_MAX

struct bucket {
	uint64_t from;		/* the least number in the bucket */
	uint64_t to;		/* the least number above it, or BUCKET_NO_END */
};

/* Longest text of a bucket. */
#define BUCKET_TEXT 80

/* The bounds of a bucket of bucket.bpf.h. False if @kind is another one, or @number is no bucket. */
bool bucket_of(enum value_kind kind, uint64_t number, struct bucket *bucket);

/* "[2, 4)", "[1.02us, 2.05us)"; "[1]" for a bucket of one number. 1K is 1024. */
void bucket_text(char text[BUCKET_TEXT], enum value_kind kind, const struct bucket *bucket);

#endif
