// SPDX-License-Identifier: GPL-2.0-only
/* Option values that are one of a fixed list of words. */
#include "words.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nearest.h"
#include "tprof.h"

int words_choose(const struct opt *opt, const char *value, const char *words, int *chosen)
{
	char list[128], hint[160], *rest = list, *word;
	struct nearest nearest = { 0 };

	snprintf(list, sizeof(list), "%s", words);
	for (int i = 0; (word = strsep(&rest, " ")); i++) {
		if (!strcmp(word, value)) {
			*chosen = i;
			return 0;
		}
		nearest_offer(&nearest, value, word);
	}
	if (nearest.word)
		snprintf(hint, sizeof(hint), "did you mean %s?", nearest.word);
	else
		snprintf(hint, sizeof(hint), "use one of: %s", words);
	return opt_refuse(opt, value, "is not known", hint);
}

int words_set_group(void *ctx, const struct opt *opt, const char *value)
{
	int chosen = 0, err = words_choose(opt, value, WORDS_GROUP, &chosen);

	*(enum tprof_group *)((char *)ctx + opt->at) = (enum tprof_group)chosen;
	return err;
}

int words_set_total(void *ctx, const struct opt *opt, const char *value)
{
	int chosen = 0, err = words_choose(opt, value, WORDS_TOTAL, &chosen);

	*(bool *)((char *)ctx + opt->at) = chosen;
	return err;
}

int words_set_percent(void *ctx, const struct opt *opt, const char *value)
{
	char *end;
	double percent = strtod(value, &end);

	if (end == value || (*end && strcmp(end, "%")) || !isfinite(percent) || percent < 0 || percent > 100)
		return opt_refuse(opt, value, "is not a percentage", "the range is 0 to 100");
	*(double *)((char *)ctx + opt->at) = percent;
	return 0;
}
