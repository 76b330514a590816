// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The loss: the share of the requested samples that is missing, with remedies. The only place that makes a sentence of
 * it.
 *
 * The share is of the samples in scope. Samples that were lost before their scope was tested are divided by estimate:
 * they are lost on busy CPUs, so the ratio is that of the busy samples known to be in scope or out of scope. Idle
 * samples that may be either count as out of scope, which makes the estimated part larger.
 *
 * A filter may count a sample several times, in calls that may fail: the loss is still one of samples.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sized.h"
#include "ledger.h"

/* Not reported below this: every machine loses a few samples, without effect on the result. */
#define SAID_ABOVE_PERCENT 1.0
/* Likewise for the share of the time in which the event was not counted. */
#define SAID_BELOW_SHARE 0.99
/* Only reasons that make up at least this part (1/N) of the loss are reported: fixing the others would not help. */
#define TOLD_PART 10

enum loss_kind {
	LOSS_SAMPLE,		/* in scope, by enum tprof_lost_reason */
	LOSS_SAMPLE_ANYWHERE,	/* lost before the scope was tested */
	LOSS_SWITCH,		/* a wait, a run or a wake-up, in scope: a context switch was not seen */
	LOSS_COUNTING,		/* a counting call, by enum tprof_counting */
	LOSS_IN_FILE,
};

static const struct loss_reason {
	enum loss_kind kind;
	int index;
	const char *mend;
} reasons[] = {
	{ LOSS_SAMPLE_ANYWHERE, TPROF_LOST_ENGINE_MISSED,
	  "use a lower rate: -F, or --engine kmod if tprof doctor names BPF programs" },
	{ LOSS_SWITCH, TPROF_LOST_ENGINE_MISSED,
	  "the kernel hides some context switches: each joins two waits, of which the time is counted" },
	{ LOSS_SAMPLE_ANYWHERE, TPROF_LOST_THROTTLED, "use a lower rate: -F" },
	{ LOSS_SAMPLE_ANYWHERE, TPROF_LOST_REENTRY, "use a lower rate: -F" },
	{ LOSS_SAMPLE_ANYWHERE, TPROF_LOST_STAGING_FULL, "use a lower rate: -F, or no call stacks" },
	{ LOSS_SAMPLE, TPROF_LOST_STREAM_FULL, "use a filter that keeps fewer samples, or a lower rate: -F" },
	{ LOSS_SAMPLE, TPROF_LOST_OVER_BUDGET, "use a faster filter, or a lower rate: -F" },
	{ LOSS_SAMPLE, TPROF_LOST_BAD_VERDICT, "use a filter that returns TPROF_DONE or TPROF_KEEP" },
	{ LOSS_SAMPLE, TPROF_LOST_THREADS_FULL,
	  "select fewer processes: -p, -G, or raise the memory limit of the cgroup of tprof" },
	{ LOSS_COUNTING, TPROF_COUNTING_TABLE_FULL,
	  "use larger tables: --table-entries; if stacks are copied, a lower rate: -F, or --call-graph fp" },
	{ LOSS_COUNTING, TPROF_COUNTING_TABLE_BUSY, "use a lower rate: -F" },
	{ LOSS_COUNTING, TPROF_COUNTING_NO_MEMORY, "use a smaller scope: -p, -G, or a lower rate: -F" },
	{ LOSS_IN_FILE, 0, "the recording was cut short or is damaged" },
};

#define NR_REASONS (sizeof(reasons) / sizeof(reasons[0]))

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Divides a number in the ratio of two others and returns the first part, rounded up. All of it if @other is 0. */
static uint64_t part_of(uint64_t number, uint64_t one, uint64_t other)
{
	double part;

	if (!other)
		return number;
	part = (double)number * (double)one / ((double)one + (double)other);
	return lesser(number, (uint64_t)part + (part > (double)(uint64_t)part));
}

static struct tprof_tally handled(const struct tprof_ledger *ledger)
{
	struct tprof_tally sum = ledger->outcomes[TPROF_OUTCOME_DONE];

	ledger_add_tallies(&sum, &ledger->outcomes[TPROF_OUTCOME_KEPT], 1);
	return sum;
}

/* Calls of the counting functions: a filter may count a sample several times, or not at all. */
static struct tprof_tally counting_calls(const struct tprof_ledger *ledger)
{
	struct tprof_tally calls = ledger->not_in_file;

	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		ledger_add_tallies(&calls, &ledger->countings[i], 1);
	return calls;
}

/* A few more counting calls than samples may be of samples of the interval before. */
static uint64_t with_those_before(uint64_t number)
{
	return number + number / 100;
}

/*
 * If samples were counted once, most calls that failed are those for their stacks: such samples were counted without
 * them. A filter that counts a sample several times has more counts than samples, unless most of them failed; or it
 * counts parts of its weight, as those of a wait, which are no more than the whole.
 */
static bool failed_for_stacks(const struct tprof_ledger *ledger)
{
	const struct tprof_tally *counted = &ledger->countings[TPROF_COUNTING_AGGREGATED];
	struct tprof_tally samples = handled(ledger), calls = counting_calls(ledger);

	if (calls.weight && calls.weight <= with_those_before(samples.weight))
		return false;
	return samples.samples && counted->samples >= samples.samples / 2 &&
	       counted->samples <= with_those_before(samples.samples);
}

/*
 * Of a filter that counts a sample several times, so many samples as the share of these calls in all of them. If no
 * sample is known, those of the interval before were counted.
 */
static uint64_t samples_of_calls(const struct tprof_ledger *ledger, uint64_t nr)
{
	uint64_t calls = counting_calls(ledger).samples, samples = handled(ledger).samples;

	return samples && calls > samples && !failed_for_stacks(ledger) ? part_of(nr, samples, calls - samples) : nr;
}

/* Firings of perf events have a weight. Waits, runs and wake-ups that were missed have none: others have their time. */
static bool is_of_switches(const struct tprof_tally *missed)
{
	return missed->samples && !missed->weight;
}

static bool is_lost(const struct loss_reason *reason)
{
	return reason->kind == LOSS_SAMPLE || reason->kind == LOSS_SAMPLE_ANYWHERE || reason->kind == LOSS_SWITCH;
}

/* Missing samples of one reason. */
static uint64_t missing_of(const struct tprof_ledger *ledger, const struct loss_reason *reason)
{
	uint64_t outside = ledger->outcomes[TPROF_OUTCOME_OUT_OF_SCOPE].samples;
	uint64_t idle_outside = lesser(outside, ledger->idle.samples), inside = handled(ledger).samples;
	uint64_t idle_inside = lesser(inside, ledger->idle.samples - idle_outside);

	switch (reason->kind) {
	case LOSS_SAMPLE:
		return ledger->lost[reason->index].samples;
	case LOSS_SWITCH:
		return is_of_switches(&ledger->lost[reason->index]) ? ledger->lost[reason->index].samples : 0;
	case LOSS_SAMPLE_ANYWHERE:
		if (reason->index == TPROF_LOST_ENGINE_MISSED && is_of_switches(&ledger->lost[reason->index]))
			return 0;
		for (size_t i = 0; i < NR_REASONS; i++)
			inside += reasons[i].kind == LOSS_SAMPLE ? ledger->lost[reasons[i].index].samples : 0;
		return part_of(ledger->lost[reason->index].samples, inside - idle_inside, outside - idle_outside);
	case LOSS_COUNTING:
		return samples_of_calls(ledger, ledger->countings[reason->index].samples);
	case LOSS_IN_FILE:
		return samples_of_calls(ledger, ledger->not_in_file.samples);
	}
	return 0;
}

static const char *name_of(const struct loss_reason *reason)
{
	if (reason->kind == LOSS_COUNTING)
		return tprof_counting__name(reason->index);
	return reason->kind == LOSS_IN_FILE ? "not_in_file" : tprof_lost_reason__name(reason->index);
}

__attribute__((format(printf, 2, 3))) static void say(struct tprof_loss *loss, const char *format, ...)
{
	size_t length = strlen(loss->text);
	va_list args;

	va_start(args, format);
	vsnprintf(loss->text + length, sizeof(loss->text) - length, format, args);
	va_end(args);
}

static void say_reasons(const struct tprof_ledger *ledger, struct tprof_loss *loss)
{
	const char *before = ": ";

	say(loss, "%.1f %% of the samples in scope are missing", loss->percent);
	for (size_t i = 0; i < NR_REASONS; i++) {
		uint64_t missing = missing_of(ledger, &reasons[i]);

		if (missing < loss->missing / TOLD_PART + !!(loss->missing % TOLD_PART))
			continue;
		/* A sample may lack both of its stacks. */
		say(loss, "%s%.1f %% %s (%s)", before,
		    100.0 * (double)lesser(missing, loss->missing) / (double)loss->in_scope, name_of(&reasons[i]),
		    reasons[i].mend);
		before = ", ";
	}
}

/* Weights are not scaled, because the event may have been more or less frequent while it was not counted. */
static void say_multiplexed(const struct tprof_ledger *ledger, struct tprof_loss *loss)
{
	double share = tprof_ledger__counted(ledger);

	if (share >= SAID_BELOW_SHARE)
		return;
	say(loss, "%scounted %.1f %% of the time: the CPU has fewer counters than events, and weights are not scaled",
	    loss->text[0] ? "; " : "", 100 * share);
	if (share > 0)
		say(loss, ", multiply them by %.2f for the whole time", 1 / share);
	say(loss, " (use fewer events at a time)");
}

void tprof_ledger__loss(const struct tprof_ledger *theirs, struct tprof_loss *loss)
{
	struct tprof_loss known = { 0 };
	struct tprof_ledger taken, *ledger = &taken;
	uint64_t lost = 0, failed = 0, samples;

	if (sized_take(ledger, sizeof(*ledger), theirs) == -EINVAL)
		*ledger = (struct tprof_ledger){ 0 };
	for (size_t i = 0; i < NR_REASONS; i++) {
		uint64_t missing = missing_of(ledger, &reasons[i]);

		if (is_lost(&reasons[i]))
			lost += missing;
		else
			failed += missing;
	}
	samples = handled(ledger).samples;
	if (!samples)
		samples = counting_calls(ledger).samples;
	known.in_scope = lost + samples;
	known.missing = lost + lesser(failed, samples);
	if (known.in_scope)
		known.percent = 100.0 * (double)known.missing / (double)known.in_scope;
	if (known.percent > SAID_ABOVE_PERCENT)
		say_reasons(ledger, &known);
	say_multiplexed(ledger, &known);
	sized_give(loss, &known, sizeof(known));
}
