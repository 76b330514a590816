/* SPDX-License-Identifier: GPL-2.0-only */
/* Ownership of output files under sudo. */
#ifndef TPROF_CALLER_H
#define TPROF_CALLER_H

#include <stdbool.h>

/*
 * Changes the owner of a newly created file to the user who called sudo, if this process is root and the directory of
 * the file belongs to that user. In any other directory, the file is left unchanged. Returns whether the owner was
 * changed.
 */
bool caller_own(int fd, const char *directory, const char *name);

#endif
