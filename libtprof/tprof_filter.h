/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Filters: opened, configured, checked. A part of tprof.h, which brings it along and has the rules. */
#ifndef TPROF_TPROF_FILTER_H
#define TPROF_TPROF_FILTER_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * tprof_filter__open() - read a filter object
 * @name:  path of a compiled filter (it has a slash or ends in .o), or name of a shipped one ("top")
 * @error: NULL, or filled on failure
 *
 * Nothing is loaded into the kernel yet. Errors: ENOENT, ENOEXEC (not an ELF object for BPF, or not a
 * filter), EPROTO (made for another version of the ABI), EACCES, ENOMEM.
 */
TPROF_API struct tprof_filter *tprof_filter__open(const char *name, struct tprof_error *error);

/** tprof_filter__free() - free a filter that was not given to a session */
TPROF_API void tprof_filter__free(struct tprof_filter *filter);

/** tprof_filter__name() - name given in TPROF_FILTER() */
TPROF_API const char *tprof_filter__name(const struct tprof_filter *filter);
/** tprof_filter__path() - path of the object */
TPROF_API const char *tprof_filter__path(const struct tprof_filter *filter);
/** tprof_filter__error() - the sentence of the last call that failed; never NULL */
TPROF_API const char *tprof_filter__error(const struct tprof_filter *filter);
/** tprof_filter__hint() - what can be done about it; never NULL, often empty */
TPROF_API const char *tprof_filter__hint(const struct tprof_filter *filter);

/**
 * tprof_filter__set() - set a parameter (TPROF_PARAM) before the filter is loaded
 * @filter: not loaded yet
 * @name:   of the parameter
 * @value:  a number, decimal or 0x...
 *
 * Errors: ENOENT (no such parameter), EINVAL (not a number), ERANGE (does not fit), EBUSY (loaded).
 */
TPROF_API int tprof_filter__set(struct tprof_filter *filter, const char *name, const char *value);

/**
 * tprof_filter__set_table_entries() - make tables larger or smaller than their author did
 * @filter:  not loaded yet
 * @table:   name, or NULL for all counting tables
 * @entries: at least 1
 *
 * Errors: ENOENT (no such table), EINVAL, EBUSY (loaded).
 */
TPROF_API int tprof_filter__set_table_entries(struct tprof_filter *filter, const char *table, uint32_t entries);

/**
 * tprof_filter__set_stack_frames() - how deep a stack may be
 * @filter: not loaded yet, with a TPROF_STACKS
 * @frames: from 4 to 1023; 127 if nothing is said
 *
 * Of a stack that is deeper both ends are kept, with a frame "[stack cut off]" between them. Each stack takes 8 bytes
 * a frame, twice, whether it is as deep or not. Errors: ENOENT (no table of stacks), ERANGE, EBUSY (loaded), and those
 * of tprof_filter__open(), for the object is read again.
 */
TPROF_API int tprof_filter__set_stack_frames(struct tprof_filter *filter, uint32_t frames);

/**
 * struct tprof_table_info - a table of a filter
 * @sz:          set by the caller
 * @name:        as given in TPROF_TABLE()
 * @key:         its key type, as in C ("struct top_key { tprof_ip_t ip; ... }")
 * @value:       its value type
 * @max_entries: keys that fit between two snapshots
 * @key_bytes:   size of a key
 * @value_bytes: size of a value
 * @holes:       bytes of padding in the key, which would split equal keys; 0 is right
 * @stacks:      it is a TPROF_STACKS
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

/** tprof_filter__nr_tables() - how many tables the object has */
TPROF_API size_t tprof_filter__nr_tables(const struct tprof_filter *filter);
/** tprof_filter__table() - describe one; Errors: ENOENT (index too large), ENOMEM */
TPROF_API int tprof_filter__table(const struct tprof_filter *filter, size_t index, struct tprof_table_info *info);

/**
 * struct tprof_param_info - a parameter of a filter
 * @sz:    set by the caller
 * @name:  as given in TPROF_PARAM()
 * @type:  its type, as in C
 * @value: its value at present, in decimal
 */
struct tprof_param_info {
	size_t sz;
	const char *name;
	const char *type;
	const char *value;
};

/** tprof_filter__nr_params() - how many parameters the object has */
TPROF_API size_t tprof_filter__nr_params(const struct tprof_filter *filter);
/** tprof_filter__param() - describe one; Errors: ENOENT (index too large) */
TPROF_API int tprof_filter__param(const struct tprof_filter *filter, size_t index, struct tprof_param_info *info);

/**
 * struct tprof_check - what an engine says to a filter
 * @sz:           set by the caller
 * @program:      name of the program that this engine runs
 * @instructions: its length, BPF instructions before the verifier
 * @verified:     instructions that the verifier walked; 0 if not known
 * @helpers:      names of the kernel helpers it calls, separated by spaces
 * @log:          the lines of the verifier's log that matter; empty if it was accepted
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
 * @filter: a filter that was opened for this; it cannot be given to a session afterwards
 * @engine: "perf" or "kmod"
 * @check:  filled as far as known, on failure too; strings belong to the filter
 *
 * Errors: EINVAL (the verifier refused it; see @log), EOPNOTSUPP (this engine cannot be asked
 * here), EPERM, E2BIG (a table is too large).
 */
TPROF_API int tprof_filter__check(struct tprof_filter *filter, const char *engine, struct tprof_check *check);

/**
 * tprof_filter__find() - names and paths of the shipped filters
 * @fn:  called for each: name and path; a return value other than 0 ends the search and is returned
 * @ctx: passed to @fn
 *
 * Searched: $TPROF_FILTER_PATH (colon separated), the filters/ beside the running program, then where the
 * library was installed.
 */
TPROF_API int tprof_filter__find(int (*fn)(void *ctx, const char *name, const char *path), void *ctx);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_FILTER_H */
