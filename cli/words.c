// SPDX-License-Identifier: GPL-2.0-only
/* Values of options that are one of some words. */
#include "words.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "tprof.h"

int words_choose(const struct opt *opt, const char *value, const char *const *words, size_t nr, int *chosen)
{
	struct nearest nearest = { 0 };
	char hint[64];

	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(words[i], value)) {
			*chosen = (int)i;
			return 0;
		}
		nearest_offer(&nearest, value, words[i]);
	}
	snprintf(hint, sizeof(hint), "did you mean %s?", nearest.word ? nearest.word : words[0]);
	return opt_refuse(opt, value, "is not known", nearest.word ? hint : opt->arg);
}

int words_set_group(void *ctx, const struct opt *opt, const char *value)
{
	const char *words[TPROF_NR_GROUPS];
	int chosen = 0, err;

	for (int i = 0; i < TPROF_NR_GROUPS; i++)
		words[i] = tprof_group__name((enum tprof_group)i);
	err = words_choose(opt, value, words, ARRAY_SIZE(words), &chosen);
	*(enum tprof_group *)((char *)ctx + opt->at) = (enum tprof_group)chosen;
	return err;
}

int words_set_total(void *ctx, const struct opt *opt, const char *value)
{
	static const char *const words[] = { "self", "total" };
	int chosen = 0, err = words_choose(opt, value, words, ARRAY_SIZE(words), &chosen);

	*(bool *)((char *)ctx + opt->at) = chosen;
	return err;
}

int words_set_percent(void *ctx, const struct opt *opt, const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || (*end && strcmp(end, "%")) || !isfinite(percent) || percent < 0 || percent > 100)
		return opt_refuse(opt, value, "is no percentage", "it goes from 0 to 100");
	*(double *)((char *)ctx + opt->at) = percent;
	return 0;
}
