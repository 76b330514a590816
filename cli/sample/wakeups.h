/* SPDX-License-Identifier: GPL-2.0-only */
/* The option --wakeups: waits, and below each the call stack of its waker. For commands with call stacks. */
#ifndef TPROF_WAKEUPS_H
#define TPROF_WAKEUPS_H

#include "sampling.h"

/* Most wakers of a wait: TPROF_WAKERS_MAX of the filters. */
#define WAKEUPS_MAX 8

#define WAKEUPS_OPT(set) \
	{ OPT_OPTIONAL, "wakeups", "COUNT", "count waits with the call stack of the waker, and of up to COUNT - 1 " \
	  "wakers before it", set, 0 }

/* Parses the value of --wakeups; NULL: none is given. Returns 0, or EXIT_USAGE after reporting the error. */
int wakeups_set(struct sampling *sampling, const struct opt *opt, const char *value);

/*
 * Call when all options have been parsed: chooses the filter and adds the event, if --wakeups is given. 0, or the exit
 * code after reporting a conflict. @call_graph: the option that gives a method to find callers; NULL: none
 */
int wakeups_choose(struct sampling *sampling, const char *call_graph);

#endif
