// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* CLOCK_MONOTONIC in nanoseconds, in time namespaces too. */
#include "clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000LL

/*
 * The kernel refuses offsets that make the clock negative or larger than KTIME_SEC_MAX / 2. Within this limit the
 * products below cannot overflow.
 */
#define MAX_OFFSET_S (INT64_MAX / NS_PER_S / 2)

void clock_parse_offsets(const char *text, struct clock_offsets *offsets)
{
	long long seconds, nanoseconds;
	char name[16];
	int length;

	*offsets = (struct clock_offsets){ 0 };
	for (; sscanf(text, " %15s %lld %lld%n", name, &seconds, &nanoseconds, &length) == 3; text += length) {
		int64_t offset_ns;

		if (seconds > MAX_OFFSET_S || seconds < -MAX_OFFSET_S)
			continue;
		offset_ns = seconds * NS_PER_S + nanoseconds;
		if (!strcmp(name, "monotonic"))
			offsets->monotonic_ns = offset_ns;
		else if (!strcmp(name, "boottime"))
			offsets->boottime_ns = offset_ns;
	}
}

/* timens_offsets describes the time namespace of future children, which can differ from that of the process itself. */
static int offsets_are_ours(void)
{
	char own[64], children[64];
	ssize_t own_length = readlink("/proc/self/ns/time", own, sizeof(own));
	ssize_t length = readlink("/proc/self/ns/time_for_children", children, sizeof(children));

	return length > 0 && length == own_length && !memcmp(own, children, (size_t)length);
}

void clock_offsets(struct clock_offsets *offsets)
{
	int fd = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
	char text[256];
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	/* Without time namespaces in the kernel the file does not exist: the text is then empty. */
	text[length > 0 ? length : 0] = '\0';
	clock_parse_offsets(text, offsets);
	if ((offsets->monotonic_ns || offsets->boottime_ns) && !offsets_are_ours())
		*offsets = (struct clock_offsets){ 0 };
}

uint64_t clock_own_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t clock_initial_ns(const struct clock_offsets *offsets)
{
	return clock_own_ns() - (uint64_t)offsets->monotonic_ns;
}

uint64_t clock_now_ns(void)
{
	struct clock_offsets offsets;

	clock_offsets(&offsets);
	return clock_initial_ns(&offsets);
}

int64_t clock_sum_ns(int64_t a_ns, int64_t b_ns)
{
	int64_t sum;

	if (__builtin_add_overflow(a_ns, b_ns, &sum))
		return a_ns < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

int64_t clock_timespec_ns(const struct timespec *time)
{
	int64_t ns;

	if (__builtin_mul_overflow((int64_t)time->tv_sec, (int64_t)NS_PER_S, &ns))
		return time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
	return clock_sum_ns(ns, time->tv_nsec);
}
