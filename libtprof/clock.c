// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* CLOCK_MONOTONIC in nanoseconds. */
#include "clock.h"

#include <time.h>

uint64_t clock_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}
