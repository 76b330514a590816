/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * In which modes events are counted. Counters of the hardware can leave out the kernel or user mode. Events that the
 * kernel itself counts are counted in all modes, unless a modifier of the event chooses: it would leave out the faults
 * of one mode, and all context switches.
 */
#ifndef TPROF_COUNT_MODES_H
#define TPROF_COUNT_MODES_H

#include <stdbool.h>

#include "event/event.h"

/* Does the kernel count it itself: clocks, faults, context switches, tracepoints? */
bool count_modes_are_all(const struct event *event);
/* Does it occur in the kernel only? A counter that leaves out the kernel would count 0. */
bool count_modes_is_kernel(const struct event *event);
/* Can it be counted in the modes that its modifiers choose? Errors: EINVAL. */
int count_modes_check(const struct event *event, struct tprof_error *error);

/*
 * May the kernel permit it if the kernel is left out (perf_event_paranoid)? Then clocks are still complete, and faults
 * are those of user mode.
 */
bool count_modes_may_help(const struct event *event, int err);

#endif
