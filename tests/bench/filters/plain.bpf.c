/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plain: a minimal hand-written program for perf events that counts by address and process. It is no filter of tprof,
 * and only for x86-64.
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
	__uint(max_entries, 16384);
	__type(key, struct key);
	__type(value, __u64);
} counts SEC(".maps");

SEC("perf_event")
int plain(void *ctx)
{
	struct key key = {
		.ip = *(__u64 *)((char *)ctx + REGS_IP),
		.tgid = bpf_get_current_pid_tgid() >> 32,
	};
	__u64 *count = bpf_map_lookup_elem(&counts, &key), one = 1;

	if (count)
		__sync_fetch_and_add(count, 1);
	else
		bpf_map_update_elem(&counts, &key, &one, 0);
	return 0;
}

char plain_license[] SEC("license") = "GPL";
