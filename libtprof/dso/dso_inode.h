/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Checks whether an open file is the inode that the kernel reported for a mapping. */
#ifndef TPROF_DSO_INODE_H
#define TPROF_DSO_INODE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "dso.h"

/* @st: the result of fstat(2) for @fd. Returns false unless the identity is proven. */
bool dso_inode_is(int fd, const struct stat *st, const struct dso_id *id);

#endif
