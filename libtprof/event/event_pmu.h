/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Events of a PMU that describes itself in sysfs: pmu/alias/ and pmu/term=value,.../. */
#ifndef TPROF_EVENT_PMU_H
#define TPROF_EVENT_PMU_H

#include "event.h"

/* Errors: ENOENT (no such PMU, alias or term), EINVAL (cannot be parsed). */
int event_pmu_parse(struct event *event, const char *name, struct tprof_error *error);

/* Puts a value into the bits that a format such as "config:0-7,32-35" names; pure. Errors: EINVAL, ERANGE. */
int event_pmu_place(struct event *event, const char *format, uint64_t value);

#endif
