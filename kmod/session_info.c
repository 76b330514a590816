// SPDX-License-Identifier: GPL-2.0-only
/* Information about a session: ledger, counts, filters, fdinfo. */
#include <linux/nospec.h>
#include <linux/seq_file.h>

#include "session.h"
#include "session_info.h"

/* Tests for a possible CPU, or -1 for all CPUs. */
static bool is_cpu(s32 cpu)
{
	return cpu == -1 || (cpu >= 0 && cpu < nr_cpu_ids && cpu_possible(cpu));
}

/* Adds the ledger of one CPU: of event @wanted - 1, or of all if @wanted is 0. */
static void add_ledger(struct tprof_session *session, unsigned int cpu, u32 wanted, struct tprof_ledger_read *sum)
{
	const struct tprof_percpu_ledger *ledger = &per_cpu_ptr(session->cpu, cpu)->ledger;
	unsigned int i;

	for (i = 0; i < session->nr_events; i++) {
		if (!wanted || i == wanted - 1)
			tprof_ledger_sum(ledger, i, sum);
	}
}

int tprof_session_ledger(struct tprof_session *session, struct tprof_ledger_read *ledger)
{
	struct tprof_ledger_read sum = {
		.size = ledger->size, .cpu = ledger->cpu, .epoch = session->epoch, .event = ledger->event,
	};
	unsigned int cpu;

	if (ledger->pad || ledger->pad2 || !is_cpu(ledger->cpu))
		return -EINVAL;
	if (ledger->event > session->nr_events)
		return -ENOENT;
	for_each_possible_cpu(cpu) {
		if (ledger->cpu == -1 || cpu == ledger->cpu)
			add_ledger(session, cpu, ledger->event, &sum);
	}
	*ledger = sum;
	return 0;
}

int tprof_session_counts(struct tprof_session *session, struct tprof_counts *counts)
{
	struct tprof_subscription *sub;
	struct tprof_source_count count;

	if (counts->pad || counts->pad2 || !is_cpu(counts->cpu))
		return -EINVAL;
	if (counts->event >= session->nr_events)
		return -ENOENT;
	sub = &session->events[array_index_nospec(counts->event, TPROF_MAX_EVENTS)];
	tprof_subscription_read(sub, counts->cpu, &count);
	counts->value = count.value;
	counts->enabled_ns = count.enabled_ns;
	counts->running_ns = count.running_ns;
	counts->period_factor = READ_ONCE(sub->period_factor) ?: 1;
	return 0;
}

static struct tprof_filters *filters_of(struct tprof_session *session)
{
	return rcu_dereference_protected(session->filters, lockdep_is_held(&session->mutex));
}

int tprof_session_info(struct tprof_session *session, struct tprof_session_info *info)
{
	if (info->pad)
		return -EINVAL;
	*info = (struct tprof_session_info){
		.size = info->size,
		.state = session->state,
		.id = session->id,
		.epoch = session->epoch,
		.nr_events = session->nr_events,
		.nr_filters = filters_of(session)->nr,
		.stream_bytes = session->streams.bytes,
		.stream_cpus = session->streams.bytes ? num_possible_cpus() : 0,
	};
	return 0;
}

int tprof_session_filter(struct tprof_session *session, struct tprof_filter_info *info)
{
	const struct tprof_filters *filters = filters_of(session);

	if (info->index >= filters->nr)
		return -ENOENT;
	*info = (struct tprof_filter_info){ .size = info->size, .index = info->index };
	tprof_filter_read(filters->list[array_index_nospec(info->index, filters->nr)], info);
	return 0;
}

u64 tprof_session_memory(struct tprof_session *session)
{
	u64 each_cpu = sizeof(struct tprof_session_cpu);

	each_cpu += filters_of(session)->nr * sizeof(struct tprof_filter_cpu);
	each_cpu += 2 * session->nr_events * sizeof(struct tprof_source_count);
	each_cpu += session->streams.bytes;
	return sizeof(*session) + num_possible_cpus() * each_cpu;
}

static const char *const state_names[] = {
	[TPROF_SESSION_NEW] = "new",
	[TPROF_SESSION_RUNNING] = "running",
	[TPROF_SESSION_STOPPED] = "stopped",
};

const char *tprof_session_state_name(const struct tprof_session *session)
{
	return state_names[READ_ONCE(session->state)];
}

void tprof_session_fdinfo(struct tprof_session *session, struct seq_file *m)
{
	static const char *const outcomes[] = {
#define X(NAME, name, text) #name,
		TPROF_OUTCOMES(X)
#undef X
	};
	static const char *const lost[] = {
#define X(NAME, name, text) #name,
		TPROF_LOST_REASONS(X)
#undef X
	};
	struct tprof_ledger_read ledger = { .cpu = -1 };
	unsigned int i, factor = 1;

	mutex_lock(&session->mutex);
	tprof_session_ledger(session, &ledger);
	for (i = 0; i < session->nr_events; i++)
		factor = max(factor, READ_ONCE(session->events[i].period_factor));
	seq_printf(m, "tprof-session:\t%llu\ntprof-state:\t%s\n", session->id, tprof_session_state_name(session));
	seq_printf(m, "tprof-seals:\t0x%x\n", session->seals);
	seq_printf(m, "tprof-epoch:\t%u\ntprof-events:\t%u\ntprof-filters:\t%u\n", session->epoch, session->nr_events,
		   filters_of(session)->nr);
	mutex_unlock(&session->mutex);
	seq_printf(m, "tprof-period-factor:\t%u\n", factor);
	/* Children that are not followed appear nowhere else: their samples are out of scope. */
	seq_printf(m, "tprof-unfollowed:\t%ld\n", atomic_long_read(&session->scope.tasks.failed));
	seq_printf(m, "tprof-fired:\t%llu\t%llu\n", ledger.fired.samples, ledger.fired.weight);
	for (i = 0; i < TPROF_NR_OUTCOMES; i++)
		seq_printf(m, "tprof-%s:\t%llu\t%llu\n", outcomes[i], ledger.outcomes[i].samples,
			   ledger.outcomes[i].weight);
	for (i = 0; i < TPROF_NR_LOST_REASONS; i++)
		seq_printf(m, "tprof-lost-%s:\t%llu\t%llu\n", lost[i], ledger.lost[i].samples, ledger.lost[i].weight);
}
