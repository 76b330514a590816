// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Bounds and text of buckets. Pure; the numbers come from filters, so any may be no bucket. */
#include "bucket.h"

#include <inttypes.h>

#define MAX_BITS 64

/* The bucket of all numbers with this number of significant bits. */
static bool log2_of(uint64_t bits, struct bucket *bucket)
{
	if (bits > MAX_BITS)
		return false;
	bucket->from = bits ? UINT64_C(1) << (bits - 1) : 0;
	bucket->to = bits < MAX_BITS ? UINT64_C(1) << bits : BUCKET_NO_END;
	return true;
}

/* Both bounds are in the number; an upper bound of 0 stands for none. */
static bool linear_of(uint64_t number, struct bucket *bucket)
{
	bucket->from = number & UINT32_MAX;
	bucket->to = number >> 32 ? number >> 32 : BUCKET_NO_END;
	return bucket->from < bucket->to;
}

bool bucket_of(enum value_kind kind, uint64_t number, struct bucket *bucket)
{
	switch (kind) {
	case VALUE_LOG2:
	case VALUE_LOG2_NS:
		return log2_of(number, bucket);
	case VALUE_LINEAR:
		return linear_of(number, bucket);
	default:
		return false;
	}
}

/* A power of two in units of 2^10, 2^20, ... */
static void power_text(char text[VALUE_NS_TEXT], uint64_t power)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };
	unsigned int unit = 0;

	/* Only the upper bound of the last bucket is no power of two: it is 2^64 - 1 instead of 2^64. */
	if (power == BUCKET_NO_END) {
		snprintf(text, VALUE_NS_TEXT, "16E");
		return;
	}
	for (; power >= 1024; power /= 1024)
		unit++;
	snprintf(text, VALUE_NS_TEXT, "%" PRIu64 "%s", power, units[unit]);
}

static void bound_text(char text[VALUE_NS_TEXT], enum value_kind kind, uint64_t bound)
{
	if (kind == VALUE_LOG2)
		power_text(text, bound);
	else if (kind == VALUE_LOG2_NS)
		value_ns_text(text, bound);
	else if (bound == BUCKET_NO_END)
		snprintf(text, VALUE_NS_TEXT, "...");
	else
		snprintf(text, VALUE_NS_TEXT, "%" PRIu64, bound);
}

void bucket_text(char text[BUCKET_TEXT], enum value_kind kind, const struct bucket *bucket)
{
	char from[VALUE_NS_TEXT], to[VALUE_NS_TEXT];

	bound_text(from, kind, bucket->from);
	bound_text(to, kind, bucket->to);
	if (bucket->to - bucket->from == 1)
		snprintf(text, BUCKET_TEXT, "[%s]", from);
	else
		snprintf(text, BUCKET_TEXT, "[%s, %s)", from, to);
}
