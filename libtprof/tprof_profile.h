/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Profiles: what was counted, named and sorted. A part of tprof.h, which brings it along and has the rules. */
#ifndef TPROF_TPROF_PROFILE_H
#define TPROF_TPROF_PROFILE_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tprof_entry - one line of a profile
 * @symbol:  function name, or the key in words for tables without addresses
 * @object:  program, library or kernel part that has it; "" for tables without addresses
 * @comm:    name of the process; "[empty]" if it has given itself none, "" if the table does not say, or nothing is
 *           sure
 * @cgroup:  path below the cgroup root; "" if the table does not say
 * @pid:     process id in the initial pid namespace; -1 if the table does not say or several are meant
 * @cpu:     CPU; -1 if the table does not say or several are meant
 * @mode:    what the CPU was doing
 * @samples: number of samples
 * @weight:  what they stand for, in units of the event
 * @percent: share of all that was counted in this table, 0 to 100
 * @file:    source file; "" if it is not known, or the session was not asked for lines
 * @line:    line of it; 0 if it is not known
 * @inlined: the function was put in the place of its call
 *
 * Control characters in names are replaced by question marks.
 */
struct tprof_entry {
	const char *symbol;
	const char *object;
	const char *comm;
	const char *cgroup;
	pid_t pid;
	int cpu;
	enum tprof_mode mode;
	uint64_t samples;
	uint64_t weight;
	double percent;
	const char *file;
	unsigned int line;
	bool inlined;
};

/** enum tprof_group - what makes two entries one */
enum tprof_group {
	TPROF_GROUP_FUNCTION,	/* same function of the same object, whichever the process */
	TPROF_GROUP_PROCESS,
	TPROF_GROUP_OBJECT,
	TPROF_GROUP_CGROUP,
	TPROF_GROUP_LINE,	/* same line of the same function; the same function where lines are not known */
	TPROF_NR_GROUPS
};

/** tprof_group__name() - "function", "process", "object", "cgroup", "line", or NULL */
TPROF_API const char *tprof_group__name(enum tprof_group group);

/** tprof_profile__free() - free a profile */
TPROF_API void tprof_profile__free(struct tprof_profile *profile);

/** tprof_profile__nr_entries() - how many entries: functions by process, sorted by weight, heaviest first */
TPROF_API size_t tprof_profile__nr_entries(const struct tprof_profile *profile);
/** tprof_profile__entry() - one of them; NULL if the index is too large */
TPROF_API const struct tprof_entry *tprof_profile__entry(const struct tprof_profile *profile, size_t index);
/** tprof_profile__ledger() - the account of the time that the profile covers */
TPROF_API const struct tprof_ledger *tprof_profile__ledger(const struct tprof_profile *profile);
/** tprof_profile__info() - what the session did; strings belong to the profile */
TPROF_API const struct tprof_info *tprof_profile__info(const struct tprof_profile *profile);
/** tprof_profile__duration_ns() - how long it covers, nanoseconds of CLOCK_MONOTONIC */
TPROF_API uint64_t tprof_profile__duration_ns(const struct tprof_profile *profile);

/**
 * tprof_profile__group() - the same profile with entries put together
 * @profile: as it came from a snapshot
 * @group:   by what
 *
 * Returns a new profile, to be freed by the caller; the old one stays.
 */
TPROF_API struct tprof_profile *tprof_profile__group(const struct tprof_profile *profile, enum tprof_group group);

/**
 * tprof_profile__merge() - add one profile to another
 * @into: receives entries, tables, ledger and duration; as it came from a snapshot, not grouped
 * @from: stays as it is
 *
 * Ledgers and durations add up. What is not the same in both is not said any more: another rate or number of CPUs is 0,
 * another engine "several".
 *
 * Errors: EINVAL (different events or units), ERANGE (a sum is more than a number can hold), both with @into unchanged;
 * ENOMEM (then @into has a part of @from, and is of no use).
 */
TPROF_API int tprof_profile__merge(struct tprof_profile *into, const struct tprof_profile *from);

/*
 * How the symbol of a frame ends that was found by a frame pointer, in a call stack that is unwound from a copy of the
 * stack: nothing is written down of the code of the frame before.
 */
#define TPROF_BY_FRAME_POINTER " (frame pointer)"

/**
 * struct tprof_frame - a place in a call stack
 * @symbol:   function name; "[object+0xoffset]" where there is none, of the start of the function if that is known
 * @object:   program, library or kernel part that has it, without its directory
 * @path:     of the object, as it was mapped; "" for the kernel and for code without a file
 * @build_id: of the object, in hexadecimal; "" if it is not known
 * @address:  byte of the file at @path; else the address itself, or 0 for code of which nothing is known
 * @mode:     TPROF_MODE_USER, TPROF_MODE_KERNEL, or TPROF_MODE_UNKNOWN for a mark such as "[stack table full]"
 * @file:     source file, with its directory as far as the compiler said it; "" if it is not known
 * @line:     line of it, from 1 on; 0 if it is not known
 * @start_line: the line where the function begins; 0 if it is not known
 * @inlined:  the function was put in the place of its call: the next frame, at the same address, is the one it was put
 *            into
 *
 * Of frames that are not leaves, the address is in the call, not behind it. Lines and inlined functions are there if
 * the session was asked for them, and the object has debug information.
 */
struct tprof_frame {
	const char *symbol;
	const char *object;
	const char *path;
	const char *build_id;
	uint64_t address;
	enum tprof_mode mode;
	const char *file;
	unsigned int line;
	unsigned int start_line;
	bool inlined;
};

/**
 * struct tprof_call_stack - a call stack, and how often it was met
 * @frames:    from the leaf to the root; kernel frames come before those of the program that called the kernel
 * @nr_frames: at least 1
 * @comm:      name of the process; "[empty]" if it has given itself none, "" if the table does not say, or nothing is
 *             sure
 * @cgroup:    path below the cgroup root; "" if the table does not say
 * @pid:       process id in the initial pid namespace; -1 if the table does not say
 * @samples:   number of samples
 * @weight:    what they stand for, in units of the event
 */
struct tprof_call_stack {
	const struct tprof_frame *const *frames;
	size_t nr_frames;
	const char *comm;
	const char *cgroup;
	pid_t pid;
	uint64_t samples;
	uint64_t weight;
};

/**
 * tprof_profile__nr_call_stacks() - how many different call stacks it has, sorted by weight, heaviest first
 *
 * 0 if no filter counts by stacks. The weights of all call stacks add up to those of all entries.
 */
TPROF_API size_t tprof_profile__nr_call_stacks(const struct tprof_profile *profile);
/** tprof_profile__call_stack() - one of them; NULL if the index is too large. Belongs to the profile. */
TPROF_API const struct tprof_call_stack *tprof_profile__call_stack(const struct tprof_profile *profile, size_t index);

/**
 * tprof_profile__by_frame_pointer() - how many samples have callers that were found by a frame pointer
 *
 * Those of call stacks that are unwound from copies of stacks, and in which the symbol of a frame ends in
 * `TPROF_BY_FRAME_POINTER`. Looks at all call stacks.
 */
TPROF_API struct tprof_tally tprof_profile__by_frame_pointer(const struct tprof_profile *profile);

/**
 * struct tprof_row - one key of a table, in words
 * @key:     the key as text: "name=value name=value", or the value alone if the key is not a struct
 * @value:   the value as text; empty for a plain counting table
 * @samples: number of samples, or the first integer of a value of the author's own
 * @weight:  what they stand for, or the second integer
 */
struct tprof_row {
	const char *key;
	const char *value;
	uint64_t samples;
	uint64_t weight;
};

/** tprof_profile__nr_tables() - how many tables the filters have */
TPROF_API size_t tprof_profile__nr_tables(const struct tprof_profile *profile);
/** tprof_profile__table_name() - name of one; NULL if the index is too large */
TPROF_API const char *tprof_profile__table_name(const struct tprof_profile *profile, size_t table);
/** tprof_profile__nr_rows() - how many rows it has, sorted by weight, heaviest first */
TPROF_API size_t tprof_profile__nr_rows(const struct tprof_profile *profile, size_t table);
/** tprof_profile__row() - one of them; NULL if the index is too large */
TPROF_API const struct tprof_row *tprof_profile__row(const struct tprof_profile *profile, size_t table, size_t row);

/** enum tprof_cell_type - what a member of a key or a value is, by the name of its type in the filter */
enum tprof_cell_type {
	TPROF_CELL_UNSIGNED,	/* an integer, a bool, an enum, a pointer; tprof_exec_t */
	TPROF_CELL_SIGNED,	/* an integer below 0, too: (int64_t)number */
	TPROF_CELL_TEXT,	/* an array of char, struct tprof_comm */
	TPROF_CELL_BYTES,	/* anything else */
	TPROF_CELL_ADDRESS,	/* tprof_ip_t; text and object are the function's, as in struct tprof_symbol */
	TPROF_CELL_STACK,	/* tprof_stack_t; text is the call stack, from the root to the leaf, separated by ";" */
	TPROF_CELL_CGROUP,	/* tprof_cgroup_t; text is the path below the cgroup root */
	TPROF_CELL_TIME,	/* tprof_ns_t, nanoseconds */
	TPROF_CELL_PROCESS,	/* tprof_tgid_t */
	TPROF_CELL_THREAD,	/* tprof_tid_t */
	TPROF_CELL_CPU,		/* tprof_cpu_t */
	TPROF_CELL_FLAGS,	/* tprof_flags_t: TPROF_SAMPLE_* */
	TPROF_NR_CELL_TYPES
};

/**
 * struct tprof_cell - a member of a key or a value, by its type
 * @name:     of the member ("a.b" within a struct within a struct); "" if key or value is not a struct
 * @type:     what it is
 * @is_value: of the value; of the key otherwise
 * @number:   the integer; 0 if it is none, or wider than 64 bits
 * @text:     in words, as it stands in struct tprof_row
 * @object:   of an address, the program, library or kernel part that has it; "" of all else
 * @bytes:    as the filter wrote it, in this machine's byte order; of bit fields, all bytes that have some of it
 * @size:     how many bytes
 */
struct tprof_cell {
	const char *name;
	enum tprof_cell_type type;
	bool is_value;
	uint64_t number;
	const char *text;
	const char *object;
	const void *bytes;
	size_t size;
};

/** tprof_profile__nr_cells() - how many members key and value of a row have; 0 if there is no such row */
TPROF_API size_t tprof_profile__nr_cells(const struct tprof_profile *profile, size_t table, size_t row);
/**
 * tprof_profile__cell() - one of them: those of the key first, in the order of their declaration
 *
 * NULL if the index is too large. Belongs to the profile. Where rows of two profiles or intervals are added up, their
 * cells are those of the last.
 */
TPROF_API const struct tprof_cell *tprof_profile__cell(const struct tprof_profile *profile, size_t table, size_t row,
						       size_t cell);

/**
 * struct tprof_format - a format that profiles can be written in
 * @name:   as tprof_profile__export() takes it
 * @suffix: how the names of such files end (".json")
 * @about:  what it is, in some words
 * @binary: not for terminals
 */
struct tprof_format {
	const char *name;
	const char *suffix;
	const char *about;
	bool binary;
};

/**
 * tprof_format__each() - the formats
 * @fn:  called for each; a return value other than 0 ends the list and is returned
 * @ctx: passed to @fn
 */
TPROF_API int tprof_format__each(int (*fn)(void *ctx, const struct tprof_format *format), void *ctx);

/**
 * struct tprof_export_opts - how to write a profile
 * @sz:    size of this struct
 * @limit: at most so many entries; 0: all
 * @tables: write the tables as they are instead of the entries
 * @summary: text and JSON: only what was done and what became of the samples
 */
struct tprof_export_opts {
	size_t sz;
	size_t limit;
	bool tables;
	bool summary;
};

/**
 * tprof_profile__export() - write a profile
 * @profile: a profile
 * @format:  "text"; "json" (docs/tprof-top.schema.json describes it); or one of tprof_format__each()
 * @fd:      where to
 * @opts:    NULL for defaults. Formats with call stacks have all of them, and no tables
 *
 * Errors: EINVAL (no such format), ERANGE (the format cannot hold a number as large), and those of write(2).
 */
TPROF_API int tprof_profile__export(const struct tprof_profile *profile, const char *format, int fd,
				    const struct tprof_export_opts *opts);

/**
 * tprof_profile__read() - a profile from a pprof file or a raw recording
 * @fd:    read to its end, and left open
 * @name:  of the file, for sentences
 * @error: NULL, or filled on failure
 *
 * What tprof_profile__export() wrote as "pprof" comes back as it was, but for tables: entries, call stacks, info,
 * ledger, duration. With call stacks, the entries are the leaves of these. Files of other programs have no ledger of
 * their own; what they have is taken as all that fired. Of several kinds of values the weight is the one that the file
 * names as the default, or else the last, and tprof_profile__read_part() takes another; what of it is below 0 is left
 * out. What pprof made of a file of tprof, by a merge or a selection, has no ledger either. A file need not be packed.
 *
 * Bounds: a file may unpack to 256 MiB and take 1 GiB of memory, and its stacks may have 67,108,864 frames in all. Of
 * raw recordings see tprof_raw__each() and tprof_profile__read_part().
 *
 * Errors: EBADMSG (empty, cut short, damaged, or no pprof file), EFBIG (out of bounds), EPROTONOSUPPORT (of a later
 * version), ENOMEM, and those of read(2).
 */
TPROF_API struct tprof_profile *tprof_profile__read(int fd, const char *name, struct tprof_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_PROFILE_H */
