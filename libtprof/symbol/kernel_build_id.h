/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Build ids of the kernel and of its modules, out of the notes in /sys, each read once until the next age. */
#ifndef TPROF_KERNEL_BUILD_ID_H
#define TPROF_KERNEL_BUILD_ID_H

#include "base/hash.h"

/* A zeroed struct knows none yet. */
struct kernel_build_ids {
	struct hash known;		/* by name */
};

/*
 * In hexadecimal; "" if there is none. @object as ksyms_find() names it: "[kernel]", "[ext4]". Valid until the next
 * age.
 */
const char *kernel_build_id(struct kernel_build_ids *ids, const char *object);

/* A module may be replaced by another of the same name: forgets all. */
void kernel_build_ids_age(struct kernel_build_ids *ids);

#endif
