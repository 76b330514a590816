/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions, objects and processes by number, the same for the same name in several profiles. */
#ifndef TPROF_NAMES_H
#define TPROF_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "tprof.h"

struct name {
	const char *text, *object;	/* the profile's, whichever it came from first */
	enum tprof_mode mode;
	int pid;			/* of processes; else -1 */
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
};

/* The number of a name, or -1 if there is no memory. */
long names_number(struct names *names, const struct name *name);

/* The same for what stands for it at an address, as long as that stays; @name is looked at if it is not known. */
long names_number_of(struct names *names, const void *of, const struct name *name);

/* Forgets addresses, before those of another profile. */
void names_forget(struct names *names);

void names_fini(struct names *names);

#endif
