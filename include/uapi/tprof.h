/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The tprof ABI: the sample that a filter receives, the verdict that it returns, and the ledger of all samples.
 *
 * Shared by the kernel module, by filters (BPF) and by user space. Append-only: a field, flag, verdict or
 * reason never changes its position or its meaning; additions go after the last one.
 */
#ifndef _UAPI_TPROF_H
#define _UAPI_TPROF_H

#ifdef __bpf__
#include <tprof/types.bpf.h>
#else
#include <linux/types.h>
#endif

/* Revision of struct tprof_sample and of the interface between filter objects and their loader. */
#define TPROF_ABI_VERSION	1

#define TPROF_COMM_LEN		16
#define TPROF_NAME_LEN		16	/* bytes of the name of a source or filter, with its NUL */

/*
 * Compilers merge reads of adjacent members. The verifier refuses a read beyond the end of a member, but permits it
 * within an array, so in the BTF of the module the members of a struct that filters read are also an array.
 */
#ifdef __KERNEL__
#define TPROF_READABLE(nr_words)	union { __u64 words[nr_words]; struct {
#define TPROF_READABLE_END		}; };
#else
#define TPROF_READABLE(nr_words)
#define TPROF_READABLE_END
#endif

/*
 * A sample: one overflow of an event on one CPU.
 *
 * Read-only for filters. Offsets are fixed (asserted below), so a filter object needs no relocations for this
 * struct and runs unchanged on every engine and architecture.
 *
 * @ip:         instruction pointer at the time of the sample; kernel or user address (see @flags)
 * @time_ns:    CLOCK_MONOTONIC, nanoseconds
 * @weight:     how much of the event this sample represents, in units of the event (nanoseconds for the
 *              timer and for cpu-clock, cycles for cycles, ...); never 0
 * @addr:       data address of the event (page-faults: the faulting address), or 0
 * @data:       second data word of the event (depends on the source), or 0
 * @cgroup_id:  id of the task's cgroup in the unified (v2) hierarchy: the inode number of its directory
 * @tgid:       process id in the initial pid namespace; 0 for the idle task
 * @tid:        thread id in the initial pid namespace; 0 for the idle task
 * @ns_tgid:    process id in the session's pid namespace; 0 if the task is not visible there
 * @ns_tid:     thread id in the session's pid namespace; 0 if the task is not visible there
 * @cpu:        CPU number
 * @flags:      TPROF_SAMPLE_*
 * @event:      index of the event within the session, from 0
 * @exec_id:    distinguishes the program images that one process runs in turn (execve): page number (address / 4096,
 *              low 32 bits) of the first byte of the program text; 0 for a kernel thread
 * @comm:       name of the thread, NUL-terminated and NUL-padded
 */
struct tprof_sample {
	TPROF_READABLE(12)
	__u64 ip;
	__u64 time_ns;
	__u64 weight;
	__u64 addr;
	__u64 data;
	__u64 cgroup_id;
	__u32 tgid;
	__u32 tid;
	__u32 ns_tgid;
	__u32 ns_tid;
	__u32 cpu;
	__u32 flags;
	__u32 event;
	__u32 exec_id;
	char  comm[TPROF_COMM_LEN];
	TPROF_READABLE_END
};

/*
 * Flags of a sample. Exactly one of USER, KERNEL and GUEST is set. A flag that an engine cannot determine stays
 * clear; docs/filters.md lists the flags that each engine sets.
 */
#define TPROF_SAMPLE_USER	(1U << 0)	/* @ip is in user mode */
#define TPROF_SAMPLE_KERNEL	(1U << 1)	/* @ip is in the kernel */
#define TPROF_SAMPLE_GUEST	(1U << 2)	/* the CPU was running a virtual machine */
#define TPROF_SAMPLE_IDLE	(1U << 3)	/* the idle task was running, and no interrupt handler */
#define TPROF_SAMPLE_IRQ	(1U << 4)	/* a hard interrupt handler was running */
#define TPROF_SAMPLE_SOFTIRQ	(1U << 5)	/* a soft interrupt handler was running */
#define TPROF_SAMPLE_NMI	(1U << 6)	/* the sample was captured in an NMI */
#define TPROF_SAMPLE_KTHREAD	(1U << 7)	/* the task has no user address space */
#define TPROF_SAMPLE_WAIT	(1U << 8)	/* a wait of a thread, of the event off-cpu: see below */
#define TPROF_SAMPLE_WAKEUP	(1U << 9)	/* a thread wakes another one, of the event wakeup: see below */

/*
 * A wait is the time from when a thread leaves the CPU until it runs again. The filter is called when the wait is over,
 * with a sample that describes the thread as it was when it left, except for these members:
 *
 *	@weight		length of the wait, nanoseconds (with a period above 1, see below)
 *	@addr		the state in which the thread left the CPU: enum tprof_state of uapi/tprof_wait.h
 *	@data		the part of it in which the thread was ready to run, but had no CPU
 *	@time_ns, @cpu	when and where the thread runs again
 *	@ip		kernel function in which it waits: the call of the scheduler. TPROF_IP_KERNEL if that is not
 *			known, as when the kernel does not tell where the scheduler is
 *	@flags		WAIT and KERNEL, and KTHREAD where it applies
 *
 * With a period above 1, only the wait that completes a period of waiting on that CPU becomes a sample, and it weighs
 * as many periods as were completed. The others are counted as decimated, with weight 0.
 *
 * A wake-up ends the time in which a thread is blocked. The filter is called where another thread, or an interrupt,
 * does so, with a sample that describes who wakes it, except for these members:
 *
 *	@weight		how long the woken thread was blocked, nanoseconds
 *	@addr		the state in which it left the CPU: enum tprof_state of uapi/tprof_wait.h
 *	@data		its thread id
 *	@ip		kernel function that wakes it: the call of try_to_wake_up(). TPROF_IP_KERNEL if the kernel does
 *			not tell where that is
 *	@flags		WAKEUP and KERNEL; KTHREAD, IRQ and SOFTIRQ where they apply
 *	@tgid, @tid	0 if an interrupt wakes it
 *	@exec_id	then TPROF_EXEC_IRQ or TPROF_EXEC_SOFTIRQ, and @comm is "[irq]" or "[softirq]"
 */
#define TPROF_IP_KERNEL		(1ULL << 63)	/* an address of the kernel at which nothing is */
#define TPROF_EXEC_IRQ		1
#define TPROF_EXEC_SOFTIRQ	2

/*
 * Verdicts of a filter. For any other value the sample is counted as lost (bad_verdict), unless another filter of the
 * session returns TPROF_KEEP for it.
 */
#define TPROF_DONE		0	/* the filter is finished with the sample: counted, or not wanted */
#define TPROF_KEEP		1	/* copy the sample to the session's stream */

/*
 * The ledger. Every sample of a session has exactly one outcome or one reason for its loss, so at any time
 *
 *	fired = out_of_scope + decimated + done + kept + below_min + sum(lost)
 *
 * in samples and in weight. Events on CPUs that the session does not sample are not counted, neither as fired nor as
 * out_of_scope.
 *
 * X(NAME, name, description)
 */
#define TPROF_OUTCOMES(X)								\
	X(OUT_OF_SCOPE,	out_of_scope,	"not of the processes, cgroups, threads or modes that the session samples") \
	X(DECIMATED,	decimated,	"skipped: the source fires more often than the session's period") \
	X(DONE,		done,		"the filters ran and did not keep it")			\
	X(KEPT,		kept,		"copied to the stream")				\
	X(BELOW_MIN,	below_min,	"a wait that is shorter than the session's minimum")

/*
 * Why a sample was lost. Perf engine: ENGINE_MISSED, THROTTLED and IDLE_MISSED are computed as the difference between
 * the event's counter and the samples that arrived; of waits, runs and wake-ups, ENGINE_MISSED is counted when the
 * thread is seen to leave a CPU again. All other losses are counted where they occur. Module: ENGINE_MISSED counts
 * events without registers; THROTTLED and IDLE_MISSED are 0.
 */
#define TPROF_LOST_REASONS(X)								\
	X(ENGINE_MISSED, engine_missed,	"the event fired but the kernel ran no filter for it")	\
	X(THROTTLED,	throttled,	"the kernel throttled the event (perf_event_max_sample_rate)") \
	X(REENTRY,	reentry,	"the event fired while this CPU was handling another sample") \
	X(STAGING_FULL,	staging_full,	"the per-CPU staging buffer was full")			\
	X(STREAM_FULL,	stream_full,	"the filter kept it but the stream was full")		\
	X(OVER_BUDGET,	over_budget,	"the filter exceeded its time budget and is disabled")	\
	X(BAD_VERDICT,	bad_verdict,	"the filter returned neither TPROF_DONE nor TPROF_KEEP") \
	X(IDLE_MISSED,	idle_missed,	"the event fired on an idle CPU and the kernel ran no filter for it") \
	X(THREADS_FULL,	threads_full,	"a thread began to wait, and the table of waiting threads had no space")

/*
 * Results of the counting calls of filters (tprof_count(), tprof_table_slot()). A filter may make any number of them
 * for one sample, so the ledger has separate tallies for them:
 *
 *	calls = aggregated + table_full + table_busy + no_memory
 */
#define TPROF_COUNTINGS(X)								\
	X(AGGREGATED,	aggregated,	"counted in a table")					\
	X(TABLE_FULL,	table_full,	"the table was full")					\
	X(TABLE_BUSY,	table_busy,	"the table was locked by other code")			\
	X(NO_MEMORY,	no_memory,	"the kernel had no memory for another key")

enum tprof_outcome {
#define X(NAME, name, text) TPROF_OUTCOME_##NAME,
	TPROF_OUTCOMES(X)
#undef X
	TPROF_NR_OUTCOMES
};

enum tprof_lost_reason {
#define X(NAME, name, text) TPROF_LOST_##NAME,
	TPROF_LOST_REASONS(X)
#undef X
	TPROF_NR_LOST_REASONS
};

enum tprof_counting {
#define X(NAME, name, text) TPROF_COUNTING_##NAME,
	TPROF_COUNTINGS(X)
#undef X
	TPROF_NR_COUNTINGS
};

/*
 * Stands in a call stack for frames that are missing. In the middle: the stack is deeper than the capacity, and the
 * frames between the leaf's end and the root's end were dropped. As the last frame: the walk stopped before the root.
 */
#define TPROF_FRAME_CUT		(~0ULL)

/*
 * As the second frame of a call stack: the leaf is the address that the hardware recorded for the event. The frames
 * after this one were unwound from the interrupt, which came some instructions later. The next frame is the address
 * that it interrupted: usually in the same function as the leaf, and then the leaf's callers follow. If it is in
 * another function, whether that called the leaf or was called by it is unknown.
 */
#define TPROF_FRAME_SKID	(~4096ULL)	/* not an errno, which a register may hold */

/* The capacity of a call stack in frames: the default, and the range that users may set. */
#define TPROF_STACK_FRAMES	127
#define TPROF_STACK_MIN_FRAMES	4	/* both ends, and a TPROF_FRAME_CUT between them */
#define TPROF_STACK_MAX_FRAMES	1023

/*
 * Limit of a walk, so that the stack of a target cannot hold off interrupts. A frame is one unit of work, and the first
 * frame record on a page of the stack TPROF_WALK_PAGE_WORK, because reading it may miss all caches. The capacity
 * @frames is filled in any case. Beyond it, the walk continues to the root while its work is within the limit, which
 * is the work for as many frames as the capacity, each on a page of its own. Not part of the ABI: may change.
 */
#define TPROF_WALK_PAGE		4096
#define TPROF_WALK_PAGE_WORK	4
#define TPROF_WALK_LIMIT(frames) ((frames) * TPROF_WALK_PAGE_WORK)

/* A number of samples (or of calls) and their total weight, in units of the event. */
struct tprof_tally {
	__u64 samples;
	__u64 weight;
};

#if defined(__cplusplus)
#define TPROF_ASSERT(cond) static_assert(cond, #cond)
#else
#define TPROF_ASSERT(cond) _Static_assert(cond, #cond)
#endif
#define TPROF_ASSERT_AT(type, member, offset) TPROF_ASSERT(__builtin_offsetof(struct type, member) == (offset))

TPROF_ASSERT_AT(tprof_sample, ip, 0);
TPROF_ASSERT_AT(tprof_sample, time_ns, 8);
TPROF_ASSERT_AT(tprof_sample, weight, 16);
TPROF_ASSERT_AT(tprof_sample, addr, 24);
TPROF_ASSERT_AT(tprof_sample, data, 32);
TPROF_ASSERT_AT(tprof_sample, cgroup_id, 40);
TPROF_ASSERT_AT(tprof_sample, tgid, 48);
TPROF_ASSERT_AT(tprof_sample, tid, 52);
TPROF_ASSERT_AT(tprof_sample, ns_tgid, 56);
TPROF_ASSERT_AT(tprof_sample, ns_tid, 60);
TPROF_ASSERT_AT(tprof_sample, cpu, 64);
TPROF_ASSERT_AT(tprof_sample, flags, 68);
TPROF_ASSERT_AT(tprof_sample, event, 72);
TPROF_ASSERT_AT(tprof_sample, exec_id, 76);
TPROF_ASSERT_AT(tprof_sample, comm, 80);
TPROF_ASSERT(sizeof(struct tprof_sample) == 96);
TPROF_ASSERT_AT(tprof_tally, samples, 0);
TPROF_ASSERT_AT(tprof_tally, weight, 8);
TPROF_ASSERT(sizeof(struct tprof_tally) == 16);

#endif /* _UAPI_TPROF_H */
