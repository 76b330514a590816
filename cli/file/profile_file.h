/* SPDX-License-Identifier: GPL-2.0-only */
/* Profiles that are kept in files: where commands get one from, and where they write to. */
#ifndef TPROF_PROFILE_FILE_H
#define TPROF_PROFILE_FILE_H

#include "base/opt.h"
#include "tprof.h"

/* What is read and written where nothing else is said. */
#define PROFILE_FILE "tprof.pb.gz"

/*
 * The file may be named by an operand in place of -i, whose value is *input (NULL: not given), and becomes it. 0, or
 * the exit code after having said that there are several.
 */
int profile_file_operand(const struct opt_rest *rest, const char **input);

/* Reads a file (NULL: PROFILE_FILE; "-": stdin). NULL after having said what is wrong, with the exit code in *code. */
struct tprof_profile *profile_file_read(const char *path, int *code);

/* --from and --to: which part of a raw recording is read. A group of options, whose context are the tprof_read_opts. */
#define PROFILE_PART_OPTS 2
extern const struct opt profile_part_opts[PROFILE_PART_OPTS];

/* --value: what files of other programs are weighed by. Likewise. */
#define PROFILE_VALUE_OPTS 1
extern const struct opt profile_value_opts[PROFILE_VALUE_OPTS];

/* 0, or the exit code after having said that it is no part. */
int profile_part_check(const struct tprof_read_opts *opts);

/* As profile_file_read(), as the options say, whose log is set here. */
struct tprof_profile *profile_file_read_part(const char *path, struct tprof_read_opts *opts, int *code);

/* 0, or the exit code after having said that their shares cannot be compared: they are of different events. */
int profile_pair_check(const struct tprof_profile *before, const struct tprof_profile *after);

/*
 * Lets @write fill a file (NULL or "-": stdout), as output.h says, which has @binary_format, too; it returns 0 or
 * -errno. Returns the exit code.
 */
int profile_file_write(const char *path, const char *binary_format, int (*write)(void *ctx, int fd), void *ctx);

#endif
