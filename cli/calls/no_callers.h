/* SPDX-License-Identifier: GPL-2.0-only */
/* Call stacks by frame pointers that lack callers, because the code was built without frame pointers. */
#ifndef TPROF_NO_CALLERS_H
#define TPROF_NO_CALLERS_H

#include "tprof.h"

/* Percentage of the weight of the call stacks with user code that lack callers in user code; 0 if there are none. */
double no_callers_percent(const struct tprof_profile *profile);

#endif
