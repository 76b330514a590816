/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The numbers that the writer of a raw recording has found within a reading, for frames and their strings at the same
 * address, and for tasks. Most samples have those of a sample before; to find them by content takes a lookup of each of
 * their strings.
 */
#ifndef TPROF_RAW_RECENT_H
#define TPROF_RAW_RECENT_H

#include <stdint.h>

#include "tprof.h"

struct raw_recent;

struct raw_recent *raw_recent_new(void);
void raw_recent_free(struct raw_recent *recent);
/* Call when numbers may change, or strings of frames that were kept. */
void raw_recent_forget(struct raw_recent *recent);

/* The number of an equal frame that was kept at this address, or -1. */
int64_t raw_recent_frame(const struct raw_recent *recent, const struct tprof_frame *frame);
/* Keeps a number, if it is not negative. */
void raw_recent_keep_frame(struct raw_recent *recent, const struct tprof_frame *frame, int64_t number);

/* The same for strings of frames, which do not change while they are kept. */
int64_t raw_recent_string(const struct raw_recent *recent, const char *string);
void raw_recent_keep_string(struct raw_recent *recent, const char *string, int64_t number);

/* The same for tasks, which are compared by content. */
int64_t raw_recent_task(const struct raw_recent *recent, const struct tprof_raw_sample *sample);
void raw_recent_keep_task(struct raw_recent *recent, const struct tprof_raw_sample *sample, int64_t number);

#endif
