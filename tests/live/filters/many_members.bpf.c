// SPDX-License-Identifier: GPL-2.0-only
/* A key with one member more than tprof prints. */
#include <tprof/filter.bpf.h>

struct five {
	__u8 number[5];
};

struct key {
	struct five five[6];
	__u8 rest[3];
};

TPROF_TABLE(counts, struct key, 64);

TPROF_FILTER(many, s)
{
	struct key key = { .rest = { 1 } };

	tprof_count(counts, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
