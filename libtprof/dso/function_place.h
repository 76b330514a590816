/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Finds a function of an object by its name. */
#ifndef TPROF_FUNCTION_PLACE_H
#define TPROF_FUNCTION_PLACE_H

#include <stdint.h>

#include "base/error.h"

/* Bytes of a file. */
struct function_place {
	uint64_t offset, size;
};

/*
 * Finds the function that is displayed as @name, or has this symbol. A symbol that programs are linked with by default
 * is preferred to one of an older version. Sets the error sentence. Errors: ENOENT (no such function), EINVAL (several
 * functions have the name), and those of tprof_function__each().
 */
int function_place_find(const char *path, const char *name, struct function_place *place, struct tprof_error *error);

#endif
