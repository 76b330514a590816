/* SPDX-License-Identifier: GPL-2.0-only */
/* Who called sudo, and what of that is theirs. */
#ifndef TPROF_CALLER_H
#define TPROF_CALLER_H

#include <stdbool.h>

/*
 * Gives a file that was made just now to who called sudo, if root made it and the directory that it is in belongs to
 * them: nothing is given away elsewhere. Did it? Else the file stays as it is.
 */
bool caller_own(int fd, const char *directory, const char *name);

#endif
