/* SPDX-License-Identifier: GPL-2.0-only */
/* The first line of a view: what was sampled, and what was lost. */
#ifndef TPROF_HEAD_H
#define TPROF_HEAD_H

#include "tprof.h"

/*
 * It has to show engine, event, rate, samples and loss however narrow the terminal is: only the name of the event gives
 * way. Samples and loss are those of one ledger, that of what is shown below; NULL: of nothing yet.
 */
void head_draw(const struct tprof_info *info, const struct tprof_ledger *ledger);

#endif
