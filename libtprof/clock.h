/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* CLOCK_MONOTONIC in nanoseconds: the clock of samples, side-band events and everything that is compared to them. */
#ifndef TPROF_CLOCK_H
#define TPROF_CLOCK_H

#include <stdint.h>

uint64_t clock_now_ns(void);

#endif
