/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Sums and differences of ledgers. */
#ifndef TPROF_LEDGER_H
#define TPROF_LEDGER_H

#include "tprof.h"

void ledger_add(struct tprof_ledger *into, const struct tprof_ledger *from);
void ledger_subtract(struct tprof_ledger *from, const struct tprof_ledger *what);

#endif
