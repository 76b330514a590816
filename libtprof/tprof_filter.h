/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Filters: open, configure and check. Included by tprof.h, which has the rules for all functions. */
#ifndef TPROF_TPROF_FILTER_H
#define TPROF_TPROF_FILTER_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * tprof_filter__open() - open a filter object
 * @name:  path of a compiled filter (contains a slash or ends in .o), or name of a shipped filter ("top")
 * @error: NULL, or filled on failure
 *
 * Loads nothing into the kernel. Free the filter with tprof_filter__free(), or pass it to tprof_session__add_filter().
 *
 * Errors: ENOENT (no such file or shipped filter), ENOEXEC (not a BPF object, or not a filter), EPROTO (compiled for
 * another version of the ABI), EACCES (the file cannot be read), ENOMEM.
 */
TPROF_API struct tprof_filter *tprof_filter__open(const char *name, struct tprof_error *error);

/** tprof_filter__free() - free a filter that was not passed to a session */
TPROF_API void tprof_filter__free(struct tprof_filter *filter);

/** tprof_filter__name() - returns the name given in TPROF_FILTER(); the first one if the object has several */
TPROF_API const char *tprof_filter__name(const struct tprof_filter *filter);
/** tprof_filter__path() - returns the path of the object */
TPROF_API const char *tprof_filter__path(const struct tprof_filter *filter);
/** tprof_filter__about() - returns the sentence given in TPROF_ABOUT(): what the filter counts; "" if there is none */
TPROF_API const char *tprof_filter__about(const struct tprof_filter *filter);
/**
 * tprof_filter__event() - returns the event given in TPROF_EVENT(): the one to sample if the user names none; "" if
 * there is none. A session does not use it: the client passes it in struct tprof_session_opts.
 */
TPROF_API const char *tprof_filter__event(const struct tprof_filter *filter);
/** tprof_filter__error() - returns the message of the last failed call; never NULL, valid until the next call */
TPROF_API const char *tprof_filter__error(const struct tprof_filter *filter);
/** tprof_filter__hint() - returns what the user can do about the error; never NULL, empty if nothing is known */
TPROF_API const char *tprof_filter__hint(const struct tprof_filter *filter);

/**
 * tprof_filter__set() - set a parameter (TPROF_PARAM)
 * @filter: not loaded yet
 * @name:   of the parameter
 * @value:  a number, decimal or 0x...; for a bool, 0 or 1
 *
 * Errors: ENOENT (no such parameter), EINVAL (not a number, or not a possible size of stack copies), ERANGE (does not
 * fit the type), EBUSY (loaded).
 */
TPROF_API int tprof_filter__set(struct tprof_filter *filter, const char *name, const char *value);

/**
 * tprof_filter__set_table_entries() - change the capacity of tables
 * @filter:  not loaded yet
 * @table:   name of a table, or NULL for all tables except stack tables
 * @entries: maximum number of keys, at least 1
 *
 * Errors: ENOENT (no such table), EINVAL (@entries is 0), EBUSY (loaded).
 */
TPROF_API int tprof_filter__set_table_entries(struct tprof_filter *filter, const char *table, uint32_t entries);

/**
 * tprof_filter__set_stack_frames() - set the maximum depth of call stacks
 * @filter: not loaded yet, with a TPROF_STACKS
 * @frames: 4 to 1023; the default is 127
 *
 * A deeper call stack keeps its frames at both ends, with a frame "[stack cut off]" between them. If it is more than
 * about four times as deep, or its frames are very large, it keeps the frames at the leaf's end, and "[stack cut off]"
 * is the last frame. Each call stack in the table takes two times 8 bytes for each of @frames, whatever its depth.
 *
 * Reads the object file again. Errors: ENOENT (no stack table), ERANGE (@frames out of range), EBUSY (loaded), ENOEXEC
 * (the file has changed), and those of tprof_filter__open().
 */
TPROF_API int tprof_filter__set_stack_frames(struct tprof_filter *filter, uint32_t frames);

/**
 * struct tprof_table_info - a table of a filter
 * @sz:          set by the caller to sizeof(struct tprof_table_info)
 * @name:        as given in TPROF_TABLE()
 * @key:         type of the key, as in C ("struct top_key { tprof_ip_t ip; ... }")
 * @value:       type of the value, as in C
 * @max_entries: capacity: number of keys between two readings of the table
 * @key_bytes:   size of a key in bytes
 * @value_bytes: size of a value in bytes
 * @holes:       padding in the key in bytes. Should be 0: equal keys with different padding are counted separately
 * @stacks:      the table is a TPROF_STACKS
 *
 * Strings are valid until tprof_filter__set_stack_frames() is called or the filter is loaded.
 */
struct tprof_table_info {
	size_t sz;
	const char *name;
	const char *key;
	const char *value;
	uint32_t max_entries;
	uint32_t key_bytes;
	uint32_t value_bytes;
	uint32_t holes;
	bool stacks;
};

/** tprof_filter__nr_tables() - returns the number of tables */
TPROF_API size_t tprof_filter__nr_tables(const struct tprof_filter *filter);
/** tprof_filter__table() - describe a table; Errors: ENOENT (@index too large), ENOMEM */
TPROF_API int tprof_filter__table(const struct tprof_filter *filter, size_t index, struct tprof_table_info *info);

/**
 * struct tprof_param_info - a parameter of a filter
 * @sz:    set by the caller to sizeof(struct tprof_param_info)
 * @name:  as given in TPROF_PARAM()
 * @type:  its type, as in C
 * @value: its current value, in decimal; the text changes with tprof_filter__set()
 */
struct tprof_param_info {
	size_t sz;
	const char *name;
	const char *type;
	const char *value;
};

/** tprof_filter__nr_params() - returns the number of parameters */
TPROF_API size_t tprof_filter__nr_params(const struct tprof_filter *filter);
/** tprof_filter__param() - describe a parameter; Errors: ENOENT (@index too large) */
TPROF_API int tprof_filter__param(const struct tprof_filter *filter, size_t index, struct tprof_param_info *info);

/**
 * struct tprof_check - the result of checking a filter
 * @sz:           set by the caller to sizeof(struct tprof_check)
 * @program:      name of the BPF program that this engine runs
 * @instructions: number of BPF instructions before verification
 * @verified:     number of instructions that the verifier processed; 0 if unknown
 * @helpers:      names of the kernel helpers that the program calls, separated by spaces
 * @log:          the relevant lines of the verifier's log; empty if the verifier accepted the program
 */
struct tprof_check {
	size_t sz;
	const char *program;
	uint32_t instructions;
	uint32_t verified;
	const char *helpers;
	const char *log;
};

/**
 * tprof_filter__check() - let the kernel verify the filter for an engine, without running it
 * @filter: opened for this purpose; cannot be passed to a session afterwards
 * @engine: "perf" or "kmod"
 * @check:  filled as far as known, on failure too; strings belong to the filter and are valid until the next check
 *
 * Errors: EINVAL (the verifier refused the filter, see @log; or no such engine), EOPNOTSUPP (the engine is not
 * available on this machine), EPERM (missing privileges), EBUSY (loaded already), E2BIG (a table is too large), ENOMEM.
 */
TPROF_API int tprof_filter__check(struct tprof_filter *filter, const char *engine, struct tprof_check *check);

/**
 * tprof_filter__find() - list the shipped filters
 * @fn:  called for each with its name and path, valid during the call only. A value other than 0 ends the search and is
 *       returned
 * @ctx: passed to @fn
 *
 * Search path: the directories in $TPROF_FILTER_PATH (separated by colons), filters/ next to the running program, the
 * directory where the library was installed.
 */
TPROF_API int tprof_filter__find(int (*fn)(void *ctx, const char *name, const char *path), void *ctx);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_FILTER_H */
