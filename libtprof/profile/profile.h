/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Building profiles: equal entries, call stacks and rows are merged as they are added, and sorted once at the end. */
#ifndef TPROF_PROFILE_H
#define TPROF_PROFILE_H

#include "base/hash.h"
#include "base/intern.h"
#include "tprof.h"

struct profile_entry {
	struct hash_node node;
	struct tprof_entry entry;		/* its samples and weight are those of the first event */
	const struct tprof_entry *one;		/* while grouping: one of the merged entries */
	bool several_pids, several_names;	/* while grouping: entries differ in pid, in process name */
	size_t nr_more;
	struct tprof_tally more[];		/* of the second event and the following */
};

/* A frame, stored once for all call stacks that contain it. */
struct profile_frame {
	struct hash_node node;
	struct tprof_frame frame;
};

/*
 * The frames of a call stack, stored once: a program that is run repeatedly has the same frames under many process ids.
 */
struct profile_stack {
	struct hash_node node;
	size_t nr;
	const struct tprof_frame *frames[];
};

struct profile_call_stack {
	struct hash_node node;
	struct tprof_call_stack call_stack;	/* its frames point into a profile_stack; samples as in an entry */
	size_t nr_more;
	struct tprof_tally more[];
};

/* An event of a profile that has several. */
struct profile_event {
	struct tprof_event_info info;
	struct tprof_ledger ledger;
};

/* The call stacks of a profile. A zeroed struct is empty. */
struct profile_call_stacks {
	struct hash frames, stacks, index;
	const struct tprof_frame **at_hand;	/* scratch: frames of the call stack being added */
	size_t at_hand_capacity;
	struct profile_call_stack **call_stacks;
	size_t nr, capacity;
};

struct profile_row {
	struct hash_node node;
	struct tprof_row row;
	struct tprof_cell *cells;	/* one block, followed by their bytes */
	size_t nr_cells;
};

struct profile_table {
	const char *name;
	struct hash index;
	struct profile_row **rows;
	size_t nr, capacity;
};

struct profile_last {
	const char *object, *comm, *cgroup, *owner, *file;
};

struct tprof_profile {
	struct intern *strings;		/* owns every string of the profile */
	struct profile_last last;	/* strings of the entry that was added last; NULL at first */
	struct hash index;
	struct profile_entry **entries;
	size_t nr, capacity;
	struct profile_call_stacks calls;
	struct profile_table *tables;
	size_t nr_tables, tables_capacity;
	struct tprof_ledger ledger;
	struct tprof_info info;
	struct tprof_event_info first;	/* the event, if there is one */
	struct profile_event *events;	/* NULL: there is one event, and the ledger is its own */
	size_t nr_events;
	uint64_t duration_ns;
	bool grouped;			/* by tprof_profile__group(): entries are no functions by process */
	enum tprof_group group;		/* if grouped */
};

struct tprof_profile *profile_new(void);

/* Copies the strings of @info. Errors: ENOMEM. */
int profile_set_info(struct tprof_profile *profile, const struct tprof_info *info);

/*
 * profile_events.c: prepares for the values of @nr events and copies their descriptions, before anything is added.
 * profile_set_info() describes the first. Errors: ENOMEM.
 */
int profile_set_events(struct tprof_profile *profile, const struct tprof_event_info *events, size_t nr);
/* The events of another profile. Errors: ENOMEM. */
int profile_copy_events(struct tprof_profile *profile, const struct tprof_profile *from);
/* True if both have the same events, in the same order. */
bool profile_same_events(const struct tprof_profile *a, const struct tprof_profile *b);
/* The value of an event of an entry or a call stack. */
struct tprof_tally entry_tally(const struct profile_entry *entry, size_t event);
struct tprof_tally call_stack_tally(const struct profile_call_stack *call_stack, size_t event);
/* Adds a value of an event. */
void tally_add_of(uint64_t *samples, uint64_t *weight, struct tprof_tally *more, const struct tprof_tally *added,
		  size_t event);

/* Sets the place of the entry from the frame, except the mode, which the caller sets. */
void profile_set_place(struct tprof_entry *entry, const struct tprof_frame *frame);

/*
 * Adds samples and weight to the entry with equal other fields; creates it if there is none. Copies strings. Errors:
 * ENOMEM.
 */
int profile_add(struct tprof_profile *profile, const struct tprof_entry *entry);
/* The same with samples and weight of another event than the first. */
int profile_add_of(struct tprof_profile *profile, const struct tprof_entry *entry, size_t event);
/* Adds the values of all events of an entry of another profile, under the key @entry. */
int profile_add_all(struct tprof_profile *profile, const struct tprof_entry *entry, const struct profile_entry *from);

/* Finds the entry that profile_add() would add to, or NULL. */
struct profile_entry *profile_find(struct tprof_profile *profile, const struct tprof_entry *entry);

/*
 * Adds samples and weight to the call stack with the same frames, comm, cgroup, owner and pid; creates it if there is
 * none. Copies strings and frames. Errors: ENOMEM.
 */
int profile_add_call_stack(struct tprof_profile *profile, const struct tprof_call_stack *call_stack);
int profile_add_call_stack_of(struct tprof_profile *profile, const struct tprof_call_stack *call_stack, size_t event);
int profile_add_call_stack_all(struct tprof_profile *profile, const struct tprof_call_stack *call_stack,
			       const struct profile_call_stack *from);

/*
 * Returns the profile's copy of a frame, creating it if needed. NULL if there is no memory. Call stacks made of such
 * frames are added faster.
 */
const struct tprof_frame *profile_keep_frame(struct tprof_profile *profile, const struct tprof_frame *frame);

/* Used by profile_finish(), tprof_profile__merge() and tprof_profile__free(). */
void profile_sort_call_stacks(struct tprof_profile *profile);
int profile_merge_call_stacks(struct tprof_profile *into, const struct tprof_profile *from);
void profile_free_call_stacks(struct tprof_profile *profile);
/* profile_rows.c: the same for the tables. */
void profile_sort_tables(struct tprof_profile *profile);
int profile_merge_tables(struct tprof_profile *into, const struct tprof_profile *from);
void profile_free_tables(struct tprof_profile *profile);

/* Returns the profile's copy of a string, creating it if needed; "" for NULL. NULL if there is no memory. */
const char *profile_keep(struct tprof_profile *profile, const char *name);

/* The warnings of a total; a single profile may have more. */
#define WARNINGS_SIZE 4096

/* Adds a warning, a sentence without a semicolon. 0 or -ENOMEM; without memory, the warnings stay as they are. */
int profile_warn(struct tprof_profile *profile, const char *warning);

/* Adds an empty table; copies the name. Returns its index, or -ENOMEM. */
int profile_add_table(struct tprof_profile *profile, const char *name);

/*
 * Adds samples and weight to the row with the same key and event; creates it if there is none. The formatted value and
 * the cells are replaced. Errors: ENOMEM.
 */
int profile_add_row(struct tprof_profile *profile, size_t table, const struct tprof_row *row,
		    const struct tprof_cell *cells, size_t nr_cells);

/*
 * Callback that renames functions: it replaces the pointers it is passed. The strings need not belong to the profile.
 */
struct profile_renaming {
	void (*fn)(void *ctx, const char **symbol, const char **object, uint64_t *address);
	void *ctx;
};

/* Renames all entries and call stacks. Call before profile_finish(). Errors: ENOMEM; the profile is unchanged then. */
int profile_rename(struct tprof_profile *profile, const struct profile_renaming *by);

/* Sorts and computes the shares. Call once everything has been added. */
void profile_finish(struct tprof_profile *profile);

#endif
