/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of options that are one of some words, which several commands take. */
#ifndef TPROF_WORDS_H
#define TPROF_WORDS_H

#include "opt.h"

/* The place of the value among the words. Returns 0, or EXIT_USAGE after having said what is wrong. */
int words_choose(const struct opt *opt, const char *value, const char *const *words, size_t nr, int *chosen);

/* Setters for options at an enum tprof_group, at a bool (self: false, total: true), and at a double of 0 to 100. */
int words_set_group(void *ctx, const struct opt *opt, const char *value);
int words_set_total(void *ctx, const struct opt *opt, const char *value);
int words_set_percent(void *ctx, const struct opt *opt, const char *value);

#endif
