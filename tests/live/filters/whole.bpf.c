/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts by all members of the sample, of which a helper has made a copy. A global function gets the address of the
 * sample, too. Only for the perf engine.
 */
#include "sample_key.h"

TPROF_TABLE(counts, struct sample_key, 256);

struct {
	__uint(type, TPROF_MAP_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tprof_sample);
} copies SEC(".maps");

__attribute__((noinline)) int has_weight(const struct tprof_sample *s)
{
	return s && s->weight;
}

TPROF_FILTER(whole, s)
{
	const struct tprof_sample *copy;
	struct sample_key key;
	__u32 zero = 0;

	if (!has_weight(s) || bpf_map_update_elem(&copies, &zero, s, TPROF_UPDATE_ANY))
		return TPROF_KEEP;
	copy = bpf_map_lookup_elem(&copies, &zero);
	if (!copy)
		return TPROF_KEEP;
	sample_key(&key, copy);
	tprof_count(counts, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
