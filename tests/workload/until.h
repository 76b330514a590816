/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that work until a given time, and have different symbols. */
#ifndef WORKLOAD_UNTIL_H
#define WORKLOAD_UNTIL_H

#include "clock.h"

#define STEPS		1000		/* takes some microseconds, much longer than reading the clock */

static volatile uint64_t sink;

/* Each function has a different constant, because the compiler would merge equal functions. */
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
