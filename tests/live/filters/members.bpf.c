/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts by all members of the sample, which are read one by one. */
#include "sample_key.h"

TPROF_TABLE(counts, struct sample_key, 256);

TPROF_FILTER(members, s)
{
	struct sample_key key;

	sample_key(&key, s);
	tprof_count(counts, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
