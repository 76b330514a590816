/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The functions of an opened file with demangled names, and the source lines of its code. */
#ifndef TPROF_DSO_NAMES_H
#define TPROF_DSO_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/debug_search.h"
#include "elf/elf_unit.h"

struct dso_names;

/* Duplicates @fd. Errors (NULL and errno): those of elf_symbols_open(). */
struct dso_names *dso_names_open(int fd, const struct debug_search *search);
void dso_names_free(struct dso_names *names);

/* Reads source lines too. Errors: those of elf_lines_open(). */
int dso_names_add_lines(struct dso_names *names, int fd, const struct debug_search *search);
void dso_names_drop_lines(struct dso_names *names);

/* The number of functions, and the memory use of their table and names. */
size_t dso_names_nr(const struct dso_names *names);
size_t dso_names_bytes(const struct dso_names *names);

/* Like dso_symbol() and dso_places(). */
bool dso_names_find(struct dso_names *names, uint64_t offset, const char **name, uint64_t *delta);
size_t dso_names_places(struct dso_names *names, uint64_t offset, const struct elf_place **places);
/* Like elf_lines_lost(). */
const char *dso_names_lost(const struct dso_names *names);

/* Freed tables of which only the strings remain. A zeroed struct is empty. */
struct dso_names_away {
	struct dso_names *first;
};

/* Frees everything except the strings that were handed out. */
void dso_names_put_away(struct dso_names_away *away, struct dso_names *names);
void dso_names_free_away(struct dso_names_away *away);

#endif
