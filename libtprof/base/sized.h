/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Structs of the caller that begin with their size (size_t sz): a program may have been compiled with an older or a
 * newer header than the library, so theirs may be smaller or larger than ours.
 */
#ifndef TPROF_SIZED_H
#define TPROF_SIZED_H

#include <stddef.h>

#include "tprof.h"

/* More bytes than any of these structs will have. */
#define SIZED_MAX 65536

/*
 * Copies the caller's struct into ours of @size bytes. Members that the caller does not have become 0. Returns 0,
 * -EINVAL (its sz was not set: it is less than the size of sz itself, more than SIZED_MAX, or ends within a member), or
 * -E2BIG (it has members that are not 0 and unknown here).
 */
int sized_take(void *ours, size_t size, const void *theirs);

/*
 * Copies our struct of @size bytes into the caller's, as far as that goes. Members that are unknown here become 0; sz
 * stays as it is, and nothing behind it is written. 0, or -EINVAL as above.
 */
int sized_give(void *theirs, const void *ours, size_t size);

/* Says what is wrong with the struct @name, after one of the above. Returns @err. */
int sized_error(struct tprof_error *error, int err, const char *name);

#endif
