/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * CLOCK_MONOTONIC in nanoseconds, as the kernel tells it and as this process sees it. The two differ in a time
 * namespace: times in samples, side-band events and copies of stacks have no offset there, clock_gettime() has one.
 */
#ifndef TPROF_CLOCK_H
#define TPROF_CLOCK_H

#include <stdint.h>

/* How far the clocks of this process are ahead of the kernel's; both 0 outside of time namespaces. */
struct clock_offsets {
	int64_t monotonic_ns;
	int64_t boottime_ns;
};

/* Reads /proc/self/timens_offsets, which takes some microseconds. */
void clock_offsets(struct clock_offsets *offsets);
/* The same from the text of that file. */
void clock_parse_offsets(const char *text, struct clock_offsets *offsets);

/* To be compared with times of the kernel. Reads the offsets, so it is not for what is done for each address. */
uint64_t clock_now_ns(void);
/* For differences between readings of our own: how long, until when. */
uint64_t clock_own_ns(void);

#endif
