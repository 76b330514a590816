/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * JIT addresses that had no name when they were symbolized: compilers write perf-PID.map late, some only at exit. Until
 * the name is known, each address has a unique placeholder: "[jit 1234+0x7f12345678 #1]".
 */
#ifndef TPROF_LATE_NAMES_H
#define TPROF_LATE_NAMES_H

#include "base/hash.h"
#include "perfmaps.h"
#include "tprof_profile.h"

/* Addresses that wait for a name at the same time. Those beyond are named by their mapping only. */
#define LATE_NAMES_MAX 65536
#define LATE_NAME_TEXT 64

struct late_name {
	struct hash_node node;		/* by process and address */
	pid_t tgid;
	uint64_t ip;
	struct perfmaps_moment moment;
	const char *memory;		/* the name of the mapping, used if no name appears */
	const char *name;		/* the name, once known; else NULL */
	bool is_over;			/* no name will appear */
	bool is_written;		/* the name was written to a raw recording */
	bool is_marked;			/* the marked placeholder is in use too */
	char text[LATE_NAME_TEXT];	/* the placeholders: for the address, and for frames found by a frame pointer */
	char marked[LATE_NAME_TEXT + sizeof(TPROF_BY_FRAME_POINTER)];
};

/* A zeroed struct is empty and ready for use. */
struct late_names {
	struct hash by_place;
	uint64_t nr_added;		/* placeholders are never reused */
};

/*
 * Returns the placeholder of the address, valid until late_names_forget(). NULL if the address cannot wait for a name:
 * no memory, too many, or the period in which a name could appear is over. @memory is not copied.
 */
const char *late_names_add(struct late_names *names, pid_t tgid, uint64_t ip, const struct perfmaps_moment *moment,
			   const char *memory);
/* Returns the placeholder of the same address for frames found by a frame pointer. */
const char *late_names_mark(struct late_names *names, const char *text);
/* Finds an entry by either of its placeholders. NULL if there is none. */
const struct late_name *late_names_find(const struct late_names *names, const char *text);
/* Calls @ask for each entry that has no name yet. */
void late_names_ask(struct late_names *names, void (*ask)(void *ctx, struct late_name *name), void *ctx);
/* Drops the entries for which @keep returns false. Their placeholders become invalid. */
void late_names_filter(struct late_names *names, bool (*keep)(void *ctx, struct late_name *name), void *ctx);
void late_names_forget(struct late_names *names);

#endif
