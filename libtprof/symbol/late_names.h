/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Addresses of JIT code that had no name when they were to be named, because compilers write their maps late, some only
 * at the end. Each goes by a name of its own until then: "[jit 1234+0x7f12345678 #1]".
 */
#ifndef TPROF_LATE_NAMES_H
#define TPROF_LATE_NAMES_H

#include "base/hash.h"
#include "perfmaps.h"
#include "tprof_profile.h"

/* More of them at a time have no names but that of their memory. */
#define LATE_NAMES_MAX 65536
#define LATE_NAME_TEXT 64

struct late_name {
	struct hash_node node;		/* by process and address */
	pid_t tgid;
	uint64_t ip;
	struct perfmaps_moment moment;
	const char *memory;		/* what it is called if no name comes */
	const char *name;		/* that came; NULL: none */
	bool is_over;			/* none will come */
	bool is_written;		/* a raw recording has it */
	bool is_marked;			/* it goes by the other text, too */
	char text[LATE_NAME_TEXT];	/* by which it goes for now, and the same of a frame found by a frame pointer */
	char marked[LATE_NAME_TEXT + sizeof(TPROF_BY_FRAME_POINTER)];
};

/* A zeroed struct is ready. */
struct late_names {
	struct hash by_place;
	uint64_t nr_added;		/* a text is never used again */
};

/*
 * The text that the address goes by, valid until late_names_forget(). NULL: it cannot wait for a name (no memory, too
 * many, or the time for one is over). @memory is not copied.
 */
const char *late_names_add(struct late_names *names, pid_t tgid, uint64_t ip, const struct perfmaps_moment *moment,
			   const char *memory);
/* The text that the same address goes by in frames that were found by a frame pointer. */
const char *late_names_mark(struct late_names *names, const char *text);
/* The one that goes by that text, or by the marked one, or NULL. */
const struct late_name *late_names_find(const struct late_names *names, const char *text);
/* Calls @ask for each that still waits. */
void late_names_ask(struct late_names *names, void (*ask)(void *ctx, struct late_name *name), void *ctx);
/* Keeps those for which @keep says so: the texts of others are not known to anybody any more. */
void late_names_filter(struct late_names *names, bool (*keep)(void *ctx, struct late_name *name), void *ctx);
void late_names_forget(struct late_names *names);

#endif
