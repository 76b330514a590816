// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The ledger: names, sums, and the check that it closes. */
#include "ledger.h"

#include <errno.h>
#include <math.h>

#include "base/sized.h"

#define NAME(NAME_, name, text) #name,
#define TEXT(NAME_, name, text) text,

static const char *const outcome_names[] = { TPROF_OUTCOMES(NAME) };
static const char *const lost_names[] = { TPROF_LOST_REASONS(NAME) };
static const char *const lost_texts[] = { TPROF_LOST_REASONS(TEXT) };
static const char *const counting_names[] = { TPROF_COUNTINGS(NAME) };

const char *tprof_outcome__name(enum tprof_outcome outcome)
{
	return (unsigned int)outcome < TPROF_NR_OUTCOMES ? outcome_names[outcome] : NULL;
}

const char *tprof_lost_reason__name(enum tprof_lost_reason reason)
{
	return (unsigned int)reason < TPROF_NR_LOST_REASONS ? lost_names[reason] : NULL;
}

const char *tprof_lost_reason__text(enum tprof_lost_reason reason)
{
	return (unsigned int)reason < TPROF_NR_LOST_REASONS ? lost_texts[reason] : NULL;
}

const char *tprof_counting__name(enum tprof_counting counting)
{
	return (unsigned int)counting < TPROF_NR_COUNTINGS ? counting_names[counting] : NULL;
}

/* @sign is 1 or -1. Unsigned arithmetic wraps around, so adding -1 times a value subtracts it. */
static void combine(struct tprof_tally *into, const struct tprof_tally *from, size_t nr, uint64_t sign)
{
	for (size_t i = 0; i < nr; i++) {
		into[i].samples += sign * from[i].samples;
		into[i].weight += sign * from[i].weight;
	}
}

static void combine_all(struct tprof_ledger *into, const struct tprof_ledger *from, int64_t sign)
{
	combine(&into->fired, &from->fired, 1, (uint64_t)sign);
	combine(into->outcomes, from->outcomes, TPROF_NR_OUTCOMES, (uint64_t)sign);
	combine(into->lost, from->lost, TPROF_NR_LOST_REASONS, (uint64_t)sign);
	combine(into->countings, from->countings, TPROF_NR_COUNTINGS, (uint64_t)sign);
	combine(&into->idle, &from->idle, 1, (uint64_t)sign);
	combine(&into->not_in_file, &from->not_in_file, 1, (uint64_t)sign);
	combine(&into->unnamed_sideband_lost, &from->unnamed_sideband_lost, 1, (uint64_t)sign);
	into->counter += (double)sign * from->counter;
	into->sideband_lost += (uint64_t)sign * from->sideband_lost;
	into->enabled_ns += (uint64_t)sign * from->enabled_ns;
	into->running_ns += (uint64_t)sign * from->running_ns;
}

void ledger_add_tallies(struct tprof_tally *into, const struct tprof_tally *from, size_t nr)
{
	combine(into, from, nr, 1);
}

void ledger_add_programs(struct tprof_ledger *into, const struct tprof_program_ledger *counted)
{
	combine(&into->fired, &counted->fired, 1, 1);
	combine(into->outcomes, TPROF_TALLY_AT(&counted->outcomes, 0), TPROF_NR_OUTCOMES, 1);
	combine(into->lost, TPROF_TALLY_AT(&counted->lost, 0), TPROF_NR_LOST_REASONS, 1);
	combine(into->countings, TPROF_TALLY_AT(&counted->countings, 0), TPROF_NR_COUNTINGS, 1);
	combine(&into->idle, &counted->idle, 1, 1);
}

void program_ledger_add(struct tprof_program_ledger *into, const struct tprof_program_ledger *from)
{
	combine(&into->fired, &from->fired, 1, 1);
	combine(TPROF_TALLY_AT(&into->outcomes, 0), TPROF_TALLY_AT(&from->outcomes, 0), TPROF_NR_OUTCOMES, 1);
	combine(TPROF_TALLY_AT(&into->lost, 0), TPROF_TALLY_AT(&from->lost, 0), TPROF_NR_LOST_REASONS, 1);
	combine(TPROF_TALLY_AT(&into->countings, 0), TPROF_TALLY_AT(&from->countings, 0), TPROF_NR_COUNTINGS, 1);
	combine(&into->idle, &from->idle, 1, 1);
}

static bool closes(const struct tprof_program_ledger *counted)
{
	struct tprof_ledger ledger = { 0 };
	struct tprof_tally left;

	ledger_add_programs(&ledger, counted);
	left = ledger_difference(&ledger);
	return !left.samples && !left.weight;
}

/* Sum over both generations, which never decreases. */
static uint64_t fired_on(const struct tprof_cpu_ledger *cpu, size_t event, int order)
{
	return __atomic_load_n(&cpu->generations[0][event].fired.samples, order) +
	       __atomic_load_n(&cpu->generations[1][event].fired.samples, order);
}

bool ledger_copy_cpu(const struct tprof_cpu_ledger *from, size_t event, struct tprof_program_ledger *sum)
{
	/* A try takes about 0.1 us, so all of them take longer than a filter runs. */
	int tries = 20000;
	bool whole;

	do {
		uint64_t fired = fired_on(from, event, __ATOMIC_ACQUIRE);

		*sum = from->generations[0][event];
		program_ledger_add(sum, &from->generations[1][event]);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		/* A program counts a sample as fired first, and its outcome last. */
		whole = closes(sum) && fired_on(from, event, __ATOMIC_RELAXED) == fired;
	} while (!whole && --tries);
	return whole;
}

void ledger_add_missing(struct tprof_ledger *into, enum tprof_lost_reason reason, const struct tprof_tally *missing)
{
	combine(&into->lost[reason], missing, 1, 1);
	combine(&into->fired, missing, 1, 1);
}

/* 65,536 counters of 64 bits. */
bool ledger_can_have(double counter)
{
	return fabs(counter) < 0x1p80;
}

static bool can_add(const struct tprof_tally *into, const struct tprof_tally *from, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (into[i].samples > UINT64_MAX - from[i].samples || into[i].weight > UINT64_MAX - from[i].weight)
			return false;
	}
	return true;
}

bool ledger_can_add(const struct tprof_ledger *into, const struct tprof_ledger *from)
{
	return can_add(&into->fired, &from->fired, 1) && can_add(into->outcomes, from->outcomes, TPROF_NR_OUTCOMES) &&
	       can_add(into->lost, from->lost, TPROF_NR_LOST_REASONS) &&
	       can_add(into->countings, from->countings, TPROF_NR_COUNTINGS) && can_add(&into->idle, &from->idle, 1) &&
	       can_add(&into->not_in_file, &from->not_in_file, 1) && ledger_can_have(into->counter + from->counter) &&
	       into->sideband_lost <= UINT64_MAX - from->sideband_lost &&
	       into->enabled_ns <= UINT64_MAX - from->enabled_ns && into->running_ns <= UINT64_MAX - from->running_ns;
}

void ledger_add(struct tprof_ledger *into, const struct tprof_ledger *from)
{
	combine_all(into, from, 1);
}

void ledger_subtract(struct tprof_ledger *from, const struct tprof_ledger *what)
{
	combine_all(from, what, -1);
}

struct tprof_tally tprof_ledger__lost(const struct tprof_ledger *theirs)
{
	struct tprof_tally lost = { 0, 0 };
	struct tprof_ledger taken, *ledger = &taken;

	if (sized_take(ledger, sizeof(*ledger), theirs) == -EINVAL)
		return lost;

	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++) {
		if (i == TPROF_LOST_IDLE_MISSED)
			continue;
		lost.samples += ledger->lost[i].samples;
		lost.weight += ledger->lost[i].weight;
	}
	return lost;
}

double tprof_ledger__counted(const struct tprof_ledger *theirs)
{
	struct tprof_ledger taken, *ledger = &taken;

	if (sized_take(ledger, sizeof(*ledger), theirs) == -EINVAL || ledger->running_ns >= ledger->enabled_ns)
		return 1;
	return (double)ledger->running_ns / (double)ledger->enabled_ns;
}

struct tprof_tally ledger_difference(const struct tprof_ledger *ledger)
{
	struct tprof_tally left = ledger->fired;

	for (int i = 0; i < TPROF_NR_OUTCOMES; i++) {
		left.samples -= ledger->outcomes[i].samples;
		left.weight -= ledger->outcomes[i].weight;
	}
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++) {
		left.samples -= ledger->lost[i].samples;
		left.weight -= ledger->lost[i].weight;
	}
	return left;
}

struct tprof_tally tprof_ledger__difference(const struct tprof_ledger *ledger)
{
	struct tprof_ledger taken;

	/* A ledger without a size never closes. */
	if (sized_take(&taken, sizeof(taken), ledger) == -EINVAL)
		return (struct tprof_tally){ UINT64_MAX, UINT64_MAX };
	return ledger_difference(&taken);
}
