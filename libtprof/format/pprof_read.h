/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Profiles from pprof files. */
#ifndef TPROF_PPROF_READ_H
#define TPROF_PPROF_READ_H

#include "base/file_head.h"
#include "tprof.h"

/* As tprof_profile__read_part(), for a file whose first bytes have been read. Uses the options value and log. */
struct tprof_profile *pprof_profile_read(int fd, const struct file_head *head, const char *name,
					 const struct tprof_read_opts *opts, struct tprof_error *error);

#endif
