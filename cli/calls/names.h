/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions, objects and processes by number, the same for the same name in several profiles. */
#ifndef TPROF_NAMES_H
#define TPROF_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tprof.h"

struct name {
	const char *text, *object;	/* the profile's, whichever it came from first */
	enum tprof_mode mode;
	int pid;			/* of processes; else -1 */
	const char *function;		/* of which the text says more, such as a line; NULL: the text is all */
	const char *file;		/* of the source; NULL: not known */
	unsigned int line;		/* by line: what the text says; else where the function begins; 0: not known */
	bool inlined;			/* as the text says */
};

/* A zeroed struct has none. */
struct names {
	struct name *names;
	size_t nr, room;
	uint32_t *slots;		/* number + 1 by the hash of the text; 0: free */
	size_t nr_slots;
	struct names_known {
		const void *of;
		uint32_t number;
	} *known;			/* by address; frames are looked up far more often than they are new */
	size_t nr_known, nr_known_slots;
	struct names_text *texts;	/* those that were put together */
};

/* Are they functions, which have an object each; are they code, which has callers? */
static inline bool names_are_functions(enum tprof_group group)
{
	return group == TPROF_GROUP_FUNCTION || group == TPROF_GROUP_LINE;
}

static inline bool names_are_code(enum tprof_group group)
{
	return names_are_functions(group) || group == TPROF_GROUP_OBJECT;
}

/* What a function is called with its source line, and a mark if it is inlined; NULL if there is no memory. */
const char *names_text(struct names *names, const char *function, bool inlined, const char *file, unsigned int line);

/* The number of a name, or -1 if there is no memory. */
long names_number(struct names *names, const struct name *name);

/* The same for what stands for it at an address, as long as that stays; @name is looked at if it is not known. */
long names_number_of(struct names *names, const void *of, const struct name *name);

/* The number of what stands at an address, or -1 if that is not known yet. */
long names_known(const struct names *names, const void *of);

/* Forgets addresses, before those of another profile. */
void names_forget(struct names *names);

void names_fini(struct names *names);

#endif
