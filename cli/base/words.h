/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of options that are one of some words, separated by blanks. */
#ifndef TPROF_WORDS_H
#define TPROF_WORDS_H

#include "opt.h"

#define WORDS_GROUP "function process object cgroup line"	/* as enum tprof_group has them */
#define WORDS_TOTAL "self total"

/* The place of the value among the words. Returns 0, or EXIT_USAGE after having said what is wrong. */
int words_choose(const struct opt *opt, const char *value, const char *words, int *chosen);

/* Setters for options at an enum tprof_group, at a bool (self: false, total: true), and at a double of 0 to 100. */
int words_set_group(void *ctx, const struct opt *opt, const char *value);
int words_set_total(void *ctx, const struct opt *opt, const char *value);
int words_set_percent(void *ctx, const struct opt *opt, const char *value);

#endif
