/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Names of C++, Rust and OCaml functions as their authors wrote them. */
#ifndef TPROF_DEMANGLE_H
#define TPROF_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

/* Longer names stay mangled: they come from generated code, or from somebody who wants to see us work. */
#define DEMANGLE_MAX_INPUT 1024

/*
 * Writes the readable form of a symbol into @name: C++ with parameters and without return type, Rust (legacy and v0)
 * without hash, OCaml without number. Returns false, and leaves @name empty, if it is not mangled or the result has no
 * room.
 */
bool demangle(const char *symbol, char *name, size_t size);

/*
 * The name of a function as profiles show it: readable if it is mangled, as it is otherwise, without a version
 * ("@@GLIBC_2.14") and with "@plt" if it has that. @name has room for twice the symbol.
 */
void demangle_function(const char *symbol, char *name, size_t size);

#endif
