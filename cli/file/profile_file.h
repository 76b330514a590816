/* SPDX-License-Identifier: GPL-2.0-only */
/* Saved profiles: reading a profile from a file, and writing one. */
#ifndef TPROF_PROFILE_FILE_H
#define TPROF_PROFILE_FILE_H

#include "base/opt.h"
#include "tprof.h"

/* The default file name for reading and writing. */
#define PROFILE_FILE "tprof.pb.gz"
/* The default file name of raw recordings. Commands read one only if it is named. */
#define PROFILE_RAW_FILE "tprof.traw"

/* The name of a file to read, for people: PROFILE_FILE for NULL, "standard input" for "-". */
const char *profile_file_name(const char *path);

/*
 * Sets *@input, the value of -i (NULL: not given), to the operand, if there is one. 0, or the exit code after reporting
 * that there are several files.
 */
int profile_file_operand(const struct opt_rest *rest, const char **input);

/*
 * Reads a file (NULL: PROFILE_FILE; "-": stdin). Returns NULL after reporting an error, with the exit code in *@code.
 */
struct tprof_profile *profile_file_read(const char *path, int *code);

/* Option group: --from and --to, the time range of a raw recording to read. The context is a struct tprof_read_opts. */
#define PROFILE_PART_OPTS 2
extern const struct opt profile_part_opts[PROFILE_PART_OPTS];

/* Option group: --value, the event, or the value of files of other programs, to use as weight. Same context. */
#define PROFILE_VALUE_OPTS 1
extern const struct opt profile_value_opts[PROFILE_VALUE_OPTS];

/* Like profile_file_read(), with options. Sets opts->log. */
struct tprof_profile *profile_file_read_part(const char *path, struct tprof_read_opts *opts, int *code);

/*
 * The first event of a profile, for outputs that show one. Says on stderr which event that is if the profile has
 * several, and frees @profile. NULL after reporting an error, with the exit code in *@code; NULL for NULL.
 */
struct tprof_profile *profile_file_first_event(struct tprof_profile *profile, int *code);

/* 0, or the exit code after reporting that the profile, which was read from @path, has nothing to group it by. */
int profile_group_check(enum tprof_group group, const struct tprof_profile *profile, const char *path);

/* 0, or the exit code after reporting that the profiles are of different events and cannot be compared. */
int profile_pair_check(const struct tprof_profile *before, const struct tprof_profile *after);

/*
 * Calls @write to fill an output file (NULL or "-": stdout). @binary_format: see output_check(). @write returns 0 or
 * -errno. Returns the exit code.
 */
int profile_file_write(const char *path, const char *binary_format, int (*write)(void *ctx, int fd), void *ctx);

#endif
