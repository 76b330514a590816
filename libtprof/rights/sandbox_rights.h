/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Drops capabilities, so that they cannot be regained. */
#ifndef TPROF_SANDBOX_RIGHTS_H
#define TPROF_SANDBOX_RIGHTS_H

#include <stddef.h>

/* A set of the tasks that the process still has to do. */
enum sandbox_task {
	SANDBOX_NAMING = 1 << 0,	/* reads other users' files, and kallsyms */
	SANDBOX_BROKER = 1 << 1,	/* opens other processes' files, and side-band events */
	SANDBOX_FILE = 1 << 2,		/* renames a file in another user's directory */
	SANDBOX_COMMAND = 1 << 3,	/* signals a command that has changed its user */
	SANDBOX_MODULE = 1 << 5,	/* starts module sessions, which open counters and look up processes */
	SANDBOX_HIDDEN = 1 << 4,	/* sees processes that /proc hides from other users */
};

/*
 * Keeps the capabilities that the tasks need, as far as the process has them. Drops all others from all sets, including
 * the bounding set if that is permitted. Returns 0 or -errno.
 */
int sandbox_keep_rights(unsigned int tasks);

/* Writes the names of the capabilities for @tasks: "dac_read_search, syslog". */
void sandbox_rights_text(unsigned int tasks, char *text, size_t size);

#endif
