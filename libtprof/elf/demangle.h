/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Demangles names of C++, Rust and OCaml functions. */
#ifndef TPROF_DEMANGLE_H
#define TPROF_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer names stay mangled: they come from generated code, or from an attacker who wants to waste CPU time. */
#define DEMANGLE_MAX_INPUT 1024

/*
 * Writes the demangled form of a symbol to @name: C++ with parameters and without return type, Rust (legacy and v0)
 * without hash, OCaml without number. Returns false and leaves @name empty if the symbol is not mangled, or if the
 * result is longer than @size.
 */
bool demangle(const char *symbol, char *name, size_t size);

/*
 * The function name as displayed in profiles: demangled if possible, without symbol version ("@@GLIBC_2.14"), and with
 * "@plt" if it has that suffix. @name should have twice the size of the symbol.
 */
void demangle_function(const char *symbol, char *name, size_t size);

#endif
