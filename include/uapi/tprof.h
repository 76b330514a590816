/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The tprof ABI: what a filter sees, what it answers, and how samples are accounted for.
 *
 * Shared by the kernel module, by filters (BPF) and by user space. Append-only: a field, flag, verdict or
 * reason that is here keeps its place and its meaning for ever; new ones go behind the last.
 */
#ifndef _UAPI_TPROF_H
#define _UAPI_TPROF_H

#ifdef __bpf__
#include <tprof/types.bpf.h>
#else
#include <linux/types.h>
#endif

/* The revision of struct tprof_sample and of the contract between filter objects and their loader. */
#define TPROF_ABI_VERSION	1

#define TPROF_COMM_LEN		16

/*
 * One firing of an event on one CPU.
 *
 * Read-only for filters. Offsets are fixed (asserted below), so a filter object needs no relocation against
 * it and runs unchanged on every engine and architecture.
 *
 * @ip:         instruction pointer at the time of the sample; kernel or user address (see @flags)
 * @time_ns:    CLOCK_MONOTONIC, nanoseconds
 * @weight:     how much of the event this sample stands for, in units of the event (nanoseconds for the
 *              timer and for cpu-clock, cycles for cycles, ...); never 0
 * @addr:       address the event is about (page-faults: the faulting address), or 0
 * @data:       a second word of the event (source dependent), or 0
 * @cgroup_id:  id of the task's cgroup in the unified (v2) hierarchy: the inode number of its directory
 * @tgid:       process id in the initial pid namespace; 0 for the idle task
 * @tid:        thread id in the initial pid namespace; 0 for the idle task
 * @ns_tgid:    process id in the session's pid namespace; 0 if the task is not visible there
 * @ns_tid:     thread id in the session's pid namespace; 0 if the task is not visible there
 * @cpu:        CPU number
 * @flags:      TPROF_SAMPLE_*
 * @event:      index of the event within the session, from 0
 * @exec_id:    tells the images apart that one process runs one after the other: page number (address / 4096,
 *              low 32 bits) of the first byte of its program text; 0 for a kernel thread
 * @comm:       name of the thread, NUL-terminated and NUL-padded
 */
struct tprof_sample {
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
};

/*
 * Flags of a sample. Exactly one of USER, KERNEL and GUEST is set. An engine that cannot know one of the
 * others leaves it clear; docs/filters.md has the table.
 */
#define TPROF_SAMPLE_USER	(1U << 0)	/* @ip is in user mode */
#define TPROF_SAMPLE_KERNEL	(1U << 1)	/* @ip is in the kernel */
#define TPROF_SAMPLE_GUEST	(1U << 2)	/* the CPU was running a virtual machine */
#define TPROF_SAMPLE_IDLE	(1U << 3)	/* the idle task was running, and no interrupt handler */
#define TPROF_SAMPLE_IRQ	(1U << 4)	/* a hard interrupt handler was running */
#define TPROF_SAMPLE_SOFTIRQ	(1U << 5)	/* a soft interrupt handler was running */
#define TPROF_SAMPLE_NMI	(1U << 6)	/* the sample was captured in an NMI */
#define TPROF_SAMPLE_KTHREAD	(1U << 7)	/* the task has no user address space */

/* What a filter answers. Any other value is taken for TPROF_DONE and counted as lost (bad_verdict). */
#define TPROF_DONE		0	/* counted, or not wanted: the sample ends here */
#define TPROF_KEEP		1	/* copy the sample to the session's stream */

/*
 * The ledger. Every sample of a session is in exactly one of these, so at any time
 *
 *	fired = out_of_scope + decimated + done + kept + sum(lost)
 *
 * in samples and in weight.
 *
 * X(NAME, name, what it says)
 */
#define TPROF_OUTCOMES(X)								\
	X(OUT_OF_SCOPE,	out_of_scope,	"not one of the CPUs, processes or cgroups asked for")	\
	X(DECIMATED,	decimated,	"skipped to bring the rate down to what was asked")	\
	X(DONE,		done,		"the filter ran and was done with it")			\
	X(KEPT,		kept,		"copied to the stream")

/*
 * Why a sample was lost. ENGINE_MISSED, THROTTLED and IDLE_MISSED are found by comparing the counter with what arrived;
 * the others are counted where they happen.
 */
#define TPROF_LOST_REASONS(X)								\
	X(ENGINE_MISSED, engine_missed,	"the event fired but the kernel ran no filter for it")	\
	X(THROTTLED,	throttled,	"the kernel stopped the event for a while (perf_event_max_sample_rate)") \
	X(REENTRY,	reentry,	"a sample interrupted the handling of another on this CPU")	\
	X(STAGING_FULL,	staging_full,	"the per-CPU staging buffer was full")			\
	X(STREAM_FULL,	stream_full,	"the filter kept it but the stream was full")		\
	X(OVER_BUDGET,	over_budget,	"the filter ran too long and was detached")		\
	X(BAD_VERDICT,	bad_verdict,	"the filter answered neither TPROF_DONE nor TPROF_KEEP") \
	X(IDLE_MISSED,	idle_missed,	"the event fired on an idle CPU and the kernel ran no filter for it")

/*
 * What became of the counting calls that filters made (tprof_count() and its kin). A filter may make any
 * number of them for one sample, so these are accounted apart:
 *
 *	calls = aggregated + table_full + table_busy + no_memory
 */
#define TPROF_COUNTINGS(X)								\
	X(AGGREGATED,	aggregated,	"counted in a table")					\
	X(TABLE_FULL,	table_full,	"the table had no room for another key")		\
	X(TABLE_BUSY,	table_busy,	"the table was locked by what the sample interrupted")	\
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
 * In place of a frame of a stack: here some were left out, because there are more than there was room for. In the
 * middle, between the ends of the leaf and of the root; at the end, where the walk was given up.
 */
#define TPROF_FRAME_CUT		(~0ULL)

/* A number of samples (or of calls) and what they weigh together, in units of the event. */
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
