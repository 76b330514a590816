/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Build ids of the kernel and its modules, from the ELF notes in /sys. Each is read once and cached until
 * kernel_build_ids_age().
 */
#ifndef TPROF_KERNEL_BUILD_ID_H
#define TPROF_KERNEL_BUILD_ID_H

#include "base/hash.h"

/* A zeroed struct is an empty cache. */
struct kernel_build_ids {
	struct hash known;		/* by name */
};

/*
 * The build id in hexadecimal, "" if there is none. @object is a name as ksyms_find() returns it: "[kernel]", "[ext4]".
 * Valid until kernel_build_ids_age().
 */
const char *kernel_build_id(struct kernel_build_ids *ids, const char *object);

/* Empties the cache: a module may have been replaced by another one of the same name. */
void kernel_build_ids_age(struct kernel_build_ids *ids);

#endif
