/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Separate debug files, where distributions put the symbols of stripped programs: below the root of the processes that
 * run them, which may be that of a container, then below ours. None is used without proof that it belongs to the
 * file: the same build id, or the checksum that the file tells.
 */
#ifndef TPROF_DEBUG_SEARCH_H
#define TPROF_DEBUG_SEARCH_H

#include "debug_server.h"
#include "elf_build_id.h"
#include "elf_file.h"

/* Where to look. */
struct debug_search {
	const char *path;		/* of the file in its root; NULL: not known */
	int root;			/* descriptor of the root of its processes; -1: it is ours */
	struct debug_server *server;	/* asked at last; NULL: nobody is asked */
};

/*
 * Opens the debug file of @file: by build id, by its debuglink, or from the server. Returns a descriptor for the
 * caller, or -ENOENT.
 */
int debug_search_open(const struct debug_search *search, const struct elf_file *file);

/*
 * Opens the file that a debug file shares with others (dwz): by that name, or by its build id, which it must have.
 * @name may be relative to the file at @from; @from may be NULL. Returns a descriptor for the caller, or -ENOENT.
 */
int debug_search_open_shared(const struct debug_search *search, const char *from, const char *name,
			     const uint8_t *build_id, size_t length);

#endif
