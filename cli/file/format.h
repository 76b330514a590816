/* SPDX-License-Identifier: GPL-2.0-only */
/* The format of an output file: the requested one, or the one that the file name implies. */
#ifndef TPROF_FORMAT_H
#define TPROF_FORMAT_H

#include "tprof.h"

/*
 * @name: the requested format, or NULL. Without a name, the suffix of @path decides, and otherwise the default is
 * @usual (NULL: no default, the format is required). The library owns the strings in *@format. 0, or EXIT_USAGE after
 * reporting an error.
 */
int format_choose(const char *name, const char *path, const char *usual, struct tprof_format *format);

#endif
