/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Minimal hand-written programs for sched_switch and sched_waking: `empty` and `empty_waking` do nothing; `stacks`
 * counts waits by thread and by its call stacks, as offcputime of bcc does. They are no filters of tprof.
 */
#include <tprof/types.bpf.h>
#include <bpf/bpf_helpers.h>

#define MAP_HASH	1
#define MAP_STACK_TRACE	7
#define USER_STACK	(1 << 8)	/* BPF_F_USER_STACK */
#define FRAMES		127
#define TASK_PID	2		/* argument of sched_switch: the next thread */

/* Set by the program that loads it: byte offset in struct task_struct. */
const volatile __u32 task_pid;

struct key {
	__u64 ids;
	__s64 kernel_stack;
	__s64 user_stack;
	char comm[16];
};

struct start {
	struct key key;
	__u64 from_ns;
};

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 10240);
	__type(key, __u32);
	__type(value, struct start);
} starts SEC(".maps");

struct {
	__uint(type, MAP_HASH);
	__uint(max_entries, 10240);
	__type(key, struct key);
	__type(value, __u64);
} counts SEC(".maps");

struct {
	__uint(type, MAP_STACK_TRACE);
	__uint(max_entries, 16384);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, FRAMES * sizeof(__u64));
} frames SEC(".maps");

SEC("raw_tp/sched_switch")
int empty(void *ctx)
{
	return 0;
}

SEC("raw_tp/sched_waking")
int empty_waking(void *ctx)
{
	return 0;
}

static __always_inline void begin(void *ctx)
{
	struct start start = { .key.ids = bpf_get_current_pid_tgid(), .from_ns = bpf_ktime_get_ns() };
	__u32 tid = (__u32)start.key.ids;

	if (!tid)
		return;
	start.key.kernel_stack = bpf_get_stackid(ctx, &frames, 0);
	start.key.user_stack = bpf_get_stackid(ctx, &frames, USER_STACK);
	bpf_get_current_comm(start.key.comm, sizeof(start.key.comm));
	bpf_map_update_elem(&starts, &tid, &start, 0);
}

static __always_inline void end(const __u64 *args)
{
	struct start *start;
	__u64 *sum, waited;
	__u32 tid = 0;

	bpf_probe_read_kernel(&tid, sizeof(tid), (const void *)(args[TASK_PID] + task_pid));
	start = bpf_map_lookup_elem(&starts, &tid);
	if (!start)
		return;
	waited = bpf_ktime_get_ns() - start->from_ns;
	sum = bpf_map_lookup_elem(&counts, &start->key);
	if (sum)
		__sync_fetch_and_add(sum, waited);
	else
		bpf_map_update_elem(&counts, &start->key, &waited, 0);
	bpf_map_delete_elem(&starts, &tid);
}

SEC("raw_tp/sched_switch")
int stacks(void *ctx)
{
	begin(ctx);
	end(ctx);
	return 0;
}

char waits_license[] SEC("license") = "GPL";
