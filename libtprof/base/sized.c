// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Structs of the caller that begin with their size. */
#include "sized.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "error.h"

static size_t size_of(const void *sized)
{
	size_t size;

	memcpy(&size, sized, sizeof(size));
	return size;
}

static bool is_zero(const char *bytes, size_t size)
{
	while (size && !*bytes) {
		bytes++;
		size--;
	}
	return !size;
}

/* A size that no header gives is most likely an uninitialized one; it would let the library write beyond the struct. */
static bool is_possible(size_t size)
{
	return size >= sizeof(size) && size <= SIZED_MAX && size % sizeof(size) == 0;
}

int sized_take(void *ours, size_t size, const void *theirs)
{
	size_t given = size_of(theirs);

	if (!is_possible(given))
		return -EINVAL;
	memset(ours, 0, size);
	memcpy(ours, theirs, given < size ? given : size);
	memcpy(ours, &size, sizeof(size));
	return given > size && !is_zero((const char *)theirs + size, given - size) ? -E2BIG : 0;
}

int sized_give(void *theirs, const void *ours, size_t size)
{
	size_t given = size_of(theirs);

	if (!is_possible(given))
		return -EINVAL;
	memcpy(theirs, ours, given < size ? given : size);
	memcpy(theirs, &given, sizeof(given));
	if (given > size)
		memset((char *)theirs + size, 0, given - size);
	return 0;
}

int sized_error(struct tprof_error *error, int err, const char *name)
{
	if (err == -E2BIG) {
		error_set(error, E2BIG, "%s: the struct has members that libtprof %s does not know", name,
			  tprof_version());
		error_hint(error, "the program was compiled for a later version of libtprof");
	} else if (err) {
		error_set(error, -err, "%s: sz is not set", name);
		error_hint(error, "declare it with TPROF_OPTS(), or set .sz = sizeof()");
	}
	return err;
}
