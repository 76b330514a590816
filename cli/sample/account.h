/* SPDX-License-Identifier: GPL-2.0-only */
/* What a ledger says at a glance. */
#ifndef TPROF_ACCOUNT_H
#define TPROF_ACCOUNT_H

#include "tprof.h"

/* Samples that are missing in the answer: lost, or not counted by the filter's tables. */
uint64_t account_missing(const struct tprof_ledger *ledger);
/* Samples that reached the filters. */
uint64_t account_handled(const struct tprof_ledger *ledger);
/* Share of all the time of the CPUs, in scope or not, that they were idle, 0 to 100. */
double account_idle_percent(const struct tprof_ledger *ledger);

/* The loss: a share of the samples in scope. */
struct tprof_loss account_loss(const struct tprof_ledger *ledger);
/* On stderr, if that is enough to bend the answer; @of: the file that it is about, or NULL. */
void account_warn(const struct tprof_ledger *ledger, const char *of);

/* The account in a line on stderr: what became of the samples. 0, or the exit code after having said why. */
int account_say(struct tprof_session *session, uint64_t duration_ns);

#endif
