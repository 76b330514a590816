// SPDX-License-Identifier: GPL-2.0-only
/* Reads CLOCK_MONOTONIC. */
#include "monotonic.h"

#include <time.h>

uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
