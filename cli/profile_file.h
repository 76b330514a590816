/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles that are kept in files: where commands get one from, and where they write to. */
#ifndef TPROF_PROFILE_FILE_H
#define TPROF_PROFILE_FILE_H

#include "tprof.h"

/* What is read and written where nothing else is said. */
#define PROFILE_FILE "tprof.pb.gz"

/* Reads a file (NULL: PROFILE_FILE; "-": stdin). NULL after having said what is wrong, with the exit code in *code. */
struct tprof_profile *profile_file_read(const char *path, int *code);

/*
 * Lets @write fill a file (NULL or "-": stdout), as output.h says; it returns 0 or -errno. Returns the exit code.
 */
int profile_file_write(const char *path, int (*write)(void *ctx, int fd), void *ctx);

#endif
