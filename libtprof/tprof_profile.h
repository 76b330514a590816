/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Profiles: symbolized and sorted counts. Included by tprof.h, which has the rules for all functions. */
#ifndef TPROF_TPROF_PROFILE_H
#define TPROF_TPROF_PROFILE_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tprof_entry - an entry of a profile
 * @symbol:  function name; for tables without addresses, the key as text
 * @object:  program, library or part of the kernel that contains the function; "" for tables without addresses
 * @comm:    name of the process; "[empty]" if its name is empty, "" if the table has no process or the name is
 *           uncertain
 * @cgroup:  path below the cgroup root; "" if the table has no cgroup
 * @pid:     process id in the initial pid namespace; -1 if the table has no process, or the entry covers several
 * @cpu:     CPU; -1 if the table has no CPU, or the entry covers several
 * @mode:    what the CPU was doing
 * @samples: number of samples
 * @weight:  weight of the samples, in units of the event
 * @percent: share of the weight of all entries, 0 to 100
 * @file:    source file; "" if unknown, or if the session was opened without lines
 * @line:    line in @file; 0 if unknown
 * @inlined: the function was inlined into its caller
 * @owner:   name and process id of the process for which the kernel worked, as "postgres (1234)"; that of the entry
 *           itself, unless it worked for another. "" if the table has no owner
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
	const char *owner;
};

/** enum tprof_group - by which key entries are combined */
enum tprof_group {
	TPROF_GROUP_FUNCTION,	/* function and object, in all processes */
	TPROF_GROUP_PROCESS,
	TPROF_GROUP_OBJECT,
	TPROF_GROUP_CGROUP,
	TPROF_GROUP_LINE,	/* line and function; the function alone if lines are unknown */
	TPROF_GROUP_OWNER,	/* the process for which the kernel worked (tprof_work_owner() in filters) */
	TPROF_NR_GROUPS
};

/**
 * tprof_group__name() - returns "function", "process", "object", "cgroup", "line" or "owner"; NULL if @group is out of
 * range
 */
TPROF_API const char *tprof_group__name(enum tprof_group group);

/** tprof_profile__free() - free a profile and everything that its functions returned */
TPROF_API void tprof_profile__free(struct tprof_profile *profile);

/** tprof_profile__nr_entries() - returns the number of entries: functions by process, the heaviest first */
TPROF_API size_t tprof_profile__nr_entries(const struct tprof_profile *profile);
/** tprof_profile__entry() - returns an entry; NULL if @index is too large */
TPROF_API const struct tprof_entry *tprof_profile__entry(const struct tprof_profile *profile, size_t index);
/** tprof_profile__ledger() - returns the ledger of the time that the profile covers */
TPROF_API const struct tprof_ledger *tprof_profile__ledger(const struct tprof_profile *profile);
/** tprof_profile__info() - returns what the session used; strings belong to the profile */
TPROF_API const struct tprof_info *tprof_profile__info(const struct tprof_profile *profile);
/** tprof_profile__nr_events() - returns the number of events, at least 1 */
TPROF_API size_t tprof_profile__nr_events(const struct tprof_profile *profile);
/** tprof_profile__event() - returns an event of the profile, which belongs to it; NULL if @event is too large */
TPROF_API const struct tprof_event_info *tprof_profile__event(const struct tprof_profile *profile, size_t event);
/** tprof_profile__event_ledger() - returns the ledger of the samples of one event; NULL if @event is too large */
TPROF_API const struct tprof_ledger *tprof_profile__event_ledger(const struct tprof_profile *profile, size_t event);

/**
 * tprof_profile__entry_value() - returns the samples of one event in an entry
 * @profile: a profile
 * @index:   of the entry
 * @event:   of the event, as in tprof_sample.event
 *
 * @samples, @weight and @percent of struct tprof_entry, and the order of the entries, are those of the first event. 0
 * and 0 if an index is too large.
 */
TPROF_API struct tprof_tally tprof_profile__entry_value(const struct tprof_profile *profile, size_t index,
							size_t event);
/** tprof_profile__call_stack_value() - the same for a call stack */
TPROF_API struct tprof_tally tprof_profile__call_stack_value(const struct tprof_profile *profile, size_t index,
							     size_t event);

/**
 * tprof_profile__of_event() - returns a new profile with the samples of one event
 * @profile: unchanged
 * @event:   of the event
 *
 * The new profile has one event: its entries and call stacks are those with samples of this event, the heaviest first,
 * and its ledger is that of the event. It has no tables. The caller frees it with tprof_profile__free().
 *
 * Errors: EINVAL (no such event), ENOMEM.
 */
TPROF_API struct tprof_profile *tprof_profile__of_event(const struct tprof_profile *profile, size_t event);

/** tprof_profile__duration_ns() - returns the duration that the profile covers, in nanoseconds of CLOCK_MONOTONIC */
TPROF_API uint64_t tprof_profile__duration_ns(const struct tprof_profile *profile);

/**
 * tprof_profile__group() - returns a new profile with entries combined
 * @profile: not grouped; unchanged
 * @group:   by what
 *
 * The caller frees the new profile with tprof_profile__free(). It has no call stacks and no tables.
 *
 * Errors: EINVAL (@profile is grouped, or there is no such @group), ENOMEM.
 */
TPROF_API struct tprof_profile *tprof_profile__group(const struct tprof_profile *profile, enum tprof_group group);

/**
 * tprof_profile__merge() - add one profile to another
 * @into: receives entries, call stacks, tables, ledger and duration; not grouped
 * @from: unchanged; not grouped
 *
 * Ledgers and durations are added. Information that differs is removed: rate and numbers of CPUs become 0, the engine
 * becomes "several". The period is that of @from. Warnings are united; of more than 4 KiB, the first are kept.
 *
 * Errors: EINVAL (other events, or in another order; other units; or a grouped profile), ERANGE (a sum overflows), both
 * with @into unchanged; ENOMEM (@into then contains a part of @from and must not be used).
 */
TPROF_API int tprof_profile__merge(struct tprof_profile *into, const struct tprof_profile *from);

/*
 * Suffix of the symbol of a frame that was found by frame pointer in a call stack unwound from a copy of the stack,
 * because the code of the frame below (its callee) has no unwind information.
 */
#define TPROF_BY_FRAME_POINTER " (frame pointer)"

/*
 * The reasons of waits: the leaf of the call stack of a wait is the state (uapi/tprof_wait.h) and the reason, if that
 * is known, as "(sleeping: lock)". More may follow. X(NAME, name)
 */
#define TPROF_WAIT_REASONS(X)								\
	X(LOCK,		lock)								\
	X(DISK,		disk)								\
	X(NETWORK,	network)							\
	X(PIPE,		pipe)								\
	X(TIMER,	timer)								\
	X(POLL,		poll)								\
	X(CHILD,	child)								\
	X(SIGNAL,	signal)								\
	X(EVENT,	event)								\
	X(MESSAGE,	message)							\
	X(TERMINAL,	terminal)							\
	X(MEMORY,	memory)

/**
 * struct tprof_frame - a frame of a call stack
 * @symbol:   function name; "[object+0xoffset]" if there is no symbol, with the offset of the start of the function if
 *            that is known
 * @object:   program, library or part of the kernel that contains it, without a directory
 * @path:     path of the object as it was mapped; "" for the kernel and for code without a file
 * @build_id: build id of the object, in hexadecimal; "" if unknown
 * @address:  offset in the file at @path; without a file the address itself, or 0 if nothing is known about the code
 * @mode:     TPROF_MODE_USER, TPROF_MODE_KERNEL, or TPROF_MODE_UNKNOWN for a mark: "[stack table full]", or the state
 *            of a wait, "(preempted)" or "(sleeping: lock)", which is the leaf
 * @file:     source file, with its directory as far as the debug information has it; "" if unknown
 * @line:     line in @file, from 1; 0 if unknown
 * @start_line: line where the function starts; 0 if unknown
 * @inlined:  the function was inlined into that of the next frame, which has the same address
 *
 * In frames other than the leaf, the address is within the call instruction, not that of the instruction after it.
 * Lines and inlined functions need options of the session, and debug information of the object.
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
 * struct tprof_call_stack - a call stack with its number of samples
 * @frames:    from the leaf to the root; kernel frames come before user frames
 * @nr_frames: at least 1
 * @comm:      name of the process; "[empty]" if its name is empty, "" if the table has no process or the name is
 *             uncertain
 * @cgroup:    path below the cgroup root; "" if the table has no cgroup
 * @pid:       process id in the initial pid namespace; -1 if the table has no process
 * @samples:   number of samples
 * @weight:    weight of the samples, in units of the event
 * @owner:     as in struct tprof_entry
 */
struct tprof_call_stack {
	const struct tprof_frame *const *frames;
	size_t nr_frames;
	const char *comm;
	const char *cgroup;
	pid_t pid;
	uint64_t samples;
	uint64_t weight;
	const char *owner;
};

/**
 * tprof_profile__nr_call_stacks() - returns the number of distinct call stacks, sorted by weight, heaviest first
 * @profile: a profile
 *
 * 0 if no filter counts call stacks. The weights of all call stacks add up to the weights of all entries, unless a
 * profile with call stacks was merged with one that has none.
 */
TPROF_API size_t tprof_profile__nr_call_stacks(const struct tprof_profile *profile);
/** tprof_profile__call_stack() - returns a call stack, which belongs to the profile; NULL if @index is too large */
TPROF_API const struct tprof_call_stack *tprof_profile__call_stack(const struct tprof_profile *profile, size_t index);

/**
 * tprof_profile__by_frame_pointer() - returns how many samples have frames that were found by frame pointer
 * @profile: a profile
 *
 * Counts the call stacks that were unwound from copies of stacks, and that contain a symbol ending in
 * `TPROF_BY_FRAME_POINTER`. Reads all call stacks.
 */
TPROF_API struct tprof_tally tprof_profile__by_frame_pointer(const struct tprof_profile *profile);

/**
 * struct tprof_row - a row of a table, as text
 * @key:     the key: "name=value name=value", or the value alone if the key is not a struct
 * @value:   the value; empty for a plain counting table
 * @samples: number of samples; for a value type defined by the filter, its first integer
 * @weight:  weight in units of the event; for a value type defined by the filter, its second integer
 * @event:   index of the event in the profile; 0 if it has one
 * @series:  of a histogram, the key without its first bucket, "" if the key has nothing else; NULL if the key has none
 *
 * The key is without the event: several rows of a table have the same key if their events differ. The rows of a table
 * with equal event and series are the buckets of one histogram.
 */
struct tprof_row {
	const char *key;
	const char *value;
	uint64_t samples;
	uint64_t weight;
	size_t event;
	const char *series;
};

/** tprof_profile__nr_tables() - returns the number of tables of all filters */
TPROF_API size_t tprof_profile__nr_tables(const struct tprof_profile *profile);
/** tprof_profile__table_name() - returns the name of a table; NULL if the index is too large */
TPROF_API const char *tprof_profile__table_name(const struct tprof_profile *profile, size_t table);
/** tprof_profile__nr_rows() - returns the number of rows of a table, those of each event sorted, heaviest first */
TPROF_API size_t tprof_profile__nr_rows(const struct tprof_profile *profile, size_t table);
/** tprof_profile__row() - returns a row; NULL if an index is too large */
TPROF_API const struct tprof_row *tprof_profile__row(const struct tprof_profile *profile, size_t table, size_t row);

/** enum tprof_cell_type - meaning of a member of a key or value, from the name of its type in the filter */
enum tprof_cell_type {
	TPROF_CELL_UNSIGNED,	/* integer, bool, enum, pointer; tprof_exec_t, tprof_owner_exec_t, tprof_state_t */
	TPROF_CELL_SIGNED,	/* a signed integer: (int64_t)number; tprof_syscall_t */
	TPROF_CELL_TEXT,	/* an array of char, struct tprof_comm */
	TPROF_CELL_BYTES,	/* anything else */
	TPROF_CELL_ADDRESS,	/* tprof_ip_t; text and object are those of its symbol, as in struct tprof_symbol */
	TPROF_CELL_STACK,	/* tprof_stack_t; text is the call stack from the root to the leaf, separated by ";" */
	TPROF_CELL_CGROUP,	/* tprof_cgroup_t; text is the path below the cgroup root */
	TPROF_CELL_TIME,	/* tprof_ns_t, nanoseconds */
	TPROF_CELL_PROCESS,	/* tprof_tgid_t, tprof_owner_t */
	TPROF_CELL_THREAD,	/* tprof_tid_t */
	TPROF_CELL_CPU,		/* tprof_cpu_t */
	TPROF_CELL_FLAGS,	/* tprof_flags_t: TPROF_SAMPLE_* */
	TPROF_CELL_EVENT,	/* tprof_event_t; only if the session has several events */
	TPROF_CELL_LOG2,	/* tprof_log2_t: a bucket, whose bounds are powers of two */
	TPROF_CELL_LOG2_TIME,	/* tprof_log2_ns_t: the same of a time, with bounds in nanoseconds */
	TPROF_CELL_LINEAR,	/* tprof_linear_t: a bucket; number has no meaning beside its bounds */
	TPROF_NR_CELL_TYPES
};

/**
 * struct tprof_cell - a member of a key or value, with its type
 * @name:     name of the member ("a.b" for nested structs); "" if the key or value is not a struct
 * @type:     its meaning
 * @is_value: member of the value; otherwise of the key
 * @number:   the integer; 0 if it is not an integer, or is wider than 64 bits
 * @text:     as text, as in struct tprof_row
 * @object:   for an address, the program, library or part of the kernel that contains it; otherwise ""
 * @bytes:    the bytes written by the filter, in the byte order of the machine; for a bit field, all bytes that contain
 *            a part of it
 * @size:     number of bytes
 * @from:     of a bucket, the least number in it; otherwise 0
 * @to:       of a bucket, the least number above it, or UINT64_MAX if there is none in 64 bits; 0 if the cell is no
 *            bucket, or the filter wrote a number that is none
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
	uint64_t from;
	uint64_t to;
};

/** tprof_profile__nr_cells() - returns the number of members of a row's key and value; 0 if there is no such row */
TPROF_API size_t tprof_profile__nr_cells(const struct tprof_profile *profile, size_t table, size_t row);
/**
 * tprof_profile__cell() - returns a cell: the members of the key come first, in the order of their declaration
 * @profile: a profile
 * @table:   index of the table
 * @row:     index of the row
 * @cell:    index of the cell
 *
 * The cell belongs to the profile. NULL if an index is too large. Where rows of several intervals or profiles were
 * added up, the cells are those of the last one.
 */
TPROF_API const struct tprof_cell *tprof_profile__cell(const struct tprof_profile *profile, size_t table, size_t row,
						       size_t cell);

/**
 * struct tprof_format - an output format for profiles
 * @name:   name, for tprof_profile__export()
 * @suffix: suffix of file names (".json")
 * @about:  short description
 * @binary: not suitable for a terminal
 */
struct tprof_format {
	const char *name;
	const char *suffix;
	const char *about;
	bool binary;
};

/**
 * tprof_format__each() - list the output formats
 * @fn:  called for each; a value other than 0 ends the list and is returned
 * @ctx: passed to @fn
 */
TPROF_API int tprof_format__each(int (*fn)(void *ctx, const struct tprof_format *format), void *ctx);

/**
 * struct tprof_export_opts - how to write a profile
 * @sz:    size of this struct
 * @limit: maximum number of entries; 0: all
 * @tables: write the tables instead of the entries
 * @summary: text and JSON: write only the description of the session and the ledger
 */
struct tprof_export_opts {
	size_t sz;
	size_t limit;
	bool tables;
	bool summary;
};

/**
 * tprof_profile__export() - write a profile to a file descriptor
 * @profile: a profile
 * @format:  "text", "json" (described by docs/tprof-top.schema.json; with tables, by docs/tprof-run.schema.json), or
 *           another name from tprof_format__each()
 * @fd:      open for writing; stays open
 * @opts:    NULL for defaults. Formats with call stacks contain all call stacks and no tables. Of several events,
 *           "pprof", "text" and "json" contain all, sorted by the first, and other formats only the first;
 *           tprof_profile__of_event() selects another one
 *
 * Errors: EINVAL (no such format), ERANGE (a number is too large for the format), ENOMEM, and those of write(2).
 */
TPROF_API int tprof_profile__export(const struct tprof_profile *profile, const char *format, int fd,
				    const struct tprof_export_opts *opts);

/**
 * tprof_profile__read() - returns a profile from a pprof file or a raw recording
 * @fd:    read to its end; stays open
 * @name:  name of the file, for messages
 * @error: NULL, or filled on failure
 *
 * The caller frees the profile with tprof_profile__free().
 *
 * A file that tprof_profile__export() wrote as "pprof" restores everything except tables: entries, call stacks, info,
 * events, ledgers and duration. If it has call stacks, the entries are their leaves.
 *
 * Files of other programs have no ledger; the sum of their samples counts as fired. The same holds for a file of tprof
 * that pprof has merged or filtered. If samples have several values, the weight is the default value that the file
 * names, otherwise the last one; tprof_profile__read_part() selects another one. Values below 0 are left out. The file
 * may be uncompressed.
 *
 * Limits: 256 MiB uncompressed, 1 GiB of memory, 67,108,864 frames in all call stacks together. For raw recordings see
 * tprof_raw__each() and tprof_profile__read_part().
 *
 * Errors: EBADMSG (empty, truncated, damaged, or not a pprof file), EFBIG (exceeds a limit), EPROTONOSUPPORT (written
 * by a later version), ENOMEM, and those of read(2).
 */
TPROF_API struct tprof_profile *tprof_profile__read(int fd, const char *name, struct tprof_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_PROFILE_H */
