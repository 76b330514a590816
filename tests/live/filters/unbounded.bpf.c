/* SPDX-License-Identifier: GPL-2.0-only */
/* unbounded: an array index without a bounds check. */
#include <tprof/filter.bpf.h>

struct pair {
	tprof_tgid_t before;
	tprof_tgid_t now;
};

TPROF_TABLE(pairs, struct pair, 4096);

static __u32 last[256];

TPROF_FILTER(unbounded, s)
{
	struct pair key = { .before = last[s->cpu], .now = s->tgid };

	last[s->cpu] = s->tgid;
	tprof_count(pairs, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
