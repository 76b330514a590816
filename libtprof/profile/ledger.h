/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Sums and differences of ledgers. */
#ifndef TPROF_LEDGER_H
#define TPROF_LEDGER_H

#include <stdbool.h>

#include "tprof.h"
#include "tprof/object.h"

/* Adds @nr tallies, element by element. */
void ledger_add_tallies(struct tprof_tally *into, const struct tprof_tally *from, size_t nr);

/* Adds what the programs of a filter object have counted on one CPU. */
void ledger_add_programs(struct tprof_ledger *into, const struct tprof_program_ledger *counted);
void program_ledger_add(struct tprof_program_ledger *into, const struct tprof_program_ledger *from);
/*
 * Sums both generations of an event to a consistent state between two samples. The CPU may be in the middle of a
 * sample; false if it stays there for too long.
 */
bool ledger_copy_cpu(const struct tprof_cpu_ledger *from, size_t event, struct tprof_program_ledger *sum);
/* Adds samples that fired and that no program saw, as lost for that reason. */
void ledger_add_missing(struct tprof_ledger *into, enum tprof_lost_reason reason, const struct tprof_tally *missing);

/* False for a value that counters cannot have: not a number, or more than all of them can hold. */
bool ledger_can_have(double counter);

/* True if no sum overflows 64 bits. */
bool ledger_can_add(const struct tprof_ledger *into, const struct tprof_ledger *from);
void ledger_add(struct tprof_ledger *into, const struct tprof_ledger *from);
/* As tprof_ledger__difference(). */
struct tprof_tally ledger_difference(const struct tprof_ledger *ledger);
void ledger_subtract(struct tprof_ledger *from, const struct tprof_ledger *what);

#endif
