/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Context switches that no program sees, for the programs of waits on the perf engine. Not for filter authors.
 *
 * A kernel may run no programs when it switches from certain threads. Then the switch to the next thread is unseen,
 * too. How often a thread has left a CPU, and how long it ran, the kernel counts in its task. From both, the program
 * that sees it leave knows which waits and runs it has not seen before. Their time is part of the next wait, or run.
 * They count as lost, with no weight, because no sample is of them alone.
 */
#ifndef __TPROF_WAIT_UNSEEN_PERF_BPF_H
#define __TPROF_WAIT_UNSEEN_PERF_BPF_H

#include <tprof/run_perf.bpf.h>
#include <tprof/wait_state_perf.bpf.h>

/*
 * @left:    how often the current thread has left a CPU since it was last seen to, and now; 0: not known
 * @blocked: how many times of these it was blocked
 */
struct tprof_unseen {
	__u32 left;
	__u32 blocked;
};

static __always_inline struct tprof_unseen tprof_unseen_read(struct tprof_wait_state *state)
{
	const char *task = tprof_current_task();
	__u32 blocked = (__u32)tprof_kernel_member(__u64, task, layouts.task_nvcsw);
	__u32 left = 1 + blocked + (__u32)tprof_kernel_member(__u64, task, layouts.task_nivcsw);
	struct tprof_unseen since = { left - state->nr_left, blocked - state->nr_blocked };

	/* A count that goes down is of another thread, which had this id before. */
	if (!state->nr_left || (__s32)since.left < 0)
		since = (struct tprof_unseen){};
	state->nr_left = left;
	state->nr_blocked = blocked;
	return since;
}

static __always_inline void tprof_unseen_add(struct tprof_program_ledger *ledger, struct tprof_tally *tally, __u32 nr,
					     __u64 weight)
{
	ledger->fired.samples += nr;
	ledger->fired.weight += weight;
	tally->samples += nr;
	tally->weight += weight;
}

/*
 * Counts waits that no program has seen by themselves, which took @ns, or less if a part was counted. Returns how much
 * of it is to become part of the next wait. If all of it is below the minimum, so was each of them.
 */
static __always_inline __u64 tprof_unseen_waits(__u32 nr, __u64 ns, struct tprof_program_ledger *ledger)
{
	if (!tprof_object.wait_event || !nr)
		return ns;
	if (ns < tprof_object.wait_min_ns) {
		tprof_unseen_add(ledger, &ledger->outcomes.below_min, nr, ns);
		return 0;
	}
	tprof_unseen_add(ledger, &ledger->lost.engine_missed, nr, 0);
	return ns;
}

/* The ledger of an event that the session has, in the current generation. @event: 1 + its index */
static __always_inline struct tprof_program_ledger *tprof_unseen_ledger(struct tprof_cpu_ledger *ledger,
									const struct tprof_run *run, __u32 event)
{
	return &ledger->generations[run->current][(event - 1) & (TPROF_OBJECT_EVENTS - 1)];
}

/* Counts the runs and the wake-ups between the waits. Of the runs, the last one is sampled if its start is known. */
static __always_inline void tprof_unseen_others(const struct tprof_wait_state *state, struct tprof_unseen since,
						int blocked, struct tprof_cpu_ledger *ledger,
						const struct tprof_run *run)
{
	struct tprof_program_ledger *counted;

	if (tprof_object.run_event && state->on_ns)
		since.left--;
	if (tprof_object.run_event && since.left) {
		counted = tprof_unseen_ledger(ledger, run, tprof_object.run_event);
		tprof_unseen_add(counted, &counted->lost.engine_missed, since.left, 0);
	}
	if (blocked)
		since.blocked--;
	if (tprof_object.wake_event && (__s32)since.blocked > 0) {
		counted = tprof_unseen_ledger(ledger, run, tprof_object.wake_event);
		tprof_unseen_add(counted, &counted->lost.engine_missed, since.blocked, 0);
	}
}

/*
 * The thread came to run unseen, as long before @now as it ran since, which the scheduler has counted. Returns the rest
 * of its wait, which began at @from.
 */
static __always_inline __u64 tprof_unseen_return(struct tprof_wait_state *state, __u64 from, __u64 ran, __u64 now)
{
	if (from >= now)
		return 0;
	if (ran > now - from)
		ran = now - from;
	if (tprof_object.run_event)
		tprof_exchange(&state->on_ns, now - ran);
	return now - from - ran;
}

/* The thread came to run seen. Returns how long it was off the CPU since then; of one that has not left, 0. */
static __always_inline __u64 tprof_unseen_away(struct tprof_wait_state *state, __u32 left, __u64 ran, __u64 now)
{
	__u64 on = state->wait.sample.time_ns;

	if (tprof_object.run_event)
		return tprof_run_shorten(state, ran, now, left > 1);
	return left > 1 && now > on && now - on > ran ? now - on - ran : 0;
}

/*
 * The current thread leaves the CPU at @now. Counts what was not seen of it before. Returns the time that becomes part
 * of the wait that begins.
 */
static __always_inline __u64 tprof_unseen_over(struct tprof_wait_state *state, __u64 now, int blocked,
					       struct tprof_cpu_ledger *ledger, const struct tprof_run *run)
{
	__u64 exec = tprof_kernel_member(__u64, tprof_current_task(), layouts.task_exec_runtime);
	__u64 from = tprof_exchange(&state->from_ns, 0), ran = exec - state->exec_ns, ns;
	struct tprof_unseen since = tprof_unseen_read(state);
	__u32 waits = since.left;

	state->exec_ns = exec;
	ns = from ? tprof_unseen_return(state, from, ran, now) : tprof_unseen_away(state, since.left, ran, now);
	/* The wait that was over when it came to run, seen, was a sample. */
	if (!from && waits)
		waits--;
	if (tprof_wait_mode(ledger) != TPROF_WAIT_COUNT || !since.left)
		return ns;
	tprof_unseen_others(state, since, blocked, ledger, run);
	return tprof_unseen_waits(waits, ns, run->ledger);
}

#endif
