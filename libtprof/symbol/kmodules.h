/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The loaded kernel modules, from /proc/modules, and the differences between two readings: modules loaded, removed, or
 * reloaded under the same name at the same address.
 */
#ifndef TPROF_KMODULES_H
#define TPROF_KMODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/proc.h"

struct kmodule {
	char name[PROC_COMM_LEN];	/* as in kallsyms: "[ext4]" */
	uint64_t start, end;		/* start + size of text and data, which are not contiguous */
	uint64_t load;			/* identifies this load of the module; 0: unknown */
	bool changed;
};

struct kmodule_list {
	struct kmodule *modules;	/* the most recently loaded module comes first */
	size_t nr, capacity;
};

/* A zeroed struct has no modules. */
struct kmodules {
	struct kmodule_list earlier;	/* the baseline */
	struct kmodule_list later;	/* from the latest kmodules_look() */
	bool some_went;			/* modules of the baseline are missing in later */
};

void kmodules_fini(struct kmodules *modules);

/*
 * Reads the baseline that kmodules_look() compares with. An empty list if the kernel has no /proc/modules. Returns 0 or
 * -ENOMEM.
 */
int kmodules_read(struct kmodules *modules);

enum kmodules_change {
	KMODULES_SAME,			/* also if there was no memory to compare */
	KMODULES_CAME,			/* modules were loaded, none were removed */
	KMODULES_WENT,			/* modules were removed or reloaded */
};

/* Reads the list and compares it with the baseline, which stays as it is. */
enum kmodules_change kmodules_look(struct kmodules *modules);

/*
 * True if @ip lies in a module that was loaded after the baseline, at an address that belonged to the module @name,
 * which was removed.
 */
bool kmodules_replaced(const struct kmodules *modules, const char *name, uint64_t ip);

/* True if @ip lies in a module that was loaded or removed after the baseline. */
bool kmodules_changed_at(const struct kmodules *modules, uint64_t ip);

/* For tests: parses a list from text. @loads: the load number of each module, or NULL. */
int kmodules_parse(struct kmodule_list *list, const char *text, const uint64_t *loads);
/*
 * The two steps of kmodules_look(). The first compares addresses, and the load number of the first module of @later.
 * The second determines the change.
 */
bool kmodules_are_same(const struct kmodules *modules);
enum kmodules_change kmodules_compare(struct kmodules *modules);

#endif
