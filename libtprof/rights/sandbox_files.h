/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Limits where files may be written, with Landlock. Landlock also prevents a process from inspecting others through
 * /proc; it then needs a broker.
 */
#ifndef TPROF_SANDBOX_FILES_H
#define TPROF_SANDBOX_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct sandbox_files {
	const char *const *writable;	/* directories below which files may be created, written and removed */
	size_t nr_writable;
	bool network;			/* permit TCP */
	bool signals;			/* permit signals to other processes; seccomp limits them */
};

/* The Landlock ABI version of the kernel, 0: none. */
int sandbox_landlock_version(void);

/*
 * Requires no_new_privs. Returns 0; -EOPNOTSUPP: the kernel has no Landlock; -ENOENT, ...: a directory cannot be
 * opened.
 */
int sandbox_limit_files(const struct sandbox_files *files);

#endif
