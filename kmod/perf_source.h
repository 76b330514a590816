/* SPDX-License-Identifier: GPL-2.0-only */
/* Source "perf": events of perf. */
#ifndef _TPROF_PERF_SOURCE_H
#define _TPROF_PERF_SOURCE_H

#include "tprof_source.h"

extern const struct tprof_source_ops tprof_source_perf;

/* Errors: ENOMEM. */
int tprof_source_perf_init(void);
void tprof_source_perf_exit(void);

#endif
