/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Which modules the kernel has, as /proc/modules lists them, and which of them were loaded or removed since an earlier
 * look; also one that was loaded again, under the same name and at the same place.
 */
#ifndef TPROF_KMODULES_H
#define TPROF_KMODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/proc.h"

struct kmodule {
	char name[PROC_COMM_LEN];	/* as kallsyms has it: "[ext4]" */
	uint64_t start, end;		/* the size is that of text and data, which lie apart */
	uint64_t load;			/* another each time that one is loaded; 0: not known */
	bool changed;
};

struct kmodule_list {
	struct kmodule *modules;	/* the one that was loaded last comes first */
	size_t nr, room;
};

/* A zeroed struct knows of none. */
struct kmodules {
	struct kmodule_list earlier;	/* what is compared with */
	struct kmodule_list later;	/* at the last look */
	bool some_went;			/* between them */
};

void kmodules_fini(struct kmodules *modules);

/* Takes down which there are, to be compared with. If the kernel has no list, there are none. 0 or -ENOMEM. */
int kmodules_read(struct kmodules *modules);

enum kmodules_change {
	KMODULES_SAME,			/* also if there was no memory to look */
	KMODULES_CAME,			/* all that were there are, and others have come */
	KMODULES_WENT,			/* some are no longer there, or were loaded again */
};

/* Are they still the same? Each look is compared with what was taken down. */
enum kmodules_change kmodules_look(struct kmodules *modules);

/* Has one that has come since taken the place, where the module with that name was that went? */
bool kmodules_replaced(const struct kmodules *modules, const char *name, uint64_t ip);

/* For tests: a list in place of that of the kernel, with a number of the load of each, or NULL. */
int kmodules_parse(struct kmodule_list *list, const char *text, const uint64_t *loads);
/* The two parts of a look: whether @later, with the load of its first alone, is the same; and if not, what changed. */
bool kmodules_are_same(const struct kmodules *modules);
enum kmodules_change kmodules_compare(struct kmodules *modules);

#endif
