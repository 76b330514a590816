/* SPDX-License-Identifier: GPL-2.0-only */
/* Which format a file is to have: the one that was asked for, or the one that its name stands for. */
#ifndef TPROF_RECORD_FORMAT_H
#define TPROF_RECORD_FORMAT_H

#include "tprof.h"

/*
 * @name: as given, NULL: not given; then @path decides, and pprof is what is left. The strings are the library's.
 * 0, or EXIT_USAGE after having said that there is none.
 */
int record_format(const char *name, const char *path, struct tprof_format *format);

#endif
