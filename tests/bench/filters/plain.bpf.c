/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Minimal hand-written programs for perf events: `plain` counts by address and process; `plain_fresh` has a key of its
 * own for each sample. They are no filters of tprof, and only for x86-64.
 */
#include <tprof/types.bpf.h>
#include <bpf/bpf_helpers.h>

#define REGS_IP	128	/* offset in struct bpf_perf_event_data */

struct key {
	__u64 ip;
	__u64 tgid;
};

struct {
	__uint(type, 1);	/* BPF_MAP_TYPE_HASH */
	__uint(max_entries, 65536);
	__type(key, struct key);
	__type(value, __u64);
} counts SEC(".maps");

static __u64 next;

static __always_inline int count_sample(void *ctx, __u64 offset)
{
	struct key key = {
		.ip = *(__u64 *)((char *)ctx + REGS_IP) + offset,
		.tgid = bpf_get_current_pid_tgid() >> 32,
	};
	__u64 *count = bpf_map_lookup_elem(&counts, &key), one = 1;

	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&counts, &key, &one, 0);
	return 0;
}

SEC("perf_event")
int plain(void *ctx)
{
	return count_sample(ctx, 0);
}

SEC("perf_event")
int plain_fresh(void *ctx)
{
	return count_sample(ctx, next++);
}

char plain_license[] SEC("license") = "GPL";
