/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Is an open file the inode that the kernel named when it told of a mapping? */
#ifndef TPROF_DSO_INODE_H
#define TPROF_DSO_INODE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "dso.h"

/* @st: what fstat(2) says of @fd. False where nothing proves it. */
bool dso_inode_is(int fd, const struct stat *st, const struct dso_id *id);

#endif
