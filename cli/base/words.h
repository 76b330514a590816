/* SPDX-License-Identifier: GPL-2.0-only */
/* Option values that are one of a fixed list of words. */
#ifndef TPROF_WORDS_H
#define TPROF_WORDS_H

#include "opt.h"

#define WORDS_GROUP "function process object cgroup line owner"	/* in the order of enum tprof_group */
#define WORDS_TOTAL "self total"

/* Finds the index of the value in @words, separated by blanks. Returns 0, or EXIT_USAGE after reporting the error. */
int words_choose(const struct opt *opt, const char *value, const char *words, int *chosen);

/* Setters for an enum tprof_group, a bool (self: false, total: true), and a double from 0 to 100 (percent). */
int words_set_group(void *ctx, const struct opt *opt, const char *value);
int words_set_total(void *ctx, const struct opt *opt, const char *value);
int words_set_percent(void *ctx, const struct opt *opt, const char *value);

#endif
