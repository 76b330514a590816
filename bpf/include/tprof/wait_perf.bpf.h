/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a filter for waits on the perf engine: raw tracepoint programs for the event off-cpu. Not for filter
 * authors.
 *
 * NAME_wait runs at each context switch: the wait of the next thread is over, that of the previous one begins.
 * tprof_waking runs at each wake-up: until then the thread was blocked, from then on it lacks a CPU. NAME_part is run
 * by the loader: it counts the waits in progress up to now.
 *
 * The state of a thread is in tprof_waits. from_ns says who counts its time: NAME_wait takes it when the wait is over,
 * by setting 0, and NAME_part moves it forward, so each nanosecond is counted once.
 *
 * At sched_switch, the previous thread is still the current one, and interrupts are disabled. An NMI may take a sample
 * meanwhile, so these programs count under an event of their own.
 */
#ifndef __TPROF_WAIT_PERF_BPF_H
#define __TPROF_WAIT_PERF_BPF_H

#include <tprof/engine_perf.bpf.h>
#include <tprof/stack.bpf.h>

struct {
	__uint(type, TPROF_MAP_HASH);
	__uint(max_entries, TPROF_WAIT_THREADS);
	__type(key, __u32);
	__type(value, struct tprof_wait_state);
} tprof_waits SEC(".maps");

/* Arguments of the tracepoints, by index. */
enum {
	TPROF_SWITCH_PREEMPT = 0,
	TPROF_SWITCH_NEXT = 2,
	TPROF_SWITCH_STATE = 3,
	TPROF_WAKING_TASK = 0,
};

/* Of the state in which a task leaves the CPU (linux/sched.h): it will never run again. */
#define TPROF_TASK_DEAD		0x80

/* The first frames of a kernel stack that are searched for the scheduler. Those before it are of this program. */
#define TPROF_WAIT_FRAMES	16

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

/* Chooses the generation. @slot: of the ledger. NULL: nothing is to be done. */
static __always_inline struct tprof_cpu_ledger *tprof_wait_enter(__u32 slot, struct tprof_run *run)
{
	struct tprof_cpu_ledger *ledger = bpf_map_lookup_elem(&tprof_ledger, &slot);

	if (!ledger || *(volatile __u32 *)&ledger->wait_mode == TPROF_WAIT_OFF)
		return 0;
	run->current = *(volatile __u32 *)&ledger->wanted & 1;
	ledger->current = run->current;
	ledger->cpu = slot;
	run->event = (tprof_object.wait_event - 1) & (TPROF_OBJECT_EVENTS - 1);
	run->ledger = &ledger->generations[run->current][run->event];
	return ledger;
}

/*
 * Completes the sample of a wait, or of a part of it, that lasted from @from to @now, and counts it as fired. Returns 0
 * if it is not for the filter.
 */
static __always_inline int tprof_wait_measure(struct tprof_sample *s, const struct tprof_wait_state *state, __u64 from,
					      __u64 now, struct tprof_cpu_ledger *ledger, const struct tprof_run *run)
{
	__u64 total = now > from ? now - from : 1, woken = state->woken_ns, waited;

	if (total < tprof_object.wait_min_ns) {
		tprof_tally_add(&run->ledger->fired, total);
		tprof_tally_add(&run->ledger->outcomes.below_min, total);
		return 0;
	}
	if (woken && woken < from)
		woken = from;
	s->data = state->runnable ? total : woken && woken < now ? now - woken : 0;
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

/* The wait of the next thread is over. Returns its state, or NULL if there is none for the filter. */
static __always_inline struct tprof_wait_state *tprof_wait_over(const __u64 *args, __u64 now,
								struct tprof_cpu_ledger *ledger,
								const struct tprof_run *run)
{
	__u32 tid = tprof_kernel_u32(args[TPROF_SWITCH_NEXT], tprof_object.task_pid);
	struct tprof_wait_state *state;
	__u64 from;

	if (!tid)
		return 0;
	state = bpf_map_lookup_elem(&tprof_waits, &tid);
	if (!state)
		return 0;
	from = tprof_exchange(&state->from_ns, 0);
	if (!from || ledger->wait_mode != TPROF_WAIT_COUNT)
		return 0;
	state->sample.cpu = tprof_perf_cpu(ledger);
	return tprof_wait_measure(&state->sample, state, from, now, ledger, run) ? state : 0;
}

static __always_inline int tprof_is_scheduler(__u64 ip)
{
	return ip >= tprof_object.sched_start && ip < tprof_object.sched_end;
}

/*
 * Finds the scheduler in the first frames. Returns the index of its first frame, 0 if it is not found. Sets *place to
 * the address of the call into it.
 */
static __always_inline __u32 tprof_wait_find(const __u64 *ip, __u64 *place)
{
	__u32 first = 0, i;
	int found = 0;

	*place = 0;
	for (i = 0; i < TPROF_WAIT_FRAMES; i++) {
		int is = tprof_is_scheduler(ip[i]);

		if (is && !found) {
			found = 1;
			first = i;
		}
		if (!is && found) {
			/* The byte before a return address is of the call. */
			*place = ip[i] ? ip[i] - 1 : 0;
			break;
		}
	}
	return first;
}

/* Finds where the current thread waits, if the filter asks for nothing more. */
static __always_inline __u64 tprof_wait_place(void *ctx)
{
	__u64 ip[TPROF_WAIT_FRAMES] = {}, place;

	bpf_get_stack(ctx, ip, sizeof(ip), 0);
	tprof_wait_find(ip, &place);
	return place;
}

/* Stores the kernel stack of the current thread, without the frames of this program. Returns where it waits. */
static __always_inline __u64 tprof_wait_store_kern(void *ctx, struct tprof_scratch *scratch,
						   struct tprof_wait_stack *to)
{
	__u32 nr = tprof_perf_walk(ctx, scratch, TPROF_SCRATCH_WAIT, TPROF_STACK_KERNEL), first;
	__u64 place;

	/* The helper clears only what it was given. */
	if (nr < TPROF_WAIT_FRAMES)
		scratch->stack.ip[nr] = 0;
	first = nr ? tprof_wait_find(scratch->stack.ip, &place) : 0;
	if (!nr)
		place = 0;
	bpf_probe_read_kernel(to->ip, tprof_object.stack_frames * sizeof(to->ip[0]),
			      &scratch->stack.ip[first & (TPROF_WAIT_FRAMES - 1)]);
	to->flags = TPROF_STACK_KERNEL;
	to->nr_frames = nr > first ? nr - first : 0;
	return place;
}

/* Likewise of the user stack. */
static __always_inline void tprof_wait_store_user(void *ctx, struct tprof_scratch *scratch, struct tprof_wait_stack *to)
{
	__u32 nr = tprof_perf_walk(ctx, scratch, TPROF_SCRATCH_WAIT, TPROF_STACK_USER);

	bpf_probe_read_kernel(to->ip, tprof_object.stack_frames * sizeof(to->ip[0]), scratch->stack.ip);
	to->flags = TPROF_STACK_USER;
	to->nr_frames = nr;
}

/* The entry of a thread in a map of stacks, with any content. NULL: there is no space. */
static __always_inline struct tprof_wait_stack *tprof_wait_slot(void *map, const __u32 *tid,
								const struct tprof_scratch *scratch)
{
	struct tprof_wait_stack *slot = bpf_map_lookup_elem(map, tid);

	if (slot)
		return slot;
	bpf_map_update_elem(map, tid, &scratch->stack, TPROF_UPDATE_NOEXIST);
	return bpf_map_lookup_elem(map, tid);
}

/* Stores the stacks of the current thread as far as the filter asks for them. Returns where it waits. */
static __always_inline __u64 tprof_wait_store(void *ctx, const struct tprof_sample *s)
{
	struct tprof_scratch *scratch;
	struct tprof_wait_stack *to;
	__u32 tid = s->tid;
	__u64 place = 0;

	if (!tprof_object.wait_stacks)
		return tprof_object.wait_place ? tprof_wait_place(ctx) : 0;
	scratch = tprof_scratch_of(TPROF_SCRATCH_WAIT);
	if (!scratch)
		return 0;
	if (tprof_object.wait_stacks & TPROF_STACK_KERNEL) {
		to = tprof_wait_slot(&tprof_wait_kern, &tid, scratch);
		if (to)
			place = tprof_wait_store_kern(ctx, scratch, to);
	} else if (tprof_object.wait_place) {
		place = tprof_wait_place(ctx);
	}
	if (tprof_object.wait_stacks & TPROF_STACK_USER && !(s->flags & TPROF_SAMPLE_KTHREAD)) {
		to = tprof_wait_slot(&tprof_wait_user, &tid, scratch);
		if (to)
			tprof_wait_store_user(ctx, scratch, to);
	}
	return place;
}

static __always_inline void tprof_wait_forget(const __u32 *tid)
{
	bpf_map_delete_elem(&tprof_waits, tid);
	if (tprof_object.wait_stacks & TPROF_STACK_KERNEL)
		bpf_map_delete_elem(&tprof_wait_kern, tid);
	if (tprof_object.wait_stacks & TPROF_STACK_USER)
		bpf_map_delete_elem(&tprof_wait_user, tid);
}

/* Describes the current thread, which leaves the CPU. Returns 0 if it is out of scope. */
static __always_inline int tprof_wait_describe(struct tprof_sample *s, const struct tprof_cpu_ledger *ledger,
					       const struct tprof_run *run)
{
	/* An address of the kernel, for the flags. */
	s->ip = ~0ULL;
	tprof_perf_task(s);
	s->flags |= TPROF_SAMPLE_WAIT;
	s->event = run->event;
	if (tprof_in_scope(s->ip))
		return 1;
	if (ledger->wait_mode == TPROF_WAIT_COUNT) {
		/* How long it will wait is not known. */
		tprof_tally_add(&run->ledger->fired, 0);
		tprof_tally_add(&run->ledger->outcomes.out_of_scope, 0);
	}
	return 0;
}

/* The state of the thread, which is inserted if it is missing. Counts the wait as lost if there is no space. */
static __always_inline struct tprof_wait_state *tprof_wait_find_state(const struct tprof_sample *s,
								      const struct tprof_cpu_ledger *ledger,
								      const struct tprof_run *run)
{
	struct tprof_wait_state *state, fresh = {};
	__u32 tid = s->tid;

	state = bpf_map_lookup_elem(&tprof_waits, &tid);
	if (state)
		return state;
	bpf_map_update_elem(&tprof_waits, &tid, &fresh, TPROF_UPDATE_NOEXIST);
	state = bpf_map_lookup_elem(&tprof_waits, &tid);
	if (!state && ledger->wait_mode == TPROF_WAIT_COUNT) {
		tprof_tally_add(&run->ledger->fired, 0);
		tprof_tally_add(&run->ledger->lost.threads_full, 0);
	}
	return state;
}

/* The previous thread, the current one, begins to wait. */
static __always_inline void tprof_wait_begin(const __u64 *args, __u64 now, const struct tprof_cpu_ledger *ledger,
					     const struct tprof_run *run)
{
	__u32 tid = tprof_kernel_member(__u32, tprof_current_task(), task_pid);
	__u32 left_as = (__u32)args[TPROF_SWITCH_STATE];
	struct tprof_wait_state *state;
	struct tprof_sample s = {};

	if (!tid)
		return;
	if (left_as & TPROF_TASK_DEAD) {
		tprof_wait_forget(&tid);
		return;
	}
	if (!tprof_wait_describe(&s, ledger, run))
		return;
	state = tprof_wait_find_state(&s, ledger, run);
	if (!state)
		return;
	s.ip = tprof_wait_store((void *)args, &s);
	state->sample = s;
	state->woken_ns = 0;
	state->runnable = !left_as || (args[TPROF_SWITCH_PREEMPT] & 1);
	tprof_exchange(&state->from_ns, now);
}

SEC("?raw_tp/sched_waking")
int tprof_waking(void *ctx)
{
	__u32 tid = tprof_kernel_u32(((const __u64 *)ctx)[TPROF_WAKING_TASK], tprof_object.task_pid);
	struct tprof_wait_state *state = bpf_map_lookup_elem(&tprof_waits, &tid);

	if (state && !state->woken_ns)
		state->woken_ns = bpf_ktime_get_ns();
	return 0;
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
	tprof_part_copy(&copy->sample);
	if (tprof_compare_exchange(&state->from_ns, from, now) != from || ledger->wait_mode != TPROF_WAIT_COUNT)
		return 0;
	return tprof_wait_measure(&copy->sample, copy, from, now, ledger, run);
}

#define TPROF_WAIT_ENTRIES(name)							\
	SEC("?raw_tp/sched_switch")							\
	int name##_wait(void *ctx)							\
	{										\
		struct tprof_run run = { .engine = TPROF_OBJECT_WAIT };			\
		struct tprof_cpu_ledger *ledger = tprof_wait_enter(bpf_get_smp_processor_id(), &run); \
		__u64 now = bpf_ktime_get_ns();						\
		struct tprof_wait_state *state;						\
											\
		if (!ledger)								\
			return 0;							\
		state = tprof_wait_over(ctx, now, ledger, &run);			\
		if (state)								\
			tprof_perf_leave(&state->sample, run.ledger, name##_body(&state->sample, &run)); \
		tprof_wait_begin(ctx, now, ledger, &run);				\
		return 0;								\
	}										\
	static long name##_each(void *map, const __u32 *tid, struct tprof_wait_state *state, struct tprof_part *part) \
	{										\
		struct tprof_run run = { .engine = TPROF_OBJECT_PART };			\
		struct tprof_cpu_ledger *ledger = tprof_wait_enter(part->slot, &run);	\
		struct tprof_wait_state copy;						\
											\
		if (ledger && tprof_part_take(state, &copy, part->now, ledger, &run))	\
			tprof_perf_leave(&copy.sample, run.ledger, name##_body(&copy.sample, &run)); \
		return 0;								\
	}										\
	SEC("?raw_tp")									\
	int name##_part(void *ctx)							\
	{										\
		struct tprof_part part = { .now = bpf_ktime_get_ns(), .slot = tprof_object.nr_cpus };	\
											\
		bpf_for_each_map_elem(&tprof_waits, name##_each, &part, 0);		\
		return 0;								\
	}

#endif
