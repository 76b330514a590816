/* SPDX-License-Identifier: GPL-2.0-only */
/* Summary figures of a ledger. */
#ifndef TPROF_ACCOUNT_H
#define TPROF_ACCOUNT_H

#include "tprof.h"

/* Samples missing from the result: lost, or not counted in the tables of the filter. */
uint64_t account_missing(const struct tprof_ledger *ledger);
/* Samples that the filters handled (done or kept). */
uint64_t account_handled(const struct tprof_ledger *ledger);
/* The idle share of the total CPU time, in scope or not, 0 to 100. */
double account_idle_percent(const struct tprof_ledger *ledger);

/* The loss, as a share of the samples in scope. */
struct tprof_loss account_loss(const struct tprof_ledger *ledger);
/* Prints a warning on stderr if the loss is significant. @of: the file name to print with it, or NULL. */
void account_warn(const struct tprof_ledger *ledger, const char *of);

/* Prints the ledger as one line on stderr. 0, or the exit code after reporting an error. */
int account_say(struct tprof_session *session, uint64_t duration_ns);

#endif
