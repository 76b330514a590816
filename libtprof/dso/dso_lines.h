/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Source lines of an opened file: each address is looked up once, and its names are kept as they will be shown. */
#ifndef TPROF_DSO_LINES_H
#define TPROF_DSO_LINES_H

#include "base/intern.h"
#include "elf/elf_lines.h"

struct dso_lines;

/* As elf_lines_open(). Names are kept in @strings. */
struct dso_lines *dso_lines_open(int fd, const struct debug_search *search, struct intern *strings);
void dso_lines_close(struct dso_lines *lines);

/*
 * As elf_lines_find(), with readable names. @places stays until the next question, the strings in there as long as
 * those that were passed.
 */
size_t dso_lines_find(struct dso_lines *lines, uint64_t offset, const struct elf_place **places);

/* As elf_lines_lost(). */
const char *dso_lines_lost(const struct dso_lines *lines);

#endif
