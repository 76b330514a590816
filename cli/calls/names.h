/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers for the names of functions, objects and processes; equal names have the same number in several profiles. */
#ifndef TPROF_NAMES_H
#define TPROF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof.h"

struct name {
	const char *text, *object;	/* owned by the first profile with the name */
	enum tprof_mode mode;
	int pid;			/* for processes; otherwise -1 */
	const char *function;		/* the text without line and mark; NULL: not a function */
	const char *file;		/* source file; NULL: unknown */
	unsigned int line;		/* by line: the line in the text; else the start of the function; 0: unknown */
	bool inlined;			/* the text is marked as inlined */
};

/* A zeroed struct is empty. */
struct names {
	struct name *names;
	size_t nr, capacity;
	uint32_t *slots;		/* hash table by text: number + 1; 0: free */
	size_t nr_slots;
	struct names_known {
		const void *of;
		uint32_t number;
	} *known;			/* hash table by address; most lookups find a known frame */
	size_t nr_known, nr_known_slots;
	struct names_text *texts;	/* texts made by names_text() */
};

/* Whether names of a group are functions, which have an object; and whether they are code, which has callers. */
static inline bool names_are_functions(enum tprof_group group)
{
	return group == TPROF_GROUP_FUNCTION || group == TPROF_GROUP_LINE;
}

static inline bool names_are_code(enum tprof_group group)
{
	return names_are_functions(group) || group == TPROF_GROUP_OBJECT;
}

/* The mode in a table; that of marks, such as "(preempted)", is "-". */
static inline const char *name_mode(const struct name *name)
{
	return name->mode == TPROF_MODE_UNKNOWN ? "-" : tprof_mode__name(name->mode);
}

/* The function name with its source line (0: none), and a mark if it is inlined; NULL if memory is short. */
const char *names_text(struct names *names, const char *function, bool inlined, const char *file, unsigned int line);

/* The number of a name, or -1 if memory is short. */
long names_number(struct names *names, const struct name *name);

/* The same, cached under address @of, which must stay valid; @name is used only if @of is not cached. */
long names_number_of(struct names *names, const void *of, const struct name *name);

/* The number cached under address @of, or -1. */
long names_known(const struct names *names, const void *of);

/* Clears the cache of addresses; call it before using another profile. */
void names_forget(struct names *names);

void names_fini(struct names *names);

#endif
