/* SPDX-License-Identifier: GPL-2.0-only */
/* Summary figures of a ledger. */
#ifndef TPROF_CLI_LEDGER_H
#define TPROF_CLI_LEDGER_H

#include "tprof.h"

/* Samples missing from the result: lost, or not counted in the tables of the filter. */
uint64_t ledger_missing(const struct tprof_ledger *ledger);
/* Samples that the filters handled (done or kept). */
uint64_t ledger_handled(const struct tprof_ledger *ledger);
/* The idle share of the total CPU time, in scope or not, 0 to 100. */
double ledger_idle_percent(const struct tprof_ledger *ledger);

/* The loss, as a share of the samples in scope. */
struct tprof_loss ledger_loss(const struct tprof_ledger *ledger);
/* Prints a warning on stderr if the loss is significant. @of: the file name to print with it, or NULL. */
void ledger_warn(const struct tprof_ledger *ledger, const char *of);

/* Prints the ledger as one line on stderr. 0, or the exit code after reporting an error. */
int ledger_print(struct tprof_session *session, uint64_t duration_ns);

#endif
