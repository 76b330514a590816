/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a filter for waits on the perf engine: raw tracepoint programs for the events off-cpu and on-cpu. Not for
 * filter authors.
 *
 * NAME_wait runs at each context switch: the wait of the next thread is over, and its run begins; the run of the
 * previous one is over (run_perf.bpf.h), and its wait begins.
 * tprof_waking runs at each wake-up: until then the thread was blocked, from then on it lacks a CPU. tprof_new begins
 * the wait of a new thread. tprof_seed finds the threads that wait when the session starts. NAME_part is run by the
 * loader: it counts the waits and runs in progress up to now. NAME_offc and NAME_offp are the same for TPROF_OFFCPU().
 *
 * At sched_switch, the previous thread is still the current one, and interrupts are disabled. An NMI may take a sample
 * meanwhile, so these programs count under an event of their own.
 */
#ifndef __TPROF_WAIT_PERF_BPF_H
#define __TPROF_WAIT_PERF_BPF_H

#include <tprof/engine_perf.bpf.h>
#include <tprof/run_perf.bpf.h>
#include <tprof/wait_state_perf.bpf.h>
#include <tprof/wait_task_perf.bpf.h>
#include <tprof/wait_unseen_perf.bpf.h>
#include <tprof/wait_waker_perf.bpf.h>
#include <tprof/wait_chain_perf.bpf.h>

/* Arguments of sched_switch, by index. */
enum {
	TPROF_SWITCH_PREEMPT = 0,
	TPROF_SWITCH_NEXT = 2,
	TPROF_SWITCH_STATE = 3,
};

/*
 * Completes the sample of a wait, or of a part of it, that lasted from @from to @now, and counts it as fired. Returns 0
 * if it is not for the filter.
 */
static __always_inline int tprof_wait_measure(struct tprof_wait *wait, const struct tprof_wait_state *state,
					      __u64 from, __u64 now, struct tprof_cpu_ledger *ledger,
					      const struct tprof_run *run)
{
	__u64 total = now > from ? now - from : 1, woken = state->woken_ns, waited;
	struct tprof_sample *s = &wait->sample;

	if (!tprof_object.wait_event)
		return 0;
	if (total < tprof_object.wait_min_ns) {
		tprof_tally_add(&run->ledger->fired, total);
		tprof_tally_add(&run->ledger->outcomes.below_min, total);
		return 0;
	}
	if (woken && woken < from)
		woken = from;
	s->addr = wait->state;
	s->data = state->runnable ? total : woken && woken < now ? now - woken : 0;
	wait->runnable_ns = s->data;
	wait->blocked_ns = total - s->data;
	s->weight = total;
	if (ledger->wait_period > 1) {
		waited = ledger->wait_rest + total;
		ledger->wait_rest = waited % ledger->wait_period;
		s->weight = waited - ledger->wait_rest;
		if (!s->weight) {
			tprof_tally_add(&run->ledger->fired, 0);
			tprof_tally_add(&run->ledger->outcomes.decimated, 0);
			return 0;
		}
	}
	s->time_ns = now;
	tprof_tally_add(&run->ledger->fired, s->weight);
	return 1;
}

/*
 * Forgets the last wake-up. Before the call stacks are walked: meanwhile, another CPU may wake the thread up, which is
 * off the CPU as soon as the walk is over.
 */
static __always_inline void tprof_wait_forget_waker(struct tprof_wait_state *state)
{
	struct tprof_wait *wait = &state->wait;

	wait->waker_flags = 0;
	wait->waker_tgid = wait->waker_tid = wait->waker_exec_id = 0;
	wait->waker_cgroup_id = 0;
	__builtin_memset(wait->waker_comm, 0, sizeof(wait->waker_comm));
	*(volatile __u64 *)&state->woken_ns = 0;
}

/*
 * Tests whether who came at @ns, since the last wait was over, is a waker that has chosen the current thread already,
 * but cannot go on until the thread has left the CPU. It holds a lock of the thread meanwhile.
 */
static __always_inline int tprof_wait_is_chosen(const struct tprof_wait_state *state, __u64 ns)
{
	return ns > state->wait.sample.time_ns && tprof_task_u32((__u64)tprof_current_task(), task_pi_lock);
}

/* The wait begins at @start with the waker that has come for it already, or with none. */
static __always_inline void tprof_wait_renew_waker(struct tprof_wait_state *state, __u64 start)
{
	int early;

	/* If it is 0, a waker may be describing itself. */
	if (!*(volatile __u64 *)&state->woken_ns || tprof_wait_is_chosen(state, state->woken_ns))
		return;
	early = tprof_wait_is_chosen(state, *(volatile __u64 *)&state->early_ns);
	tprof_wait_forget_waker(state);
	if (early)
		*(volatile __u64 *)&state->woken_ns = start;
}

/* The wait of the next thread is over. Returns its state, or NULL if there is none for the filter. */
static __always_inline struct tprof_wait_state *tprof_wait_over(const __u64 *args, __u64 *now,
								struct tprof_cpu_ledger *ledger,
								const struct tprof_run *run)
{
	__u32 tid = tprof_wait_task_pid(args[TPROF_SWITCH_NEXT]);
	struct tprof_wait_state *state;
	__u64 from;

	if (tprof_object.run_event)
		ledger->running = tid;
	if (!tid)
		return 0;
	state = tprof_wait_lookup(tid);
	if (!state) {
		if (tprof_wait_mode(ledger) == TPROF_WAIT_SEED)
			tprof_wait_know(tid, args[TPROF_SWITCH_NEXT], ledger->cpu, *now);
		return 0;
	}
	if (!*now)
		*now = bpf_ktime_get_ns();
	from = tprof_exchange(&state->from_ns, 0);
	/* For tprof_wait_is_chosen(). */
	state->wait.sample.time_ns = *now;
	/* The description is of its last wait. Without one, it was out of scope then. */
	if (tprof_object.run_event && state->wait.sample.tid)
		tprof_run_begin(state, ledger->cpu, *now);
	if (!from || tprof_wait_mode(ledger) != TPROF_WAIT_COUNT)
		return 0;
	state->wait.sample.cpu = tprof_perf_cpu(ledger);
	return tprof_wait_measure(&state->wait, state, from, *now, ledger, run) ? state : 0;
}

/* Describes the current thread, which leaves the CPU. */
static __always_inline void tprof_wait_describe(struct tprof_sample *s, const struct tprof_run *run)
{
	/* An address of the kernel, for the flags. */
	s->ip = ~0ULL;
	tprof_perf_task(s);
	s->flags |= TPROF_SAMPLE_WAIT;
	s->event = run->event;
}

/* Why the current thread leaves the CPU. */
static __always_inline void tprof_wait_explain(struct tprof_wait *wait, __u32 left_as, int preempted)
{
	const char *task = tprof_current_task();
	int iowait = 0;
	__u32 compat;

	wait->syscall = -1;
	if (tprof_object.wait_details) {
		iowait = tprof_kernel_member(__u8, task, layouts.task_in_iowait) & tprof_object.layouts.in_iowait_mask;
		compat = tprof_kernel_member(__u32, task, layouts.task_compat) & tprof_object.layouts.compat_mask;
		if (!(wait->sample.flags & TPROF_SAMPLE_KTHREAD))
			wait->syscall = tprof_wait_syscall((__u64)bpf_task_pt_regs(bpf_get_current_task_btf()), compat);
	}
	wait->state = tprof_wait_name_state(left_as, preempted, iowait);
}

/* The current thread ends. The kernel has taken its memory, so its description remains that of its last wait. */
static __always_inline struct tprof_wait_state *tprof_wait_end(__u32 tid, __u64 now, struct tprof_cpu_ledger *ledger,
							       const struct tprof_run *run)
{
	struct tprof_wait_state *state;

	state = tprof_wait_lookup(tid);
	if (!state)
		return 0;
	tprof_unseen_over(state, now ? now : bpf_ktime_get_ns(), 1, ledger, run);
	if (!tprof_object.run_event) {
		tprof_wait_forget(&tid);
		return 0;
	}
	tprof_wait_forget_stacks(&tid);
	return state;
}

/*
 * The state of the current thread, which leaves the CPU, or NULL if it is out of scope, or there is no space. @blocked:
 * it is not ready to run
 */
static __always_inline struct tprof_wait_state *tprof_wait_leave(__u32 tid, int blocked, struct tprof_sample *s,
								 struct tprof_cpu_ledger *ledger, struct tprof_run *run)
{
	int in_scope = tprof_wait_in_scope(tid);
	struct tprof_wait_state *state;

	if (in_scope) {
		tprof_wait_describe(s, run);
		state = tprof_wait_find_state(tid, ledger, run);
		if (state)
			return state;
		tprof_wake_lose(ledger, run, blocked);
	} else {
		tprof_wait_miss(ledger, run, &run->ledger->outcomes.out_of_scope);
		/* It was in scope before, or came to run during tprof_seed, which must not find it unknown. */
		state = tprof_wait_lookup(tid);
		if (state && tprof_object.run_event) {
			tprof_exchange(&state->on_ns, 0);
			state->wait.sample.tid = 0;
			state->nr_left = 0;
		} else if (state && tprof_wait_mode(ledger) != TPROF_WAIT_SEED) {
			tprof_wait_forget(&tid);
		}
	}
	tprof_run_miss(ledger, run, in_scope);
	return 0;
}

/*
 * The previous thread, the current one, leaves the CPU. Returns its state, or NULL if there is none. Its wait begins
 * with tprof_wait_go() at *start, after its run was counted with the same description.
 */
static __always_inline struct tprof_wait_state *tprof_wait_begin(const __u64 *args, __u64 *now, __u64 *start,
								 struct tprof_cpu_ledger *ledger, struct tprof_run *run)
{
	__u32 tid = tprof_kernel_member(__u32, tprof_current_task(), task_pid);
	__u32 left_as = (__u32)args[TPROF_SWITCH_STATE];
	int preempted = args[TPROF_SWITCH_PREEMPT] & 1, blocked = left_as && !preempted;
	struct tprof_wait_state *state;
	struct tprof_sample s = {};

	if (!tid)
		return 0;
	if (left_as & TPROF_TASK_DEAD) {
		tprof_scope_changes();
		return tprof_wait_end(tid, *now, ledger, run);
	}
	state = tprof_wait_leave(tid, blocked, &s, ledger, run);
	if (!state)
		return 0;
	if (!*now)
		*now = bpf_ktime_get_ns();
	*start = *now - tprof_unseen_over(state, *now, blocked, ledger, run);
	/* It was about to sleep, but has a signal: the kernel tells the state that it gave up. */
	if (left_as && !tprof_task_u32((__u64)tprof_current_task(), task_state))
		left_as = 0;
	/* A waker that comes from here on looks at it. */
	state->runnable = !left_as || preempted;
	tprof_wait_renew_waker(state, *start);
	s.ip = tprof_wait_store((void *)args, &s);
	/* Until the wait is over, this says when it began: from_ns moves. */
	s.time_ns = *now;
	state->wait.sample = s;
	state->wait.from_cpu = tprof_perf_cpu(ledger);
	/* An unseen wait before this one was another wait, of which the waker may have been counted. */
	if (tprof_object.wake_event)
		state->blocked_ns = *now;
	tprof_wait_explain(&state->wait, left_as, preempted);
	return state;
}

/* The wait of the current thread begins, or it has ended. */
static __always_inline void tprof_wait_go(const __u64 *args, struct tprof_wait_state *state, __u64 start)
{
	__u32 tid;

	if ((__u32)args[TPROF_SWITCH_STATE] & TPROF_TASK_DEAD) {
		tid = tprof_kernel_member(__u32, tprof_current_task(), task_pid);
		tprof_wait_forget(&tid);
		return;
	}
	if (tprof_object.run_event) {
		state->wait.sample.flags |= TPROF_SAMPLE_WAIT;
		state->wait.sample.event = (tprof_object.wait_event - 1) & (TPROF_OBJECT_EVENTS - 1);
	}
	tprof_exchange(&state->from_ns, start);
}

/* Copies a stack of a waiting thread, or says that there is none. */
static __always_inline void tprof_part_copy_stack(__u32 use, const void *from)
{
	struct tprof_scratch *scratch = tprof_scratch_of(use);

	if (!scratch)
		return;
	scratch->stack.nr_frames = 0;
	if (from)
		bpf_probe_read_kernel(&scratch->stack, __builtin_offsetof(struct tprof_wait_stack, ip) +
				      tprof_object.stack_frames * sizeof(scratch->stack.ip[0]), from);
}

static __always_inline void tprof_part_copy(const struct tprof_sample *s)
{
	__u32 tid = s->tid;

	if (tprof_object.wait_stacks & TPROF_STACK_KERNEL)
		tprof_part_copy_stack(TPROF_SCRATCH_PART_KERN, bpf_map_lookup_elem(&tprof_wait_kern, &tid));
	if (tprof_object.wait_stacks & TPROF_STACK_USER)
		tprof_part_copy_stack(TPROF_SCRATCH_PART_USER, bpf_map_lookup_elem(&tprof_wait_user, &tid));
}

static __always_inline void tprof_part_no_stacks(void)
{
	if (tprof_object.wait_stacks & TPROF_STACK_KERNEL)
		tprof_part_copy_stack(TPROF_SCRATCH_PART_KERN, 0);
	if (tprof_object.wait_stacks & TPROF_STACK_USER)
		tprof_part_copy_stack(TPROF_SCRATCH_PART_USER, 0);
}

/* NAME_part passes this to its function for each thread. */
struct tprof_part {
	__u64 now;
	__u32 slot;
};

/*
 * Takes the part of a wait up to now. The copies are of this wait if the thread still waits after they were made: it
 * changes from_ns, which never has the same value again. Returns 0 if there is nothing to count.
 */
static __always_inline int tprof_part_take(struct tprof_wait_state *state, struct tprof_wait_state *copy, __u64 now,
					   struct tprof_cpu_ledger *ledger, const struct tprof_run *run)
{
	__u64 from = tprof_compare_exchange(&state->from_ns, 0, 0);

	if (!from || from >= now)
		return 0;
	*copy = *state;
	tprof_part_copy(&copy->wait.sample);
	if (tprof_compare_exchange(&state->from_ns, from, now) != from)
		return 0;
	if (tprof_wait_mode(ledger) != TPROF_WAIT_COUNT) {
		/* The session begins, or goes on after a pause, which the wait has not counted since @from. */
		if (tprof_object.wake_event)
			state->blocked_ns += now - from;
		return 0;
	}
	return tprof_wait_measure(&copy->wait, copy, from, now, ledger, run);
}

/* Calls the body of TPROF_FILTER() or of TPROF_OFFCPU(). */
#define tprof_wait_call_filter(name, wait, run) name##_body(&(wait)->sample, run)
#define tprof_wait_call_offcpu(name, wait, run) name##_offcpu(wait, run)

/* The programs name_WAIT and name_PART, which call the body by tprof_wait_call_KIND(). */
#define TPROF_WAIT_PROGRAMS(name, KIND, WAIT, PART)					\
	SEC("?raw_tp/sched_switch")							\
	int name##WAIT(void *ctx)							\
	{										\
		struct tprof_run run = { .engine = TPROF_OBJECT_WAIT };			\
		struct tprof_cpu_ledger *ledger = tprof_wait_enter(bpf_get_smp_processor_id(), &run); \
		__u64 now = tprof_object.run_event ? bpf_ktime_get_ns() : 0, start = 0;	\
		struct tprof_wait_state *state;						\
											\
		if (!ledger)								\
			return 0;							\
		tprof_run_lose(ledger, tprof_kernel_member(__u32, tprof_current_task(), task_pid)); \
		state = tprof_wait_over(ctx, &now, ledger, &run);			\
		if (state)								\
			tprof_perf_leave(&state->wait.sample, run.ledger,		\
					 tprof_wait_call_##KIND(name, &state->wait, &run)); \
		state = tprof_wait_begin(ctx, &now, &start, ledger, &run);		\
		if (!state)								\
			return 0;							\
		if (tprof_run_over(state, now, ledger, &run))				\
			tprof_perf_leave(&state->wait.sample, run.ledger,		\
					 name##_body(&state->wait.sample, &run));	\
		tprof_wait_go(ctx, state, start);					\
		return 0;								\
	}										\
	static long name##PART##_each(void *map, const __u32 *tid, struct tprof_wait_state *state, \
				      struct tprof_part *part)				\
	{										\
		struct tprof_run run = { .engine = TPROF_OBJECT_PART };			\
		struct tprof_cpu_ledger *ledger = tprof_wait_enter(part->slot, &run);	\
		struct tprof_wait_state copy;						\
											\
		if (!ledger)								\
			return 0;							\
		if (tprof_part_take(state, &copy, part->now, ledger, &run))		\
			tprof_perf_leave(&copy.wait.sample, run.ledger,			\
					 tprof_wait_call_##KIND(name, &copy.wait, &run)); \
		if (tprof_run_take(state, &copy, part->now, ledger, &run)) {		\
			tprof_part_no_stacks();						\
			tprof_perf_leave(&copy.wait.sample, run.ledger,			\
					 name##_body(&copy.wait.sample, &run));		\
		}									\
		return 0;								\
	}										\
	SEC("?raw_tp")									\
	int name##PART(void *ctx)							\
	{										\
		struct tprof_part part = { .now = bpf_ktime_get_ns(), .slot = tprof_object.nr_cpus };	\
											\
		bpf_for_each_map_elem(&tprof_waits, name##PART##_each, &part, 0);	\
		return 0;								\
	}

#endif
