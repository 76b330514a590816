/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that all tables of `tprof stat` use. */
#ifndef TPROF_STAT_TEXT_H
#define TPROF_STAT_TEXT_H

#include "stat.h"

/* "# counts of ...", without the end of the line. */
void stat_put_title(const struct stat_options *options, FILE *out);
/* @before and the words of the command, whose arguments must not control the terminal. */
void stat_put_command(FILE *out, const char *before, const char *command);

#endif
