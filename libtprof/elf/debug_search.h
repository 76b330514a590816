/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Finds separate debug files, in which distributions keep the symbols of stripped programs. Searches below the root of
 * the processes that run the program, which may be the root of a container, then below our own root. A debug file is
 * used only if it has the build id of the program, or the checksum that the program states.
 */
#ifndef TPROF_DEBUG_SEARCH_H
#define TPROF_DEBUG_SEARCH_H

#include "debug_server.h"
#include "elf_build_id.h"
#include "elf_file.h"

/* The places to search. */
struct debug_search {
	const char *path;		/* path of the program in its root; NULL: unknown */
	int root;			/* file descriptor of the root of its processes; -1: our own root */
	struct debug_server *server;	/* asked last; NULL: no server */
};

/*
 * Opens the debug file of @file: by build id, by debuglink, or from the server. Returns a file descriptor owned by the
 * caller, or -ENOENT.
 */
int debug_search_open(const struct debug_search *search, const struct elf_file *file);

/*
 * Opens the supplementary file that a debug file shares with others (dwz): by @name or by its build id, which must
 * match. @name may be relative to the file at @from; @from may be NULL. Returns a file descriptor owned by the caller,
 * or -ENOENT.
 */
int debug_search_open_shared(const struct debug_search *search, const char *from, const char *name,
			     const uint8_t *build_id, size_t length);

#endif
