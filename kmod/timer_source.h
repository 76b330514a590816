/* SPDX-License-Identifier: GPL-2.0-only */
/* Source "timer": a timer for each CPU. */
#ifndef _TPROF_TIMER_SOURCE_H
#define _TPROF_TIMER_SOURCE_H

#include "tprof_source.h"

extern const struct tprof_source_ops tprof_source_timer;

/* Errors: EOPNOTSUPP. */
int tprof_source_timer_init(void);
void tprof_source_timer_exit(void);

#endif
