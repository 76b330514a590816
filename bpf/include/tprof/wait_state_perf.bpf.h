/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The threads that wait, for the programs of waits on the perf engine. Not for filter authors.
 *
 * from_ns of a thread says who counts its time: the program at sched_switch takes it when the wait is over, by setting
 * 0, and the program for waits in progress moves it forward, so each nanosecond is counted once.
 */
#ifndef __TPROF_WAIT_STATE_PERF_BPF_H
#define __TPROF_WAIT_STATE_PERF_BPF_H

#include <tprof/ledger.bpf.h>
#include <tprof/sample_perf.bpf.h>
#include <tprof/wait_hint_perf.bpf.h>
#include <tprof/wait_stack_perf.bpf.h>

/* The wakers of each thread. The loader makes this map only for an object with TPROF_WAKERS(). */
struct {
	__uint(type, TPROF_MAP_HASH);
	__uint(map_flags, TPROF_MAP_NO_PREALLOC);
	__uint(max_entries, TPROF_WAIT_THREADS);
	__type(key, __u32);
	__type(value, struct tprof_wait_chain);
} tprof_chains SEC(".maps");

/* The state of a thread of which nothing is known yet. Not a local variable: it would take too much of the stack. */
const struct tprof_wait_state tprof_wait_fresh = {};

/* Of the state in which a task leaves the CPU (linux/sched.h). */
enum {
	TPROF_TASK_INTERRUPTIBLE = 0x1,
	TPROF_TASK_STOPPED = 0x4,
	TPROF_TASK_TRACED = 0x8,
	TPROF_TASK_PARKED = 0x40,
	TPROF_TASK_DEAD = 0x80,		/* it will never run again */
	TPROF_TASK_NOLOAD = 0x400,
};

/*
 * Atomic exchange, and compare and exchange, of 64 bits, fully ordered. As bytes of the instruction, because a compiler
 * emits it only with -mcpu=v3, which is no requirement for filters. r1 is the address, r2 the new value, r0 the
 * expected one.
 */
static __always_inline __u64 tprof_exchange(__u64 *at, __u64 value)
{
	register __u64 *r1 asm("r1") = at;
	register __u64 r2 asm("r2") = value;

	asm volatile(".8byte 0x000000e1000021db" : "+r"(r2) : "r"(r1) : "memory");
	return r2;
}

static __always_inline __u64 tprof_compare_exchange(__u64 *at, __u64 expected, __u64 value)
{
	register __u64 r0 asm("r0") = expected;
	register __u64 *r1 asm("r1") = at;
	register __u64 r2 asm("r2") = value;

	asm volatile(".8byte 0x000000f1000021db" : "+r"(r0) : "r"(r1), "r"(r2) : "memory");
	return r0;
}

/* The id of any thread. Kernels that can cast need no call of a helper. */
static __always_inline __u32 tprof_wait_task_pid(__u64 task)
{
	if (tprof_object.can_cast)
		return tprof_kernel_member(__u32, tprof_cast_task((const char *)task), task_pid);
	return tprof_kernel_u32(task, tprof_object.task_pid);
}

/* The mode of the session. */
static __always_inline __u32 tprof_wait_mode(const struct tprof_cpu_ledger *ledger)
{
	return *(volatile __u32 *)&ledger->wait_mode;
}

/* Chooses the generation. @slot: of the ledger. NULL: nothing is to be done. */
static __always_inline struct tprof_cpu_ledger *tprof_wait_enter(__u32 slot, struct tprof_run *run)
{
	struct tprof_cpu_ledger *ledger = bpf_map_lookup_elem(&tprof_ledger, &slot);

	if (!ledger || tprof_wait_mode(ledger) == TPROF_WAIT_OFF)
		return 0;
	run->current = *(volatile __u32 *)&ledger->wanted & 1;
	ledger->current = run->current;
	ledger->cpu = slot;
	run->event = (tprof_object.wait_event - 1) & (TPROF_OBJECT_EVENTS - 1);
	run->ledger = &ledger->generations[run->current][run->event];
	return ledger;
}

static __always_inline __u32 tprof_wait_name_state(__u32 task_state, int preempted, int iowait)
{
	if (preempted || !task_state)
		return TPROF_STATE_PREEMPTED;
	if (task_state & (TPROF_TASK_NOLOAD | TPROF_TASK_PARKED))
		return TPROF_STATE_IDLE;
	if (task_state & TPROF_TASK_STOPPED)
		return TPROF_STATE_STOPPED;
	if (task_state & TPROF_TASK_TRACED)
		return TPROF_STATE_TRACED;
	if (iowait)
		return TPROF_STATE_IOWAIT;
	return task_state & TPROF_TASK_INTERRUPTIBLE ? TPROF_STATE_SLEEPING : TPROF_STATE_BLOCKED;
}

/* Counts a wait whose length is not known: it will be out of scope, or it is lost. */
static __always_inline void tprof_wait_miss(const struct tprof_cpu_ledger *ledger, const struct tprof_run *run,
					    struct tprof_tally *tally)
{
	if (!tprof_object.wait_event || tprof_wait_mode(ledger) != TPROF_WAIT_COUNT)
		return;
	tprof_tally_add(&run->ledger->fired, 0);
	tprof_tally_add(tally, 0);
}

/* From here on, the program counts under the event wakeup. Interrupts are disabled, or the slot is that of no CPU. */
static __always_inline void tprof_wake_count(struct tprof_cpu_ledger *ledger, struct tprof_run *run)
{
	run->event = (tprof_object.wake_event - 1) & (TPROF_OBJECT_EVENTS - 1);
	run->ledger = &ledger->generations[run->current][run->event];
}

/* Counts the end of a wait as lost, which will not be seen because there is no space for the thread. */
static __always_inline void tprof_wake_lose(struct tprof_cpu_ledger *ledger, struct tprof_run *run, int blocked)
{
	if (!tprof_object.wake_event || !blocked || tprof_wait_mode(ledger) != TPROF_WAIT_COUNT)
		return;
	tprof_wake_count(ledger, run);
	tprof_tally_add(&run->ledger->fired, 0);
	tprof_tally_add(&run->ledger->lost.threads_full, 0);
}

/* The state of the thread, which is inserted if it is missing. Counts the wait as lost if there is no space. */
static __always_inline struct tprof_wait_state *tprof_wait_find_state(__u32 tid, const struct tprof_cpu_ledger *ledger,
								      const struct tprof_run *run)
{
	struct tprof_wait_state *state = tprof_wait_lookup(tid);

	if (state)
		return state;
	tprof_wait_insert(tid, &tprof_wait_fresh);
	state = bpf_map_lookup_elem(&tprof_waits, &tid);
	if (!state)
		tprof_wait_miss(ledger, run, &run->ledger->lost.threads_full);
	return state;
}

static __always_inline void tprof_wait_forget_stacks(const __u32 *tid)
{
	const __u32 kept = tprof_object.wait_stacks;

	if (kept & TPROF_STACK_KERNEL)
		bpf_map_delete_elem(&tprof_wait_kern, tid);
	if (kept & TPROF_STACK_USER)
		bpf_map_delete_elem(&tprof_wait_user, tid);
	if (kept & TPROF_STACK_WAKER)
		bpf_map_delete_elem(&tprof_chains, tid);
}

static __always_inline void tprof_wait_forget(const __u32 *tid)
{
	tprof_wait_remove(*tid);
	tprof_wait_forget_stacks(tid);
}

#endif
