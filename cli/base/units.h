/* SPDX-License-Identifier: GPL-2.0-only */
/* Human-readable numbers. All functions write into buffer->text and return it. */
#ifndef TPROF_UNITS_H
#define TPROF_UNITS_H

#include <stdint.h>

struct units_text {
	char text[32];
};

/* At most four digits and a suffix: 0, 9999, 12.3k, 1.2M, 456G. */
const char *units_count(struct units_text *buffer, uint64_t count);
/* 0 ns, 870 ns, 3.4 ms, 12.0 s, 3 min 20 s, 2 h 5 min */
const char *units_duration(struct units_text *buffer, uint64_t ns);
/* 512 bytes, 1.5 KiB, 8.6 MiB */
const char *units_bytes(struct units_text *buffer, uint64_t bytes);
/* A weight: a duration if the unit is "ns", otherwise a count followed by the unit. */
const char *units_weight(struct units_text *buffer, uint64_t weight, const char *unit);

#endif
