// SPDX-License-Identifier: GPL-2.0-only
/* Human-readable numbers. Rounds half up, and moves to the next unit where 999.9 would become 1000. */
#include "units.h"

#include <stdio.h>
#include <string.h>

#define SECOND 1000000000ull

/* One decimal below 99.95, none above. */
static void print_scaled(struct units_text *buffer, double value, const char *suffix)
{
	snprintf(buffer->text, sizeof(buffer->text), value < 99.95 ? "%.1f%s" : "%.0f%s", value, suffix);
}

const char *units_count(struct units_text *buffer, uint64_t count)
{
	static const char *const suffixes[] = { "k", "M", "G", "T", "P", "E" };
	double value = (double)count / 1000;
	unsigned int i = 0;

	if (count < 10000) {
		snprintf(buffer->text, sizeof(buffer->text), "%u", (unsigned int)count);
		return buffer->text;
	}
	for (; value >= 999.5; i++)
		value /= 1000;
	print_scaled(buffer, value, suffixes[i]);
	return buffer->text;
}

const char *units_duration(struct units_text *buffer, uint64_t ns)
{
	unsigned long long seconds = (ns + SECOND / 2) / SECOND;

	if (ns < 1000)
		snprintf(buffer->text, sizeof(buffer->text), "%u ns", (unsigned int)ns);
	else if (ns < 999500)
		print_scaled(buffer, (double)ns / 1e3, " us");
	else if (ns < 999500000)
		print_scaled(buffer, (double)ns / 1e6, " ms");
	else if (ns < 99950000000)
		print_scaled(buffer, (double)ns / 1e9, " s");
	else if (seconds < 3600)
		snprintf(buffer->text, sizeof(buffer->text), "%llu min %llu s", seconds / 60, seconds % 60);
	else
		snprintf(buffer->text, sizeof(buffer->text), "%llu h %llu min", seconds / 3600,
			 seconds % 3600 / 60);
	return buffer->text;
}

const char *units_bytes(struct units_text *buffer, uint64_t bytes)
{
	if (bytes < 1024)
		snprintf(buffer->text, sizeof(buffer->text), "%u bytes", (unsigned int)bytes);
	else if (bytes < 1048525)	/* 1023.95 KiB */
		snprintf(buffer->text, sizeof(buffer->text), "%.1f KiB", (double)bytes / 1024);
	else
		snprintf(buffer->text, sizeof(buffer->text), "%.1f MiB", (double)bytes / (1024 * 1024));
	return buffer->text;
}

const char *units_weight(struct units_text *buffer, uint64_t weight, const char *unit)
{
	size_t length;

	if (!strcmp(unit, "ns"))
		return units_duration(buffer, weight);
	units_count(buffer, weight);
	length = strlen(buffer->text);
	snprintf(buffer->text + length, sizeof(buffer->text) - length, " %s", unit);
	return buffer->text;
}
