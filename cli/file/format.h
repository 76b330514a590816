/* SPDX-License-Identifier: GPL-2.0-only */
/* Which format a file is to have: the one that was asked for, or the one that its name stands for. */
#ifndef TPROF_FORMAT_H
#define TPROF_FORMAT_H

#include "tprof.h"

/*
 * @name: as given, NULL: not given; then @path decides, and @usual is what is left (NULL: nothing, it has to be said).
 * The strings are the library's. 0, or EXIT_USAGE after having said what is wrong.
 */
int format_choose(const char *name, const char *path, const char *usual, struct tprof_format *format);

#endif
