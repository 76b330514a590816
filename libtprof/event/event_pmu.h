/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Events of PMUs that sysfs describes: pmu/alias/ and pmu/term=value,.../. */
#ifndef TPROF_EVENT_PMU_H
#define TPROF_EVENT_PMU_H

#include "event.h"

/* Errors: ENOENT (no such PMU, alias or term), EINVAL (malformed), ERANGE (a value does not fit into its term). */
int event_pmu_parse(struct event *event, const char *name, struct tprof_error *error);

/* Stores a value in the bits that a sysfs format such as "config:0-7,32-35" names. Pure. Errors: EINVAL, ERANGE. */
int event_pmu_place(struct event *event, const char *format, uint64_t value);

/* The same for a term of a PMU, with a sentence in @error for each of the two errors. Pure. */
int event_pmu_place_term(struct event *event, const char *pmu, const char *term, const char *format, uint64_t value,
			 struct tprof_error *error);

#endif
