/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fills the sample of the perf engine. Not for filter authors.
 *
 * Only what the filter reads is computed. The sample is a local variable of the program, so the compiler keeps its
 * members in registers and removes those that are not read. It can do that because everything here is an ordinary read
 * of memory, or a helper call without side effects (tprof_pure_call). If a filter passes the address of the sample to a
 * function that is not inlined, or to a helper, the sample is in memory, with all of its members.
 *
 * One object runs on every kernel and architecture: the context is user-space ABI, fixed for each architecture. The
 * loader sets the architecture and the offsets in kernel structures as constants. No CO-RE: it would make libbpf parse
 * all of the kernel's BTF at each start. The verifier checks the offsets, because the task is a typed pointer.
 */
#ifndef __TPROF_SAMPLE_PERF_BPF_H
#define __TPROF_SAMPLE_PERF_BPF_H

#include <tprof/ledger.bpf.h>

/* @sample is the first member: the filter gets a pointer to it, and the walkers derive the rest from that pointer. */
struct tprof_perf_sample {
	struct tprof_sample sample;
	void *ctx;
};

/*
 * Calls a helper that has no arguments and only returns a number or a pointer. Unlike the functions of bpf_helpers.h,
 * the call is not volatile: the compiler removes it if the result is not used.
 */
#define tprof_pure_call(helper)								\
({											\
	__u64 tprof_result;								\
											\
	asm("call %1; %0 = r0" : "=r"(tprof_result) : "i"(helper) : "r0", "r1", "r2", "r3", "r4", "r5"); \
	tprof_result;									\
})

/* Numbers of helpers, from the kernel's ABI. */
enum {
	TPROF_CALL_KTIME_GET_NS = 5,
	TPROF_CALL_GET_CURRENT_CGROUP_ID = 80,
	TPROF_CALL_GET_CURRENT_TASK_BTF = 158,
};

/* For the verifier, this is a pointer to a struct task_struct, whose members are read like other memory. */
static __always_inline const char *tprof_current_task(void)
{
	return (const char *)tprof_pure_call(TPROF_CALL_GET_CURRENT_TASK_BTF);
}

/*
 * The same task, for reading pointers from it. Kernels from Linux 6.2 on look up the names of up to four types in all
 * of their BTF whenever the verifier sees that a pointer is read from a structure that it trusts. With a scope, the
 * verifier sees hundreds of these reads, and a filter took a quarter of a second to load. A cast structure is not
 * trusted, so nothing is looked up: the reads are the same, but survive an address that is not mapped.
 */
static __always_inline const char *tprof_cast_task(const char *task)
{
	const char *cast;

	asm("r1 = %1; r2 = 0; call %2; %0 = r0" : "=r"(cast) : "r"(task), "i"(TPROF_CALL_CAST_TASK)
	    : "r0", "r1", "r2", "r3", "r4", "r5");
	return cast;
}

/* A member of a kernel structure; @member is the constant of struct tprof_object that holds its offset. */
#define tprof_kernel_member(type, structure, member)					\
	(*(const type *)((const char *)(structure) + tprof_constants()->member))

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
	} else {
		s->ip = tprof_perf_word(ctx, TPROF_AARCH64_IP);
		s->weight = tprof_perf_word(ctx, TPROF_AARCH64_REGS);
		s->addr = tprof_perf_word(ctx, TPROF_AARCH64_REGS + 8);
		barrier();
	}
}

/* Reads a word of kernel memory without a type; returns 0 if it cannot be read. */
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
static __always_inline __u32 tprof_idle_preempt_count(void)
{
	__u64 task = bpf_get_current_task(), queue;

	if (tprof_object.preempt_count.where == TPROF_PREEMPT_COUNT_IN_TASK)
		return tprof_kernel_u32(task, tprof_object.preempt_count.task_count);
	if (tprof_object.preempt_count.where != TPROF_PREEMPT_COUNT_OF_CPU)
		return 0;
	queue = tprof_kernel_u64(task, tprof_object.preempt_count.task_queue);
	if (tprof_kernel_u32(queue + (__s64)tprof_object.preempt_count.queue_to_cpu, 0) !=
	    bpf_get_smp_processor_id())
		return 0;
	return tprof_kernel_u32(queue + (__s64)tprof_object.preempt_count.queue_to_count, 0);
}

/* Interrupt handlers that interrupt the idle task are work: such a sample is not IDLE. */
static __always_inline __u32 tprof_idle_flags(void)
{
	__u32 count = tprof_idle_preempt_count(), flags = 0;

	if (TPROF_PREEMPT_HARDIRQ(count) > 1)
		flags |= TPROF_SAMPLE_IRQ;
	if (count & TPROF_PREEMPT_SOFTIRQ)
		flags |= TPROF_SAMPLE_SOFTIRQ;
	return flags ? flags : TPROF_SAMPLE_IDLE;
}

/* Ids in the pid namespace of the session. This call is made even if the filter does not read the ids. */
static __always_inline void tprof_perf_ns_ids(struct tprof_sample *s)
{
	if (tprof_object.pidns_ino) {
		struct { __u32 pid, tgid; } ns = {};

		bpf_get_ns_current_pid_tgid(tprof_object.pidns_dev, tprof_object.pidns_ino, (void *)&ns, sizeof(ns));
		s->ns_tgid = ns.tgid;
		s->ns_tid = ns.pid;
	} else {
		s->ns_tgid = s->tgid;
		s->ns_tid = s->tid;
	}
}

struct tprof_comm_words {
	__u64 words[TPROF_COMM_LEN / sizeof(__u64)];
};

/* The name of the current thread, which the kernel pads with NUL. */
static __always_inline struct tprof_comm_words tprof_perf_comm(void)
{
	const char *task = tprof_current_task();

	return (struct tprof_comm_words){ {
		tprof_kernel_member(__u64, task, task_comm),
		tprof_kernel_member(__u64, task + sizeof(__u64), task_comm),
	} };
}

static __always_inline void tprof_perf_task(struct tprof_sample *s)
{
	const char *task = tprof_current_task();
	const char *mm = tprof_kernel_member(char *, tprof_cast_task(task), task_mm);
	const struct tprof_comm_words comm = tprof_perf_comm();
	__u32 kthread = mm ? 0 : TPROF_SAMPLE_KTHREAD;

	s->tgid = tprof_kernel_member(__u32, task, task_tgid);
	s->tid = tprof_kernel_member(__u32, task, task_pid);
	if (mm)
		s->exec_id = tprof_kernel_member(__u64, mm, mm_start_code) >> 12;
	/* Independent values, so that a test of one flag needs only one of them. */
	s->flags = tprof_perf_mode(s->ip) | kthread | (s->tgid ? 0 : tprof_idle_flags());
	tprof_perf_ns_ids(s);
	s->cgroup_id = tprof_pure_call(TPROF_CALL_GET_CURRENT_CGROUP_ID);
	__builtin_memcpy(s->comm, &comm, sizeof(s->comm));
}

/*
 * The number of this CPU, from memory. The verifier of newer kernels knows that the helper returns no number above the
 * highest of this machine. A filter that relies on that would be refused on larger machines, and by the module.
 */
static __always_inline __u32 tprof_perf_cpu(const struct tprof_cpu_ledger *ledger)
{
	asm("" : "+r"(ledger));
	return ledger->cpu;
}

/* Fills the rest of a sample, whose event and members from the context are set. */
static __always_inline void tprof_perf_fill(struct tprof_sample *s, const struct tprof_cpu_ledger *ledger)
{
	/* From Linux 6.2 on, the context of other events has an arbitrary address. */
	if (!(tprof_constants()->has_address >> s->event & 1))
		s->addr = 0;
	s->time_ns = tprof_pure_call(TPROF_CALL_KTIME_GET_NS);
	s->cpu = tprof_perf_cpu(ledger);
	tprof_perf_task(s);
}

#endif
