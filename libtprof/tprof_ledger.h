/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The ledger: the outcome of every sample, and the loss. Included by tprof.h, which has the rules for all functions. */
#ifndef TPROF_TPROF_LEDGER_H
#define TPROF_TPROF_LEDGER_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Capacities of the arrays in struct tprof_ledger: adding an outcome or a reason does not move other members. */
#define TPROF_LEDGER_OUTCOMES		8
#define TPROF_LEDGER_LOST_REASONS	32
#define TPROF_LEDGER_COUNTINGS		8

/**
 * struct tprof_ledger - the ledger: the outcome of every sample
 * @sz:        set by the caller to sizeof(struct tprof_ledger)
 * @fired:     how often the event fired, according to the counters
 * @outcomes:  by enum tprof_outcome; 0 for outcomes that the library does not know
 * @lost:      by enum tprof_lost_reason; 0 for reasons that the library does not know
 * @countings: results of the filters' counting calls, by enum tprof_counting; 0 for those that the library does not
 *             know
 * @idle:      part of @fired, in scope or not: samples that were taken while the CPU was idle
 * @counter:   value of the counters divided by the period. Engine perf: @fired.samples without the throttled samples
 *             differs from it by less than one per CPU. Engine kmod: @fired.weight divided by the period differs from
 *             it by less than two per CPU; weight, because one sample may represent several periods (on idle CPUs)
 * @sideband_lost: lost side-band events (exec, mmap, fork, exit); names may be missing because of them
 * @not_in_file: samples that were counted, but are not in the raw recording that was read, because it was cut short or
 *             is damaged
 * @unnamed_sideband_lost: part of the aggregated samples: the process, or the code at the address, was unknown while
 *             side-band events were being lost
 * @enabled_ns: time in which the event was to be counted, summed over the counters; 0 if unknown, as for waits, and for
 *             files without it
 * @running_ns: part of @enabled_ns in which a counter counted it: less under multiplexing, when there are more events
 *             than counters. Samples and weights are not scaled
 *
 * At any time, in samples and in weight: fired = sum(outcomes) + sum(lost). If the session has several events, all
 * members are sums over the events, and weights have no unit; the equation holds for each event, too.
 */
struct tprof_ledger {
	size_t sz;
	struct tprof_tally fired;
	struct tprof_tally outcomes[TPROF_LEDGER_OUTCOMES];
	struct tprof_tally lost[TPROF_LEDGER_LOST_REASONS];
	struct tprof_tally countings[TPROF_LEDGER_COUNTINGS];
	struct tprof_tally idle;
	double counter;
	uint64_t sideband_lost;
	struct tprof_tally not_in_file;
	struct tprof_tally unnamed_sideband_lost;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

TPROF_ASSERT(TPROF_NR_OUTCOMES <= TPROF_LEDGER_OUTCOMES);
TPROF_ASSERT(TPROF_NR_LOST_REASONS <= TPROF_LEDGER_LOST_REASONS);
TPROF_ASSERT(TPROF_NR_COUNTINGS <= TPROF_LEDGER_COUNTINGS);

/** tprof_outcome__name() - returns the name of an outcome as in JSON, a static string; NULL if out of range */
TPROF_API const char *tprof_outcome__name(enum tprof_outcome outcome);
/** tprof_lost_reason__name() - returns the name of a reason as in JSON, a static string; NULL if out of range */
TPROF_API const char *tprof_lost_reason__name(enum tprof_lost_reason reason);
/** tprof_lost_reason__text() - returns the description of a reason, a static string; NULL if out of range */
TPROF_API const char *tprof_lost_reason__text(enum tprof_lost_reason reason);
/** tprof_counting__name() - returns the name of a counting result as in JSON, a static string; NULL if out of range */
TPROF_API const char *tprof_counting__name(enum tprof_counting counting);

/**
 * tprof_ledger__lost() - sum of the losses that affect the result
 * @ledger: a ledger
 *
 * The sum of all reasons except TPROF_LOST_IDLE_MISSED, which concerns samples of idle CPUs. 0 and 0 if @sz is not set.
 */
TPROF_API struct tprof_tally tprof_ledger__lost(const struct tprof_ledger *ledger);

/**
 * struct tprof_loss - how much of the requested data is missing
 * @sz:       set by the caller to sizeof(struct tprof_loss)
 * @missing:  samples in scope that were lost, were not counted, or lack a stack; of a filter that counts a sample more
 *            than once, the share of the calls that failed is missing in the samples
 * @in_scope: samples in scope, including the missing ones; tables have more if a filter counts a sample more than once
 * @percent:  @missing as a share of @in_scope, 0 to 100
 * @text:     above 1 %: a sentence without a full stop that says how much is missing, for which reasons, and which
 *            option helps; and one, after "; ", that says in which share of the time the event was counted, and by
 *            which factor to multiply weights for the whole time, if it was multiplexed for more than 1 % of the
 *            time. Otherwise empty
 *
 * Some samples are lost before the scope is tested. The number of them that were in scope is estimated, rounded up: the
 * ratio is that of the samples of busy CPUs whose scope is known.
 */
struct tprof_loss {
	size_t sz;
	uint64_t missing;
	uint64_t in_scope;
	double percent;
	char text[1024];
};

/**
 * tprof_ledger__loss() - compute how much of the requested data is missing
 * @ledger: of a session or a profile; read as all 0 if its @sz is not set
 * @loss:   filled; unchanged if its @sz is not set
 */
TPROF_API void tprof_ledger__loss(const struct tprof_ledger *ledger, struct tprof_loss *loss);

/**
 * tprof_ledger__counted() - the share of the time in which the event was counted, 0 to 1
 * @ledger: a ledger
 *
 * Less than 1 under multiplexing; a weight divided by it is an estimate for the whole time. 1 if the times are unknown.
 */
TPROF_API double tprof_ledger__counted(const struct tprof_ledger *ledger);

/**
 * tprof_ledger__difference() - check that a ledger closes: the result is always 0 and 0
 * @ledger: a ledger
 *
 * Returns fired - sum(outcomes) - sum(lost), as unsigned numbers; UINT64_MAX twice if @sz is not set. For tests.
 */
TPROF_API struct tprof_tally tprof_ledger__difference(const struct tprof_ledger *ledger);

/**
 * tprof_session__ledger() - the ledger since the start; exact if stopped, consistent at any time
 * @session: started, or stopped again
 * @ledger:  filled
 *
 * Errors: EINVAL (not started).
 */
TPROF_API int tprof_session__ledger(struct tprof_session *session, struct tprof_ledger *ledger);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_LEDGER_H */
