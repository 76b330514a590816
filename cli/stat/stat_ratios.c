// SPDX-License-Identifier: GPL-2.0-only
/* Ratios over runs or intervals. */
#include "stat_ratios.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Finds the ratios of all events. */
static int fill(struct stat_ratios *ratios, const struct counts *counts)
{
	ratios->all = calloc(counts->nr_events * DERIVED_MAX, sizeof(*ratios->all));
	if (!ratios->all)
		return -ENOMEM;
	for (size_t event = 0; event < counts->nr_events; event++) {
		struct derived_ratio kinds[DERIVED_MAX];
		char units[DERIVED_MAX][48];
		size_t nr = derived_ratios(counts, event, kinds, units);

		for (size_t i = 0; i < nr; i++) {
			struct stat_ratio *ratio = &ratios->all[ratios->nr++];

			ratio->kind = kinds[i];
			strncpy(ratio->unit, kinds[i].unit, sizeof(ratio->unit) - 1);
			ratio->kind.unit = ratio->unit;
		}
	}
	return 0;
}

int stat_ratios_add(struct stat_ratios *ratios, const struct counts *counts)
{
	int err = ratios->all ? 0 : fill(ratios, counts);

	if (!counts->nr_rows)
		return err;

	for (size_t i = 0; i < ratios->nr && !err; i++) {
		struct stat_ratio *ratio = &ratios->all[i];
		const struct count *of = &counts->rows[0].counts[ratio->kind.of];
		const struct count *by = &counts->rows[0].counts[ratio->kind.by];

		if (of->state == TPROF_COUNTED && by->state == TPROF_COUNTED)
			ratio_add(&ratio->sums, of->value, by->value);
	}
	ratios->nr_added += !err;
	return err;
}

void stat_ratios_fini(struct stat_ratios *ratios)
{
	free(ratios->all);
	*ratios = (struct stat_ratios){ 0 };
}

struct moments stat_ratio_moments(const struct stat_ratio *ratio)
{
	return ratio_moments(&ratio->sums, ratio->kind.factor);
}

void stat_ratio_label(const struct stat_ratio *ratio, const struct counts *counts, char *label, size_t size)
{
	const char *of = counts->events[ratio->kind.of].name;

	if (ratio->kind.unit[0] == '%')
		snprintf(label, size, "%s, %s", of, ratio->kind.unit);
	else
		snprintf(label, size, "%s %s", of, strstr(ratio->kind.unit, "per "));
}
