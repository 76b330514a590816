/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The call stacks of wakers, on the perf engine: TPROF_WAKERS() and tprof_wakers(). bpf/filters/offwake.bpf.c is an
 * example.
 *
 * A waker is stored when it wakes the thread, because it is the current thread only then: its call stacks, and then it
 * itself, as words under the id of their content (enum tprof_waker_word). All of them are in the table of stacks.
 *
 * A waker may have been blocked itself while the thread waited. Its own wakers are then the next ones of the thread's.
 */
#ifndef __TPROF_WAIT_CHAIN_PERF_BPF_H
#define __TPROF_WAIT_CHAIN_PERF_BPF_H

#include <tprof/stack.bpf.h>
#include <tprof/wait_waker_perf.bpf.h>

/*
 * TPROF_WAKERS(stacks, nr) - keep the wakers of waits, and their call stacks; at most once in an object
 * @stacks: name of the TPROF_STACKS
 * @nr:     how many of each wait, 1 to TPROF_WAKERS_MAX; may be a TPROF_PARAM
 *
 * For the event off-cpu. The call stacks need a capacity of TPROF_WAKER_MIN_FRAMES.
 */
#define TPROF_WAKERS(stacks, nr)							\
	SEC("?raw_tp/sched_waking")							\
	int tprof_woken_by(void *ctx)						\
	{										\
		return tprof_chain_waking(ctx, &stacks##_a, &stacks##_b, nr);		\
	}

/* The waker that is described in @s. Returns the id under which it is stored. @flags: TPROF_WAKER_* */
static __always_inline __u64 tprof_waker_intern(struct tprof_generations generation, const struct tprof_sample *s,
						__u32 flags, const struct tprof_run *run)
{
	__u64 kernel = 0, user = 0, id;
	struct tprof_scratch *scratch;

	if (!flags)
		return TPROF_STACK_ID_UNREAD(TPROF_STACK_WAKER);
	if (flags == TPROF_WAKER_THREAD) {
		kernel = tprof_stack_intern(generation, s, TPROF_STACK_KERNEL, run);
		user = tprof_stack_intern(generation, s, TPROF_STACK_USER, run);
	}
	scratch = tprof_scratch_of(TPROF_SCRATCH_WAIT);
	if (!scratch)
		return TPROF_STACK_ID_UNREAD(TPROF_STACK_WAKER);
	scratch->stack.nr_frames = TPROF_WAKER_WORDS;
	scratch->stack.flags = TPROF_STACK_WAKER;
	scratch->stack.ip[TPROF_WAKER_KERNEL] = kernel;
	scratch->stack.ip[TPROF_WAKER_USER] = user;
	scratch->stack.ip[TPROF_WAKER_PROCESS] = s->tgid | (__u64)s->exec_id << 32;
	__builtin_memcpy(&scratch->stack.ip[TPROF_WAKER_COMM], s->comm, sizeof(s->comm));
	id = tprof_sample_stack_id(&scratch->stack, TPROF_STACK_WAKER, TPROF_WAKER_WORDS);
	return tprof_table_find(generation, &id, &scratch->stack, s->weight) ? id :
	       TPROF_STACK_ID_FULL(TPROF_STACK_WAKER);
}

/* The entry of a thread, inserted if it is missing. NULL: there is no space. */
static __always_inline struct tprof_wait_chain *tprof_chain_find(__u32 tid)
{
	struct tprof_wait_chain *chain = bpf_map_lookup_elem(&tprof_chains, &tid);
	struct tprof_wait_chain fresh = {};

	if (chain)
		return chain;
	bpf_map_update_elem(&tprof_chains, &tid, &fresh, TPROF_UPDATE_NOEXIST);
	return bpf_map_lookup_elem(&tprof_chains, &tid);
}

/*
 * Stores the waker of the thread, and then those of the waker if it was woken after @began, when the wait of the thread
 * began: otherwise the waker did not wait meanwhile, but was ready to run or ran. @waker_tid: 0 for an interrupt
 */
static __always_inline void tprof_chain_store(struct tprof_wait_chain *chain, __u64 id, __u32 waker_tid, __u64 began,
					      __u32 nr)
{
	const struct tprof_wait_chain *next;
	__u32 i;

	chain->wakers[0] = id;
	for (i = 1; i < TPROF_WAKERS_MAX; i++)
		chain->wakers[i] = 0;
	if (nr < 2 || !waker_tid)
		return;
	next = bpf_map_lookup_elem(&tprof_chains, &waker_tid);
	if (!next || next->woken_ns < began)
		return;
	for (i = 1; i < TPROF_WAKERS_MAX; i++) {
		if (i < nr)
			chain->wakers[i] = next->wakers[i - 1];
	}
}

/* The program at sched_waking. As tprof_waking(), and the waker and its call stacks are stored. */
static __always_inline int tprof_chain_waking(void *ctx, void *a, void *b, __u32 nr)
{
	__u32 tid = tprof_kernel_u32(*(const __u64 *)ctx, tprof_object.task_pid);
	struct tprof_wait_state *state = tprof_wait_lookup(tid);
	struct tprof_run run = { .engine = TPROF_OBJECT_WAKE, .ctx = ctx };
	const struct tprof_cpu_ledger *ledger;
	struct tprof_sample s = {};
	struct tprof_wait_chain *chain;
	__u64 now, id;

	if (!state || !tprof_wait_is_woken(state))
		return 0;
	/* An address of the kernel, for the flags. */
	s.ip = ~0ULL;
	tprof_wait_set_waker(&state->wait, &s);
	now = bpf_ktime_get_ns();
	ledger = tprof_wait_enter(bpf_get_smp_processor_id(), &run);
	/* A thread that does not wait is woken, too: it was about to. */
	if (ledger && tprof_wait_mode(ledger) == TPROF_WAIT_COUNT && !state->runnable &&
	    *(volatile __u64 *)&state->from_ns) {
		s.weight = now - state->from_ns;
		id = tprof_waker_intern(tprof_generations_of(a, b, &run), &s, state->wait.waker_flags, &run);
		chain = tprof_chain_find(tid);
		if (chain) {
			tprof_chain_store(chain, id, state->wait.waker_tid, state->wait.sample.time_ns, nr);
			chain->woken_ns = now;
		}
	}
	state->woken_ns = now;
	return 0;
}

/*
 * tprof_wakers(wakers, w) - get the wakers of a wait, as far as TPROF_WAKERS() keeps them
 * @wakers: array of TPROF_WAKERS_MAX members of type tprof_waker_t, for the ids; 0 after the last
 * @w:      the wait that was passed to TPROF_OFFCPU()
 *
 * There is none if the thread was ready to run, or still waits. An id below TPROF_STACK_ID_MIN stands for a waker that
 * is not known, or could not be stored.
 */
#define tprof_wakers(wakers, w) tprof_chain_get(wakers, w, tprof_run)

static __always_inline void tprof_chain_get(__u64 *wakers, const struct tprof_wait *w, const struct tprof_run *run)
{
	const struct tprof_wait_state *state = (const struct tprof_wait_state *)w;
	const struct tprof_wait_chain *chain;
	__u32 tid = w->sample.tid, i;

	for (i = 0; i < TPROF_WAKERS_MAX; i++)
		wakers[i] = 0;
	if (state->runnable || (!state->woken_ns && tprof_engine(run) == TPROF_OBJECT_PART))
		return;
	chain = bpf_map_lookup_elem(&tprof_chains, &tid);
	if (!chain || !state->woken_ns || chain->woken_ns != state->woken_ns) {
		wakers[0] = TPROF_STACK_ID_UNREAD(TPROF_STACK_WAKER);
		return;
	}
	for (i = 0; i < TPROF_WAKERS_MAX; i++)
		wakers[i] = chain->wakers[i];
}

#endif
