/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Profiles as they are made: entries and rows are added up under what makes them equal, then sorted once. */
#ifndef TPROF_PROFILE_H
#define TPROF_PROFILE_H

#include "base/hash.h"
#include "base/intern.h"
#include "tprof.h"

struct profile_entry {
	struct hash_node node;
	struct tprof_entry entry;
	const struct tprof_entry *owner;	/* while grouping: an entry that went into this one */
	bool several_pids, several_names;	/* while grouping: of several processes, of several names */
};

/* A frame that is kept once, whichever the call stacks it is in. */
struct profile_frame {
	struct hash_node node;
	struct tprof_frame frame;
};

/* The frames of a call stack, kept once: a program that is run again and again has the same under many process ids. */
struct profile_stack {
	struct hash_node node;
	size_t nr;
	const struct tprof_frame *frames[];
};

struct profile_call_stack {
	struct hash_node node;
	struct tprof_call_stack call_stack;	/* whose frames are those of a stack */
};

/* The call stacks of a profile; a zeroed struct has none. */
struct profile_call_stacks {
	struct hash frames, stacks, index;
	const struct tprof_frame **at_hand;	/* the frames of the call stack that is being added */
	size_t at_hand_room;
	struct profile_call_stack **call_stacks;
	size_t nr, room;
};

struct profile_row {
	struct hash_node node;
	struct tprof_row row;
	struct tprof_cell *cells;	/* with their bytes behind them */
	size_t nr_cells;
};

struct profile_table {
	const char *name;
	struct hash index;
	struct profile_row **rows;
	size_t nr, room;
};

struct tprof_profile {
	struct intern *strings;		/* every string in here */
	struct hash index;
	struct profile_entry **entries;
	size_t nr, room;
	struct profile_call_stacks calls;
	struct profile_table *tables;
	size_t nr_tables, tables_room;
	struct tprof_ledger ledger;
	struct tprof_info info;
	uint64_t duration_ns;
};

struct tprof_profile *profile_new(void);

/* Copies the strings of the info. Errors: ENOMEM. */
int profile_set_info(struct tprof_profile *profile, const struct tprof_info *info);

/* Says of the entry that it is at the frame; the mode is for the caller to say. */
void profile_set_place(struct tprof_entry *entry, const struct tprof_frame *frame);

/* Adds samples and weight to the entry that has all else the same, or makes one. Strings are copied. Errors: ENOMEM. */
int profile_add(struct tprof_profile *profile, const struct tprof_entry *entry);

/* The entry that profile_add() would add to, or NULL. */
struct profile_entry *profile_find(struct tprof_profile *profile, const struct tprof_entry *entry);

/*
 * Adds samples and weight to the call stack that has the same frames, comm, cgroup and pid, or makes one. Strings and
 * frames are copied. Errors: ENOMEM.
 */
int profile_add_call_stack(struct tprof_profile *profile, const struct tprof_call_stack *call_stack);

/*
 * The profile's own copy of a frame, made if it is not there. NULL if there is no memory. Call stacks of such frames
 * are added quicker.
 */
const struct tprof_frame *profile_keep_frame(struct tprof_profile *profile, const struct tprof_frame *frame);

/* For profile_finish(), tprof_profile__merge() and tprof_profile__free(). */
void profile_sort_call_stacks(struct tprof_profile *profile);
int profile_merge_call_stacks(struct tprof_profile *into, const struct tprof_profile *from);
void profile_free_call_stacks(struct tprof_profile *profile);

/* The profile's own copy of a name, made if it is not there; of NULL, "". NULL if there is no memory. */
const char *profile_keep(struct tprof_profile *profile, const char *name);

/* Adds a table without rows; the name is copied. Returns its index, or -ENOMEM. */
int profile_add_table(struct tprof_profile *profile, const char *name);

/* Adds to the row of the same key, or makes one; the value in words is replaced. Errors: ENOMEM. */
int profile_add_row(struct tprof_profile *profile, size_t table, const struct tprof_row *row,
		    const struct tprof_cell *cells, size_t nr_cells);

/* Gives other names to functions: changes what it is passed, strings that need not be the profile's. */
struct profile_renaming {
	void (*fn)(void *ctx, const char **symbol, const char **object, uint64_t *address);
	void *ctx;
};

/* For all entries and call stacks, before profile_finish(). Errors: ENOMEM; the profile is as it was then. */
int profile_rename(struct tprof_profile *profile, const struct profile_renaming *by);

/* Sorts, and works out the shares. To be called once everything has been added. */
void profile_finish(struct tprof_profile *profile);

#endif
