/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Converts a rate to a period, for all engines. Pure arithmetic.
 *
 * The kernel's frequency mode would change the weight of a sample without reporting it. tprof uses a fixed period
 * instead and adjusts it slowly towards the requested rate.
 */
#ifndef TPROF_RATE_H
#define TPROF_RATE_H

#include <stdint.h>

#include "event.h"

/* The initial period; @period if @rate_hz is 0. For a clock it is 0.6 % longer than the exact value. */
uint64_t rate_first_period(const struct event *event, uint64_t rate_hz, uint64_t period);

/*
 * The next period, given that the event occurred @events_per_s times a second on the busiest CPU. Returns @period if
 * the rate is close enough: each change costs a part of a period on each CPU.
 */
uint64_t rate_next_period(uint64_t period, uint64_t rate_hz, double events_per_s);

#endif
