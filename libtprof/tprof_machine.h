/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The machine: supported features, running sessions, functions of objects. Included by tprof.h, which has the rules
 * for all functions.
 */
#ifndef TPROF_TPROF_MACHINE_H
#define TPROF_TPROF_MACHINE_H

#include "tprof.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tprof_probe - one feature of this machine that profiling needs or benefits from
 * @name:     short name ("privileges", "bpf", "btf", "pmu", ...)
 * @required: profiling is impossible without it
 * @ok:       it is available
 * @text:     what was found
 * @mend:     the command that makes it available; empty if it is available, or if no command can
 */
struct tprof_probe {
	const char *name;
	bool required;
	bool ok;
	const char *text;
	const char *mend;
};

/**
 * tprof_probe__each() - check what this machine supports
 * @fn:  called for each feature, the most important first; its argument is valid during the call only. A value other
 *       than 0 ends the search and is returned
 * @ctx: passed to @fn
 */
TPROF_API int tprof_probe__each(int (*fn)(void *ctx, const struct tprof_probe *probe), void *ctx);

/**
 * tprof_engine__each() - list the engines, the best first
 * @fn:  called for each with its name, and with 0 or -errno: whether it works on this machine, and why not. Arguments
 *       are valid during the call only. A value other than 0 ends the list and is returned
 * @ctx: passed to @fn
 */
TPROF_API int tprof_engine__each(int (*fn)(void *ctx, const char *name, int usable, const struct tprof_error *why),
				 void *ctx);

/**
 * tprof_event__each() - list the events
 * @fn:  called for each with its name, its kind ("hardware", "software", "cache", or the name of the PMU), and whether
 *       this machine can sample it. Strings are valid during the call only. A value other than 0 ends the list and is
 *       returned
 * @ctx: passed to @fn
 */
TPROF_API int tprof_event__each(int (*fn)(void *ctx, const char *name, const char *kind, bool usable), void *ctx);

/**
 * struct tprof_running - a running session of any user on this machine
 * @name:    name of its directory of pins, or NULL
 * @filter:  name of its filter
 * @engine:  name of its engine
 * @pid:     process id of the owner; -1 if only pins are left
 * @comm:    name of the owner
 * @stale:   the owner of the pins has ended
 * @map_id:  id of the ledger map, for bpftool map show id ...
 */
struct tprof_running {
	const char *name;
	const char *filter;
	const char *engine;
	pid_t pid;
	const char *comm;
	bool stale;
	uint32_t map_id;
};

/**
 * tprof_running__each() - list the running sessions
 * @fn:    called for each; its argument is valid during the call only. A value other than 0 ends the list and is
 *         returned
 * @ctx:   passed to @fn
 * @error: NULL, or filled on failure
 *
 * Errors: EPERM (listing maps of other programs needs CAP_SYS_ADMIN), ENOMEM.
 */
TPROF_API int tprof_running__each(int (*fn)(void *ctx, const struct tprof_running *running), void *ctx,
				  struct tprof_error *error);

/**
 * struct tprof_listing - a line of a list of the kernel module
 * @nr:     number of columns; later versions of the module may have more
 * @names:  names of the columns
 * @values: values in this line
 */
struct tprof_listing {
	size_t nr;
	const char *const *names;
	const char *const *values;
};

/**
 * tprof_module__each() - read a list of the kernel module, which covers the sessions of all users
 * @list:  "sources": running sources (id, source, event, period, users, cpus, fired); "registered": all sources that
 *         sessions can use (source, min_period, max_period, count_only, attr); "sessions" (id, state, pid, comm,
 *         events, filters, fired, lost, epoch); or "filters" (session, id, name, state, calls, run_ns, kept, bad,
 *         longest_ns, pid, comm)
 * @fn:    called for each line; its argument is valid during the call only. A value other than 0 ends the list and is
 *         returned
 * @ctx:   passed to @fn
 * @error: NULL, or filled on failure
 *
 * Errors: EINVAL (no such list), ENODEV (the module is not loaded), EPERM (not root), EOPNOTSUPP (debugfs is not
 * mounted).
 */
TPROF_API int tprof_module__each(const char *list, int (*fn)(void *ctx, const struct tprof_listing *line), void *ctx,
				 struct tprof_error *error);

/** tprof_listing__value() - returns the value in the column of this name; "" if there is no such column */
TPROF_API const char *tprof_listing__value(const struct tprof_listing *line, const char *name);

/**
 * struct tprof_function - one name of a function of an object
 * @name:     as profiles show it: demangled, without a version
 * @symbol:   as in the object, with its version if the symbol table has one ("memcpy@@GLIBC_2.14")
 * @address:  start of the function, as in the object and in nm(1)
 * @size:     in bytes; up to the next function if the object does not give it
 * @is_shown: profiles show this name; the other names of the function follow it
 */
struct tprof_function {
	const char *name;
	const char *symbol;
	uint64_t address;
	uint64_t size;
	bool is_shown;
};

/**
 * tprof_function__each() - list the functions of an object with all of their names, in the order of their addresses
 * @path:    of a program, a library or a kernel module. Symbols come from the same places as for profiles: the object,
 *           its debug file on this machine, and the function table of the Go runtime
 * @pattern: NULL, or a pattern of fnmatch(3): lists the functions with a matching @name, each with all of its names
 * @fn:      called for each name; its argument is valid during the call only. A value other than 0 ends the list and is
 *           returned
 * @ctx:     passed to @fn
 * @error:   NULL, or filled on failure
 *
 * Functions without a symbol are left out. May be called from any thread, and needs no session.
 *
 * Errors: those of open(2), ENOEXEC (not an ELF object), ENOMEM (no memory, or more than 4 million functions).
 */
TPROF_API int tprof_function__each(const char *path, const char *pattern,
				   int (*fn)(void *ctx, const struct tprof_function *function), void *ctx,
				   struct tprof_error *error);

#ifdef __cplusplus
}
#endif

#endif /* TPROF_TPROF_MACHINE_H */
