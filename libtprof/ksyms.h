/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Functions of the kernel, its modules and BPF programs, from /proc/kallsyms. Read when the first address has
 * to be named, and again when modules came or went, or when there were addresses without a name.
 */
#ifndef TPROF_KSYMS_H
#define TPROF_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log.h"

struct ksyms;

struct ksyms *ksyms_new(const struct log *log);
void ksyms_free(struct ksyms *ksyms);

/*
 * The function that covers @ip. @name and @object ("[kernel]", "[ext4]", "[bpf]") are valid until the next
 * call of any function here. False if none does, or if the kernel hides its addresses (kptr_restrict).
 */
bool ksyms_find(struct ksyms *ksyms, uint64_t ip, const char **name, const char **object, uint64_t *delta);

/* Something in there has gone: forgets all at the next age. */
void ksyms_changed(struct ksyms *ksyms);

/* Forgets all if it may have changed. */
void ksyms_age(struct ksyms *ksyms);

/*
 * The parser, for tests: takes the place of both files. @modules may be NULL. Errors: ENOMEM, EACCES (all
 * hidden).
 */
int ksyms_parse(struct ksyms *ksyms, const char *kallsyms, size_t size, const char *modules);

size_t ksyms_nr(const struct ksyms *ksyms);

#endif
