// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delivers samples to the sessions that subscribe to their source.
 *
 * Runs with interrupts disabled and never in NMI; at most one delivery at a time on each CPU (tprof_delivery.running).
 */
#include <linux/percpu.h>
#include <linux/rcupdate.h>

#include "clock.h"
#include "deliver.h"
#include "filter_run.h"
#include "session.h"
#include "source.h"
#include "throttle.h"

#define MEASURED_BITS	((TPROF_MEASURED_EVERY - 1) << 6)

DEFINE_PER_CPU(struct tprof_delivery, tprof_delivery);

/*
 * Adds @weight to the weight that the session has not been given yet (@carry), and takes off what is delivered now:
 * a whole multiple of the session's period, so that each unit of the event has the same chance to be sampled. Returns
 * the weight to deliver; 0: the sample is skipped (decimated).
 */
static __always_inline u64 take_weight(s64 *carry, u64 weight, u64 period)
{
	s64 over;

	/* The common case: the source fires with the session's period, and the carry does not change. */
	if (likely(weight == period && (u64)*carry < period))
		return period;
	over = *carry + weight - period;
	if (over < 0) {
		*carry = over + period;
		return 0;
	}
	if (over < (s64)period) {
		*carry = over;
		return period;
	}
	*carry = (u64)over % period;
	return over + period - *carry;
}

/* Sets the ids in the session's pid namespace. */
static void localize(struct tprof_capture *c, const struct tprof_session *session)
{
	struct tprof_sample *s = &c->sample;

	/* An interrupt is no task, and has no ids. */
	if ((s->flags & TPROF_SAMPLE_WAKEUP) && !s->tid)
		return;
	s->ns_tgid = session->pidns ? task_tgid_nr_ns(c->task, session->pidns) : s->tgid;
	s->ns_tid = session->pidns ? task_pid_nr_ns(c->task, session->pidns) : s->tid;
}

/* A wake-up is in scope if the woken thread is. */
static noinline bool has_woken(const struct tprof_session *session, const struct tprof_capture *c)
{
	const struct tprof_wakeup *wakeup = &c->wakeup;
	struct tprof_sample woken = {
		.flags = wakeup->sample.flags, .tgid = wakeup->woken_tgid, .tid = wakeup->woken_tid,
	};

	memcpy(woken.comm, wakeup->woken_comm, sizeof(woken.comm));
	return tprof_scope_has(session, &woken, c->woken);
}

static bool in_scope(const struct tprof_session *session, const struct tprof_capture *c)
{
	bool has;

	if (!READ_ONCE(session->scoped))
		return true;
	rcu_read_lock();
	has = c->sample.flags & TPROF_SAMPLE_WAKEUP ? has_woken(session, c) :
						      tprof_scope_has(session, &c->sample, c->task);
	rcu_read_unlock();
	return has;
}

/* Handles a sample that was not decimated. Returns its ledger slot. */
static unsigned int deliver_taken(struct tprof_session *session, struct tprof_capture *c)
{
	unsigned int slot;

	if (!in_scope(session, c))
		return TPROF_OUTCOME_OUT_OF_SCOPE;
	if ((session->flags & TPROF_CONFIG_STALL) && !tprof_stream_has_space(session, &c->sample))
		return TPROF_SLOT_LOST(TPROF_LOST_STREAM_FULL);
	localize(c, session);
	tprof_capture_restart(c);
	slot = c->sample.flags & (TPROF_SAMPLE_WAIT | TPROF_SAMPLE_WAKEUP) ? filters_run_wait(session, c) :
									    filters_run(session, c);
	c->sample.ns_tgid = c->sample.tgid;
	c->sample.ns_tid = c->sample.tid;
	return slot;
}

/*
 * Slow path: for sessions with a scope, CPU mask, pid namespace or STALL, and for all sessions if the sample is of the
 * idle task, a wait or a wake-up.
 */
static noinline void deliver_chosen(struct tprof_subscription *sub, struct tprof_capture *c, u64 weight)
{
	struct tprof_session *session = sub->session;
	bool idle = c->sample.flags & TPROF_SAMPLE_IDLE;
	unsigned int slot = TPROF_OUTCOME_DECIMATED;
	struct tprof_session_cpu *cpu;
	u64 taken;

	if (!session->all_cpus && !cpumask_test_cpu(c->sample.cpu, session->cpus))
		return;
	cpu = this_cpu_ptr(session->cpu);
	taken = take_weight(&cpu->carry[sub->index], weight, READ_ONCE(sub->period));
	if (taken) {
		c->sample.weight = taken;
		c->sample.event = sub->index;
		slot = deliver_taken(session, c);
	} else if (tprof_carry_is_outside(cpu->carry[sub->index])) {
		return;
	}
	tprof_ledger_add(&cpu->ledger, sub->index, slot, 1, taken, idle && taken);
	tprof_capture_restart(c);
}

/*
 * Fast path: for sessions that take all samples (tprof_session.plain), if the sample is not of the idle task, no wait
 * and no wake-up. The common ledger slots are compile-time constants.
 */
static __always_inline void deliver_plain(const struct tprof_subscription *sub, struct tprof_capture *c, u64 weight)
{
	struct tprof_session *session = sub->session;
	struct tprof_session_cpu *cpu = this_cpu_ptr(session->cpu);
	const u32 index = sub->index;
	u64 taken = take_weight(&cpu->carry[index], weight, READ_ONCE(sub->period));
	unsigned int slot;

	if (unlikely(!taken)) {
		if (!tprof_carry_is_outside(cpu->carry[index]))
			tprof_ledger_add(&cpu->ledger, index, TPROF_OUTCOME_DECIMATED, 1, 0, false);
		tprof_capture_restart(c);
		return;
	}
	c->sample.weight = taken;
	c->sample.event = index;
	slot = filters_run(session, c);
	if (likely(slot == TPROF_OUTCOME_DONE))
		tprof_ledger_add(&cpu->ledger, index, TPROF_OUTCOME_DONE, 1, taken, false);
	else
		tprof_ledger_add(&cpu->ledger, index, slot, 1, taken, false);
}

static __always_inline void deliver_to_all(const struct tprof_subscribers *subscribers, struct tprof_capture *c)
{
	struct tprof_subscription *const *at = subscribers->list;
	struct tprof_subscription *const *end = at + subscribers->nr;
	u64 weight = c->sample.weight;

	if (unlikely(c->sample.flags & (TPROF_SAMPLE_IDLE | TPROF_SAMPLE_WAIT | TPROF_SAMPLE_WAKEUP))) {
		for (; at < end; at++)
			deliver_chosen(*at, c, weight);
		return;
	}
	for (; at < end; at++) {
		if (likely(READ_ONCE((*at)->session->plain)))
			deliver_plain(*at, c, weight);
		else
			deliver_chosen(*at, c, weight);
	}
}

/*
 * Every call of a BPF program takes rcu_read_lock() and migrate_disable(). Both cost less when nested, which pays off
 * from five subscribers on.
 */
static noinline void deliver_to_many(const struct tprof_subscribers *subscribers, struct tprof_capture *c)
{
	rcu_read_lock();
	migrate_disable();
	deliver_to_all(subscribers, c);
	migrate_enable();
	rcu_read_unlock();
}

/* Run time so far on this CPU of the filters of all subscribers. */
static u64 run_of_filters(const struct tprof_subscribers *subscribers)
{
	unsigned int i, j;
	u64 run = 0;

	for (i = 0; i < subscribers->nr; i++) {
		const struct tprof_filters *filters = rcu_dereference_sched(subscribers->list[i]->session->filters);

		for (j = 0; j < filters->nr; j++)
			run += this_cpu_ptr(filters->list[j]->cpu)->run;
	}
	return run;
}

/* The array of filters of a session may change meanwhile, so a difference that is too large is not believed. */
static noinline void deliver_measured(struct tprof_source *source, const struct tprof_subscribers *subscribers,
				      struct tprof_capture *c)
{
	struct tprof_source_cpu *source_cpu = this_cpu_ptr(source->cpu);
	u64 run = run_of_filters(subscribers), began = tprof_capture_restart(c), took, overhead;

	deliver_to_many(subscribers, c);
	took = tprof_clock() - began;
	run = run_of_filters(subscribers) - run;
	overhead = took > run ? took - run : 0;
	source_cpu->delivery += TPROF_MEASURED_EVERY * overhead;
	tprof_throttle_measured(source_cpu, overhead, began + took);
}

/*
 * The weight of a source is its counter if it has no other one. Added after the ledgers, so that a counter that is read
 * before a ledger has no weight that no sample has.
 */
static __always_inline void add_weight(struct tprof_source_cpu *source_cpu, u64 weight)
{
	smp_store_release(&source_cpu->weight, source_cpu->weight + weight);
}

void tprof_deliver(struct tprof_source *source, struct tprof_capture *c)
{
	struct tprof_source_cpu *source_cpu = this_cpu_ptr(source->cpu);
	const u64 weight = c->sample.weight;
	const struct tprof_subscribers *subscribers;

	lockdep_assert_irqs_disabled();
	__this_cpu_write(tprof_delivery.running, c);
	source_cpu->fired++;
	/* Interrupts disabled: an RCU read-side critical section that protects subscribers, sessions and filters. */
	subscribers = rcu_dereference_sched(source->subscribers);
	if (unlikely(!(tprof_capture_restart(c) & MEASURED_BITS)))
		deliver_measured(source, subscribers, c);
	else if (subscribers->nr > 4)
		deliver_to_many(subscribers, c);
	else
		deliver_to_all(subscribers, c);
	add_weight(source_cpu, weight);
	__this_cpu_write(tprof_delivery.running, NULL);
	if (unlikely(__this_cpu_read(tprof_delivery.missed)))
		tprof_deliver_missed();
}

static const unsigned int missed_slots[TPROF_NR_MISSED] = {
	[TPROF_MISSED_STAGING] = TPROF_SLOT_LOST(TPROF_LOST_STAGING_FULL),
	[TPROF_MISSED_REENTRY] = TPROF_SLOT_LOST(TPROF_LOST_REENTRY),
	[TPROF_MISSED_REGS] = TPROF_SLOT_LOST(TPROF_LOST_ENGINE_MISSED),
	[TPROF_MISSED_BELOW_MIN] = TPROF_OUTCOME_BELOW_MIN,
	[TPROF_MISSED_OUT_OF_SCOPE] = TPROF_OUTCOME_OUT_OF_SCOPE,
	[TPROF_MISSED_THREADS] = TPROF_SLOT_LOST(TPROF_LOST_THREADS_FULL),
};

/*
 * Counts samples that the source has missed in the ledger of a subscription. A session with a longer period would have
 * taken only some of them: so many are lost, and the others decimated. Where not even their weight is known, each
 * counts.
 */
static void count_missed(struct tprof_subscription *sub, unsigned int slot, unsigned long samples, u64 weight)
{
	struct tprof_session_cpu *cpu = this_cpu_ptr(sub->session->cpu);
	u64 period = READ_ONCE(sub->period);
	u64 taken = take_weight(&cpu->carry[sub->index], weight, period);
	u64 lost = weight ? min(div64_u64(taken, period), samples) : samples;

	if (tprof_carry_is_outside(cpu->carry[sub->index]))
		return;
	tprof_ledger_add(&cpu->ledger, sub->index, slot, lost, taken, false);
	if (samples > lost)
		tprof_ledger_add(&cpu->ledger, sub->index, TPROF_OUTCOME_DECIMATED, samples - lost, 0, false);
}

static void deliver_missed(struct tprof_source *source, enum tprof_missed_reason reason)
{
	struct tprof_source_cpu *source_cpu = this_cpu_ptr(source->cpu);
	struct tprof_missed *missed = &source_cpu->missed[reason];
	const struct tprof_subscribers *subscribers = rcu_dereference(source->subscribers);
	unsigned long samples = local_xchg(&missed->samples, 0);
	unsigned long weight = local_xchg(&missed->weight, 0);
	unsigned int i, cpu_id = raw_smp_processor_id();

	if (!samples && !weight)
		return;
	source_cpu->fired += samples;
	for (i = 0; i < subscribers->nr; i++) {
		struct tprof_subscription *sub = subscribers->list[i];

		if (sub->session->all_cpus || cpumask_test_cpu(cpu_id, sub->session->cpus))
			count_missed(sub, missed_slots[reason], samples, weight);
	}
	add_weight(source_cpu, weight);
}

void tprof_deliver_missed(void)
{
	struct tprof_source *source;
	int reason;

	if (!__this_cpu_read(tprof_delivery.missed))
		return;
	__this_cpu_write(tprof_delivery.missed, false);
	barrier();
	rcu_read_lock();
	list_for_each_entry_rcu(source, &tprof_sources, list) {
		for (reason = 0; reason < TPROF_NR_MISSED; reason++)
			deliver_missed(source, reason);
	}
	rcu_read_unlock();
}
