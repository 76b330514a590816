/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Capabilities: which are kept, and that no others can be had again. */
#ifndef TPROF_SANDBOX_RIGHTS_H
#define TPROF_SANDBOX_RIGHTS_H

#include <stddef.h>

/* What a process still has to do, as a set. */
enum sandbox_task {
	SANDBOX_NAMING = 1 << 0,	/* reads files of others, and kallsyms */
	SANDBOX_BROKER = 1 << 1,	/* opens what is other processes', and side-band events */
	SANDBOX_FILE = 1 << 2,		/* gives a file its name in a directory of others */
	SANDBOX_COMMAND = 1 << 3,	/* ends a command that runs as somebody else by now */
	SANDBOX_MODULE = 1 << 5,	/* has the module make counters when it starts, and look at processes */
	SANDBOX_HIDDEN = 1 << 4,	/* sees processes that /proc hides from others */
};

/*
 * Of those that this process has, the ones for these tasks stay; the others leave all sets, the bounding set too where
 * that is allowed. 0 or -errno.
 */
int sandbox_keep_rights(unsigned int tasks);

/* Their names, as "dac_read_search, syslog". */
void sandbox_rights_text(unsigned int tasks, char *text, size_t size);

#endif
