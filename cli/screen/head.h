/* SPDX-License-Identifier: GPL-2.0-only */
/* The first line of a view: event, rate, samples and loss. */
#ifndef TPROF_HEAD_H
#define TPROF_HEAD_H

#include "tprof.h"

/*
 * Draws engine, event, rate, samples and loss. On a narrow terminal, only the event name is truncated. @ledger: the
 * ledger of the data shown below the line; NULL: no data yet.
 */
void head_draw(const struct tprof_info *info, const struct tprof_ledger *ledger);

#endif
