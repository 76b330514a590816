/* SPDX-License-Identifier: GPL-2.0-only */
/* The first line of a view: what was sampled, and what was lost. */
#ifndef TPROF_HEAD_H
#define TPROF_HEAD_H

#include "tprof.h"

/*
 * It has to show engine, event, rate, samples and loss however narrow the terminal is: only the name of the event gives
 * way. Samples are those of @shown, which may be NULL; loss is that of the whole.
 */
void head_draw(const struct tprof_info *info, const struct tprof_ledger *shown, const struct tprof_ledger *whole);

#endif
