/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Source lines of an opened file. Each address is looked up once; the cached result holds display names. */
#ifndef TPROF_DSO_LINES_H
#define TPROF_DSO_LINES_H

#include "base/intern.h"
#include "elf/elf_lines.h"

struct dso_lines;

/* Errors: those of elf_lines_open(). Names are stored in @strings. */
struct dso_lines *dso_lines_open(int fd, const struct debug_search *search, struct intern *strings);
void dso_lines_close(struct dso_lines *lines);

/*
 * Like elf_lines_find(), with demangled names. @places is valid until the next call, its strings as long as the set
 * that was given to dso_lines_open().
 */
size_t dso_lines_find(struct dso_lines *lines, uint64_t offset, const struct elf_place **places);

/* Like elf_lines_lost(). */
const char *dso_lines_lost(const struct dso_lines *lines);

#endif
