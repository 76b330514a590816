/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a filter for the perf engine: a program of type perf_event that builds the sample, tests the scope, runs
 * the body and keeps the ledger. Not for filter authors.
 *
 * Runs in the interrupt or NMI of the event, with interrupts disabled. It always returns 0, so that perf writes no
 * record of its own.
 *
 * One object runs on every kernel and architecture: the context is user-space ABI, fixed for each architecture. The
 * loader sets the architecture and the offsets in kernel structures as constants. No CO-RE: it would make libbpf parse
 * all of the kernel's BTF at each start.
 */
#ifndef __TPROF_ENGINE_PERF_BPF_H
#define __TPROF_ENGINE_PERF_BPF_H

#include <tprof/ledger.bpf.h>

struct {
	__uint(type, TPROF_MAP_HASH);
	__uint(max_entries, 16384);
	__type(key, struct tprof_scope_key);
	__type(value, __u32);
} tprof_scope SEC(".maps");

struct {
	__uint(type, TPROF_MAP_RINGBUF);
	__uint(max_entries, 256 * 1024);
} tprof_stream SEC(".maps");

/* @sample is the first member: the filter gets a pointer to it, and the walkers derive the rest from that pointer. */
struct tprof_perf_sample {
	struct tprof_sample sample;
	void *ctx;
};

/* The only user code in the upper half of the address space is the vsyscall page of x86. */
static __always_inline __u32 tprof_perf_mode(__u64 ip)
{
	if ((__s64)ip >= 0 || (ip & ~0xfffULL) == 0xffffffffff600000ULL)
		return TPROF_SAMPLE_USER;
	return TPROF_SAMPLE_KERNEL;
}

/* Eight bytes of struct bpf_perf_event_data. @offset must be a compile-time constant. */
#define tprof_perf_word(ctx, offset) (*(__u64 *)((char *)(ctx) + (offset)))

/* The barriers keep the compiler from merging the loads of both branches into one through a computed pointer. */
static __always_inline void tprof_perf_context(struct tprof_sample *s, void *ctx)
{
	if (tprof_object.machine == TPROF_MACHINE_X86_64) {
		s->ip = tprof_perf_word(ctx, TPROF_X86_64_IP);
		s->weight = tprof_perf_word(ctx, TPROF_X86_64_REGS);
		s->addr = tprof_perf_word(ctx, TPROF_X86_64_REGS + 8);
		barrier();
	} else if (tprof_object.machine == TPROF_MACHINE_AARCH64) {
		s->ip = tprof_perf_word(ctx, TPROF_AARCH64_IP);
		s->weight = tprof_perf_word(ctx, TPROF_AARCH64_REGS);
		s->addr = tprof_perf_word(ctx, TPROF_AARCH64_REGS + 8);
		barrier();
	}
}

/* Reads a word of kernel memory; returns 0 if it cannot be read. */
static __always_inline __u64 tprof_kernel_u64(__u64 base, __u32 offset)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)(base + offset));
	return word;
}

static __always_inline __u32 tprof_kernel_u32(__u64 base, __u32 offset)
{
	__u32 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)(base + offset));
	return word;
}

/* Layout of preempt_count, unchanged since Linux 5.8. HARDIRQ includes the interrupt of the sample itself. */
#define TPROF_PREEMPT_SOFTIRQ	(1U << 8)
#define TPROF_PREEMPT_HARDIRQ(count)	((count) >> 16 & 0xf)

/* The preempt_count while the idle task is current (x86 has no access to it for other tasks). 0: unknown. */
static __always_inline __u32 tprof_idle_preempt_count(__u32 cpu)
{
	__u64 task = bpf_get_current_task(), queue;

	if (tprof_object.preempt_count.where == TPROF_PREEMPT_COUNT_IN_TASK)
		return tprof_kernel_u32(task, tprof_object.preempt_count.task_count);
	if (tprof_object.preempt_count.where != TPROF_PREEMPT_COUNT_OF_CPU)
		return 0;
	queue = tprof_kernel_u64(task, tprof_object.preempt_count.task_queue);
	if (tprof_kernel_u32(queue + (__s64)tprof_object.preempt_count.queue_to_cpu, 0) != cpu)
		return 0;
	return tprof_kernel_u32(queue + (__s64)tprof_object.preempt_count.queue_to_count, 0);
}

/* Interrupt handlers that interrupt the idle task are work: such a sample is not IDLE. */
static __always_inline __u32 tprof_idle_flags(__u32 cpu)
{
	__u32 count = tprof_idle_preempt_count(cpu), flags = 0;

	if (TPROF_PREEMPT_HARDIRQ(count) > 1)
		flags |= TPROF_SAMPLE_IRQ;
	if (count & TPROF_PREEMPT_SOFTIRQ)
		flags |= TPROF_SAMPLE_SOFTIRQ;
	return flags ? flags : TPROF_SAMPLE_IDLE;
}

static __always_inline void tprof_perf_task(struct tprof_sample *s)
{
	struct { __u32 pid, tgid; } ns = {};
	__u64 id = bpf_get_current_pid_tgid();
	__u64 mm = tprof_kernel_u64(bpf_get_current_task(), tprof_object.task_mm);

	s->tgid = id >> 32;
	s->tid = (__u32)id;
	if (mm)
		s->exec_id = tprof_kernel_u64(mm, tprof_object.mm_start_code) >> 12;
	else
		s->flags |= TPROF_SAMPLE_KTHREAD;
	if (!s->tid)
		s->flags |= tprof_idle_flags(s->cpu);
	if (!tprof_object.pidns_ino) {
		s->ns_tgid = s->tgid;
		s->ns_tid = s->tid;
	} else if (!bpf_get_ns_current_pid_tgid(tprof_object.pidns_dev, tprof_object.pidns_ino,
						(void *)&ns, sizeof(ns))) {
		s->ns_tgid = ns.tgid;
		s->ns_tid = ns.pid;
	}
	s->cgroup_id = bpf_get_current_cgroup_id();
	bpf_get_current_comm(s->comm, sizeof(s->comm));
}

static __always_inline int tprof_scope_has(__u32 kind, __u32 id)
{
	struct tprof_scope_key key = { .kind = kind, .id = id };

	return bpf_map_lookup_elem(&tprof_scope, &key) != 0;
}

/*
 * Tests whether the process is a target or a descendant of one. A descendant is added to the map, so that it stays in
 * scope when its parents have exited. libtprof also adds children on fork events and removes processes that exited.
 */
static __always_inline int tprof_scope_tasks(const struct tprof_sample *s)
{
	struct tprof_scope_key own = { .kind = TPROF_SCOPE_KIND_TGID, .id = s->tgid };
	__u64 task = bpf_get_current_task();
	__u32 one = 1;
	__u32 tgid, i;

	if (tprof_scope_has(TPROF_SCOPE_KIND_TGID, s->tgid) || tprof_scope_has(TPROF_SCOPE_KIND_TID, s->tid))
		return 1;
	for (i = 0; i < TPROF_SCOPE_MAX_ANCESTORS; i++) {
		task = tprof_kernel_u64(task, tprof_object.task_real_parent);
		if (!task)
			return 0;
		tgid = tprof_kernel_u32(task, tprof_object.task_tgid);
		if (tgid <= 1 && !tprof_scope_has(TPROF_SCOPE_KIND_TGID, tgid))
			return 0;
		if (tprof_scope_has(TPROF_SCOPE_KIND_TGID, tgid)) {
			bpf_map_update_elem(&tprof_scope, &own, &one, TPROF_UPDATE_ANY);
			return 1;
		}
	}
	return 0;
}

static __always_inline int tprof_scope_cgroups(void)
{
	__u32 i;

	for (i = 0; i < TPROF_SCOPE_MAX_CGROUPS; i++) {
		if (i >= tprof_object.nr_cgroups)
			break;
		if (bpf_get_current_ancestor_cgroup_id(tprof_object.cgroups[i].level) == tprof_object.cgroups[i].id)
			return 1;
	}
	return 0;
}

static __always_inline int tprof_scope_comm(const struct tprof_sample *s)
{
	__u32 i;

	for (i = 0; i < TPROF_COMM_LEN; i++) {
		if (s->comm[i] != tprof_object.comm[i])
			return 0;
		if (!s->comm[i])
			break;
	}
	return 1;
}

static __always_inline int tprof_in_scope(const struct tprof_sample *s)
{
	const __u32 scope = tprof_object.scope;

	if ((scope & TPROF_SCOPE_USER) && !(s->flags & TPROF_SAMPLE_USER))
		return 0;
	if ((scope & TPROF_SCOPE_KERNEL) && !(s->flags & TPROF_SAMPLE_KERNEL))
		return 0;
	if ((scope & TPROF_SCOPE_COMM) && !tprof_scope_comm(s))
		return 0;
	if ((scope & TPROF_SCOPE_CGROUPS) && !tprof_scope_cgroups())
		return 0;
	return !(scope & TPROF_SCOPE_TASKS) || tprof_scope_tasks(s);
}

/* Fills the sample and counts it as fired. Returns the ledger for its outcome, or NULL if it is out of scope. */
static __always_inline struct tprof_program_ledger *tprof_perf_enter(struct tprof_perf_sample *p, void *ctx)
{
	struct tprof_cpu_ledger *ledger = tprof_this_ledger();
	struct tprof_sample *s = &p->sample;
	struct tprof_program_ledger *counted;

	if (!ledger)
		return 0;
	/* All counts of this sample go to one generation. */
	ledger->current = *(volatile __u32 *)&ledger->wanted;
	counted = &ledger->generations[tprof_current(ledger)];
	p->ctx = ctx;
	tprof_perf_context(s, ctx);
	s->time_ns = bpf_ktime_get_ns();
	s->cpu = bpf_get_smp_processor_id();
	s->event = tprof_object.event;
	s->flags = tprof_perf_mode(s->ip);
	tprof_perf_task(s);

	tprof_tally_add(&counted->fired, s->weight);
	if (s->flags & TPROF_SAMPLE_IDLE)
		tprof_tally_add(&counted->idle, s->weight);
	if (tprof_in_scope(s))
		return counted;
	tprof_tally_add(&counted->outcomes.out_of_scope, s->weight);
	return 0;
}

/* Keeps the sample if the verdict is TPROF_KEEP, and counts its outcome in the ledger. */
static __always_inline void tprof_perf_leave(struct tprof_perf_sample *p, struct tprof_program_ledger *counted,
					     int verdict)
{
	struct tprof_tally *tally;

	if (verdict == TPROF_DONE)
		tally = &counted->outcomes.done;
	else if (verdict != TPROF_KEEP)
		tally = &counted->lost.bad_verdict;
	else if (bpf_ringbuf_output(&tprof_stream, &p->sample, sizeof(p->sample), 0) == 0)
		tally = &counted->outcomes.kept;
	else
		tally = &counted->lost.stream_full;
	tprof_tally_add(tally, p->sample.weight);
}

#define TPROF_PERF_ENTRY(name)								\
	SEC("perf_event")								\
	int name##_perf(void *ctx)							\
	{										\
		struct tprof_perf_sample p = {};					\
		struct tprof_program_ledger *counted = tprof_perf_enter(&p, ctx);	\
											\
		if (counted)								\
			tprof_perf_leave(&p, counted, name##_body(&p.sample));		\
		return 0;								\
	}

#endif
