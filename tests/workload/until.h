/* SPDX-License-Identifier: GPL-2.0-only */
/* Work until a time on the clock, in functions that a profile tells apart. */
#ifndef WORKLOAD_UNTIL_H
#define WORKLOAD_UNTIL_H

#include "clock.h"

#define STEPS		1000		/* some microseconds, beside which a look at the clock is short */

static volatile uint64_t sink;

/* Each has a constant of its own, or they would be one function. */
#define DEFINE_WORK(name, addend)								\
	__attribute__((noipa)) static void name(uint64_t until_ns)				\
	{											\
		uint64_t value = sink;								\
												\
		while (clock_ns(CLOCK_MONOTONIC) < until_ns) {					\
			for (unsigned int i = 0; i < STEPS; i++)				\
				value = value * 6364136223846793005ULL + (addend);		\
		}										\
		sink = value;									\
	}

#endif
