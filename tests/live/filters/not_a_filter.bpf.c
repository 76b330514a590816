/* SPDX-License-Identifier: GPL-2.0-only */
/* A BPF program, but not one of tprof's. */
#include <tprof/types.bpf.h>
#include <bpf/bpf_helpers.h>

SEC("perf_event")
int nothing(void *ctx)
{
	(void)ctx;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
