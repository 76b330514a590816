/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Profiles from raw recordings. */
#ifndef TPROF_RAW_PROFILE_H
#define TPROF_RAW_PROFILE_H

#include "base/file_head.h"
#include "tprof.h"

/* As tprof_profile__read_part(), for a raw recording whose first bytes have been read. */
struct tprof_profile *raw_profile_read(int fd, const struct file_head *head, const char *name,
				       const struct tprof_read_opts *opts, struct tprof_error *error);

#endif
