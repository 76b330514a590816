/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Functions of the kernel, its modules and BPF programs, from /proc/kallsyms. Read when the first address has
 * to be named, and again when modules came or went, or when there were addresses without a name.
 *
 * Tables are named after what they count has happened, so whether modules changed is looked at between an age and the
 * first name after it. Of what happened before the symbols were first read nothing is known, nor of a module that came
 * and went between two looks.
 */
#ifndef TPROF_KSYMS_H
#define TPROF_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"

struct ksyms;

struct ksyms *ksyms_new(const struct log *log);
void ksyms_free(struct ksyms *ksyms);

/*
 * The function that covers @ip, or the one right behind it where none does: a retpoline that goes to a function has its
 * first byte for a return address, and a caller is named by the byte before. Before a BPF program there is never code
 * of another. @name and @object ("[kernel]", "[ext4]", "[bpf]") are valid until the next call of any function here.
 * False if there is none, if the kernel hides its addresses (kptr_restrict), or if one module took the place of another
 * there since the symbols were read.
 */
bool ksyms_find(struct ksyms *ksyms, uint64_t ip, const char **name, const char **object, uint64_t *delta);

/* Something in there has gone: forgets all at the next age. */
void ksyms_changed(struct ksyms *ksyms);

/* All that was counted has its names: forgets what may have changed. */
void ksyms_age(struct ksyms *ksyms);

/*
 * The parser, for tests: takes the place of both files. @modules may be NULL. Errors: ENOMEM, EACCES (all
 * hidden).
 */
int ksyms_parse(struct ksyms *ksyms, const char *kallsyms, size_t size, const char *modules);

/* The same: a look at the list of modules after an age. Error: ENOMEM. */
int ksyms_parse_later(struct ksyms *ksyms, const char *modules);

size_t ksyms_nr(const struct ksyms *ksyms);

#endif
