/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * CLOCK_MONOTONIC in nanoseconds, in the kernel's view and in the view of this process. The views differ in a time
 * namespace: clock_gettime() adds the offset of the namespace; timestamps of samples, side-band events and stack copies
 * do not include it.
 */
#ifndef TPROF_CLOCK_H
#define TPROF_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Offsets of this process's clocks from the kernel's clocks; both are 0 outside of time namespaces. */
struct clock_offsets {
	int64_t monotonic_ns;
	int64_t boottime_ns;
};

/* Reads /proc/self/timens_offsets, which takes some microseconds. */
void clock_offsets(struct clock_offsets *offsets);
/* Parses the text of that file. */
void clock_parse_offsets(const char *text, struct clock_offsets *offsets);

/*
 * The current time in the kernel's view, comparable with kernel timestamps. Reads the offsets from /proc on every call;
 * do not call it once per address.
 */
uint64_t clock_now_ns(void);
/* The same with known offsets. clock_now_ns() reads a file for them. */
uint64_t clock_initial_ns(const struct clock_offsets *offsets);
/* The current time in the view of this process. Use it only for differences: durations and timeouts. */
uint64_t clock_own_ns(void);

/* The sum of two times, or the nearest one that an int64_t can hold: files have times that strangers choose. */
int64_t clock_sum_ns(int64_t a_ns, int64_t b_ns);
/* A time in nanoseconds, likewise. */
int64_t clock_timespec_ns(const struct timespec *time);

#endif
