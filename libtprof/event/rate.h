/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * From a rate to a period, the same for every engine. Pure arithmetic.
 *
 * The kernel's own frequency mode would change what a sample stands for without saying so. Here the period is fixed,
 * and is moved slowly towards the rate that was asked for.
 */
#ifndef TPROF_RATE_H
#define TPROF_RATE_H

#include <stdint.h>

#include "event.h"

/* The period to begin with: @period, if there is no rate. That of a clock is 0.6 % longer than what was asked for. */
uint64_t rate_first_period(const struct event *event, uint64_t rate_hz, uint64_t period);

/*
 * The period to go on with, where the event has come @events_per_s times a second on the busiest CPU.
 * Returns @period itself if it is near enough: each change costs a part of a period on each CPU.
 */
uint64_t rate_next_period(uint64_t period, uint64_t rate_hz, double events_per_s);

#endif
