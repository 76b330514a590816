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

/* The name without the PMU before it and the modifiers behind it: cycles, of "cycles:u" and of "cpu_core/cycles/k". */
struct base {
	size_t at, length;
	char text[64];
};

static struct base base_of(const char *name)
{
	struct base base = { .at = strcspn(name, "/:") };

	base.at = name[base.at] == '/' ? base.at + 1 : 0;
	base.length = strcspn(name + base.at, "/:");
	snprintf(base.text, sizeof(base.text), "%.*s", (int)base.length, name + base.at);
	return base;
}

/* The event with this base, and with the PMU and the modifiers of @event. Returns nr_events if there is none. */
static size_t find_beside(const struct counts *counts, size_t event, const char *wanted)
{
	const char *name = counts->events[event].name;
	struct base base = base_of(name);
	size_t length = strlen(wanted), i;

	for (i = 0; i < counts->nr_events; i++) {
		const char *other = counts->events[i].name;

		if (!strncmp(other, name, base.at) && !strncmp(other + base.at, wanted, length) &&
		    is(other + base.at + length, name + base.at + base.length))
			break;
	}
	return i;
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

size_t derived_ratios(const struct counts *counts, size_t event, struct derived_ratio ratios[DERIVED_MAX],
		      char units[DERIVED_MAX][48])
{
	struct base base = base_of(counts->events[event].name);
	struct derived_ratio ratio = { .of = event, .factor = 1 };
	char whole[64];
	size_t nr = 0;

	if (is(base.text, "instructions")) {
		ratio.name = "instructions_per_cycle";
		ratio.unit = "instructions per cycle";
		ratio.by = find_beside(counts, event, "cycles");
		if (ratio.by < counts->nr_events)
			ratios[nr++] = ratio;
		return nr;
	}
	if (!whole_of(base.text, whole))
		return 0;
	ratio.by = find_beside(counts, event, whole);
	if (ratio.by < counts->nr_events) {
		snprintf(units[nr], sizeof(units[nr]), "%% of %.40s", counts->events[ratio.by].name);
		ratios[nr] = ratio;
		ratios[nr].name = "percent";
		ratios[nr].unit = units[nr];
		ratios[nr++].factor = 100;
	}
	ratio.by = find_beside(counts, event, "instructions");
	if (ratio.by < counts->nr_events) {
		ratios[nr] = ratio;
		ratios[nr].name = "misses_per_thousand_instructions";
		ratios[nr].unit = "per thousand instructions";
		ratios[nr++].factor = 1000;
	}
	return nr;
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

/* The ratios whose events were counted. */
static size_t add_ratios(const struct counts *counts, const struct counts_row *row, size_t event,
			 struct derived derived[DERIVED_MAX])
{
	struct derived_ratio ratios[DERIVED_MAX];
	char units[DERIVED_MAX][48];
	size_t nr = derived_ratios(counts, event, ratios, units), added = 0;

	for (size_t i = 0; i < nr; i++) {
		const struct count *by = &row->counts[ratios[i].by];
		struct derived *into = &derived[added];

		if (by->state != TPROF_COUNTED || !(by->value > 0))
			continue;
		set(into, ratios[i].name, ratios[i].factor * row->counts[event].value / by->value, "");
		snprintf(into->text, sizeof(into->text), "%.2f %s", into->value, ratios[i].unit);
		added++;
	}
	return added;
}

size_t derived_of(const struct counts *counts, const struct counts_row *row, size_t event,
		  struct derived derived[DERIVED_MAX])
{
	const struct count *count = &row->counts[event], *clock;
	const char *name = counts->events[event].name;
	size_t nr;

	if (count->state != TPROF_COUNTED)
		return 0;
	if (is(name, "task-clock") || is(name, "cpu-clock"))
		return counts->elapsed_s > 0 && !counts->has_idle &&
		       set(derived, "cpus_used", count->value / 1e9 / counts->elapsed_s, "%.3f CPUs used");
	if (is(name, "cycles")) {
		clock = clock_of(counts, row);
		return clock && clock->value > 0 && set(derived, "ghz", count->value / clock->value, "%.3f GHz");
	}
	nr = add_ratios(counts, row, event, derived);
	return nr ? nr : !is(counts->events[event].unit, "ns") && rate(counts, row, count, derived);
}
