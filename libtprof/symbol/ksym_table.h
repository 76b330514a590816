/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Symbols of the kernel in order of address. A table holds either all symbols of /proc/kallsyms, or the functions that
 * were inserted one by one.
 */
#ifndef TPROF_KSYM_TABLE_H
#define TPROF_KSYM_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "kmodules.h"

/* A zeroed struct has no symbols. */
struct ksym_table {
	struct ksym *syms;
	size_t nr, capacity;
	char *names;			/* begins with an empty name */
	size_t names_size, names_capacity;
	char (*objects)[PROC_COMM_LEN];
	size_t nr_objects, objects_capacity;
	bool after_text;		/* while parsing: the previous line was a function */
};

/* Not terminated. */
struct ksym_name {
	const char *name, *object;
	size_t name_length, object_length;	/* symbols of the core kernel have no object */
};

/* Removes all symbols. Returns 0 or -ENOMEM; call it before anything is added. */
int ksym_table_begin(struct ksym_table *table);
void ksym_table_fini(struct ksym_table *table);

/*
 * All symbols: parses the complete lines of a piece of kallsyms and returns the bytes consumed, or -errno; adds the
 * ends of the modules that have symbols; and finally sorts. Nothing is found before.
 */
ssize_t ksym_table_parse(struct ksym_table *table, const char *text, size_t size);
int ksym_table_add_ends(struct ksym_table *table, const struct kmodule_list *list);
void ksym_table_finish(struct ksym_table *table);

/* One function, [@start, @end), at an address where none is found. Returns 0 or -errno. */
int ksym_table_insert(struct ksym_table *table, uint64_t start, uint64_t end, const struct ksym_name *name);

struct ksym_found {
	uint64_t start;
	bool is_last_byte;		/* the next byte does not belong to the function */
	const char *name, *object;	/* terminated; valid until the table is changed */
};

/* Finds the function for an address, as described at ksyms_find(). */
bool ksym_table_find(const struct ksym_table *table, uint64_t ip, struct ksym_found *found);

#endif
