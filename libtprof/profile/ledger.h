/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Sums and differences of ledgers. */
#ifndef TPROF_LEDGER_H
#define TPROF_LEDGER_H

#include <stdbool.h>

#include "tprof.h"
#include "tprof/object.h"

/* @nr tallies, each to its own. */
void tally_add(struct tprof_tally *into, const struct tprof_tally *from, size_t nr);

/* What the programs of a filter object have booked on one CPU. */
void ledger_add_booked(struct tprof_ledger *into, const struct tprof_booked *booked);
void booked_add(struct tprof_booked *into, const struct tprof_booked *from);
/*
 * The sum of both generations as it was between two samples: the CPU goes on writing, and may be in the middle of one.
 * False if it stays there for too long.
 */
bool ledger_copy_cpu(const struct tprof_cpu_ledger *from, struct tprof_booked *sum);
/* Samples that fired and of which no program knows. */
void ledger_add_missing(struct tprof_ledger *into, enum tprof_lost_reason reason, const struct tprof_tally *missing);

/* Whether counters can have read that: a number, and no more than all of them hold. */
bool ledger_can_have(double counter);

/* Whether no sum is more than a number can hold. */
bool ledger_can_add(const struct tprof_ledger *into, const struct tprof_ledger *from);
void ledger_add(struct tprof_ledger *into, const struct tprof_ledger *from);
/* As tprof_ledger__difference(). */
struct tprof_tally ledger_difference(const struct tprof_ledger *ledger);
void ledger_subtract(struct tprof_ledger *from, const struct tprof_ledger *what);

#endif
