/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Where files may be written, by Landlock. A process that is limited so cannot look into others through /proc any
 * more: for that it needs a broker.
 */
#ifndef TPROF_SANDBOX_FILES_H
#define TPROF_SANDBOX_FILES_H

#include <stdbool.h>
#include <stddef.h>

struct sandbox_files {
	const char *const *writable;	/* directories in which, and below, files may be made, written and removed */
	size_t nr_writable;
	bool network;			/* TCP is not forbidden */
	bool signals;			/* nor signals to others, which another limit is for */
};

/* Which version of Landlock the kernel has, 0 for none. */
int sandbox_landlock_version(void);

/*
 * For processes with no_new_privs. 0; -EOPNOTSUPP: there is no Landlock; -ENOENT, ...: one of the directories is not
 * there.
 */
int sandbox_limit_files(const struct sandbox_files *files);

#endif
