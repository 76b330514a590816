// SPDX-License-Identifier: GPL-2.0-only
/* Numbers that follow from several events. */
#include "derived.h"

#include <stdio.h>
#include <string.h>

static bool set(struct derived *derived, const char *name, double value, const char *format)
{
	derived->name = name;
	derived->value = value;
	snprintf(derived->text, sizeof(derived->text), format, value);
	return true;
}

static bool is(const char *name, const char *event)
{
	return !strcmp(name, event);
}

/*
 * The event of which this one is a part: branches of branch-misses, L1-dcache-loads of L1-dcache-load-misses. Returns
 * false if there is none.
 */
static bool whole_of(const char *name, char whole[64])
{
	static const char misses[] = "-misses";
	size_t length = strlen(name), end = sizeof(misses) - 1;

	if (is(name, "branch-misses") || is(name, "cache-misses")) {
		snprintf(whole, 64, "%s", is(name, "cache-misses") ? "cache-references" : "branches");
		return true;
	}
	/* "L1-dcache-load-misses": the operation precedes. */
	if (length <= end || length >= 60 || strcmp(name + length - end, misses) != 0)
		return false;
	if (is(name + length - end - 2, "ch" "-misses"))
		snprintf(whole, 64, "%.*ses", (int)(length - end), name);
	else
		snprintf(whole, 64, "%.*ss", (int)(length - end), name);
	return true;
}

/* The CPU time; NULL if it is not counted. */
static const struct count *clock_of(const struct counts *counts, const struct counts_row *row)
{
	const struct count *clock = counts->has_idle ? NULL : counts_find(counts, row, "task-clock");

	return clock || counts->has_idle ? clock : counts_find(counts, row, "cpu-clock");
}

static bool rate(const struct counts *counts, const struct counts_row *row, const struct count *count,
		 struct derived *derived)
{
	const struct count *clock = clock_of(counts, row);
	bool has_clock = clock && clock->value > 0;
	double seconds = has_clock ? clock->value / 1e9 : counts->elapsed_s, per_s, shown;
	const char *prefix = "";

	if (!(seconds > 0) || !(count->value > 0))
		return false;
	per_s = shown = count->value / seconds;
	if (shown >= 1e9)
		shown /= 1e9, prefix = " G";
	else if (shown >= 1e6)
		shown /= 1e6, prefix = " M";
	else if (shown >= 1e3)
		shown /= 1e3, prefix = " K";
	set(derived, "per_second", per_s, "");
	snprintf(derived->text, sizeof(derived->text), "%.3f%s%s/s%s", shown, prefix, *prefix ? "" : " ",
		 has_clock ? " of CPU time" : "");
	return true;
}

bool derived_of(const struct counts *counts, const struct counts_row *row, size_t event, struct derived *derived)
{
	const struct count *count = &row->counts[event], *other;
	const char *name = counts->events[event].name;
	char whole[64];

	if (count->state != TPROF_COUNTED)
		return false;
	if (is(name, "task-clock") || is(name, "cpu-clock"))
		return counts->elapsed_s > 0 && !counts->has_idle &&
		       set(derived, "cpus_used", count->value / 1e9 / counts->elapsed_s, "%.3f CPUs used");
	if (is(name, "cycles")) {
		other = clock_of(counts, row);
		return other && other->value > 0 && set(derived, "ghz", count->value / other->value, "%.3f GHz");
	}
	if (is(name, "instructions")) {
		other = counts_find(counts, row, "cycles");
		if (other && other->value > 0)
			return set(derived, "instructions_per_cycle", count->value / other->value,
				   "%.2f instructions per cycle");
	}
	if (whole_of(name, whole)) {
		other = counts_find(counts, row, whole);
		if (other && other->value > 0) {
			set(derived, "percent", 100 * count->value / other->value, "%.2f %%");
			snprintf(derived->text, sizeof(derived->text), "%.2f %% of %.40s", derived->value, whole);
			return true;
		}
	}
	return !is(counts->events[event].unit, "ns") && rate(counts, row, count, derived);
}
