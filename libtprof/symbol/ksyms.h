/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Symbols of the kernel, its modules and BPF programs. The kernel is asked for each function that is looked up. All of
 * /proc/kallsyms is read instead if the kernel cannot be asked, has no name for an address, or was asked for very many;
 * and again when modules were loaded or removed, or when addresses were not found.
 *
 * Tables are symbolized after their samples were taken, so the module list is checked once between ksyms_age() and the
 * first lookup after it. Not detected: changes before the first lookup, and a module that was loaded and removed
 * between two checks. Functions of a removed module have names only if they were looked up before, or if all symbols
 * were read.
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
 * Loads the program that asks the kernel (kernel_names.h); lookups need no capabilities then, except CAP_SYSLOG if the
 * kernel hides addresses. Without this call, or if it fails, all symbols are read.
 */
void ksyms_prepare(struct ksyms *ksyms);

/*
 * Finds the function that covers @ip, or, if none does, the function that begins at the next byte: a return address
 * into a retpoline is the first byte of a function, and callers are looked up by the byte before the return address.
 * The byte before a BPF program never belongs to other code. @name and @object ("[kernel]", "[ext4]", "[bpf]") are
 * valid until the next call of any function of this header. Returns false if there is no such function, if the kernel
 * hides addresses (kptr_restrict), or if one module replaced another at that address since the symbols were read.
 */
bool ksyms_find(struct ksyms *ksyms, uint64_t ip, const char **name, const char **object, uint64_t *delta);

/* Code was removed: ksyms_age() will discard all symbols. */
void ksyms_changed(struct ksyms *ksyms);

/* Call after all samples were symbolized: discards the symbols that may have changed. */
void ksyms_age(struct ksyms *ksyms);

/*
 * For tests: parses text in place of both files. @modules may be NULL. Errors: ENOMEM, EACCES (all addresses are
 * hidden).
 */
int ksyms_parse(struct ksyms *ksyms, const char *kallsyms, size_t size, const char *modules);

/* For tests: a check of the module list after ksyms_age(). Error: ENOMEM. */
int ksyms_parse_later(struct ksyms *ksyms, const char *modules);

size_t ksyms_nr(const struct ksyms *ksyms);

#endif
