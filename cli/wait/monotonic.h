/* SPDX-License-Identifier: GPL-2.0-only */
/* CLOCK_MONOTONIC, the clock of all timers of the command. */
#ifndef TPROF_MONOTONIC_H
#define TPROF_MONOTONIC_H

#include <stdint.h>

uint64_t monotonic_ns(void);

#endif
