/* SPDX-License-Identifier: GPL-2.0-only */
/* coverage: which functions of the kernel ran, for the event function:PATTERN. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts calls of kernel functions, or of those of -e function:PATTERN.");
TPROF_EVENT("function:*");

struct coverage_key {
	tprof_ip_t function;
	tprof_event_t event;
} __attribute__((packed, aligned(4)));	/* without padding, which would be part of the key */

TPROF_TABLE(coverage, struct coverage_key, 65536);

TPROF_FILTER(coverage, s)
{
	struct coverage_key key = { .function = s->ip, .event = s->event };

	if (s->flags & TPROF_SAMPLE_KERNEL)
		tprof_count(coverage, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
