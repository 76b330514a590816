/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Names of OCaml functions as their authors wrote them. */
#ifndef TPROF_DEMANGLE_OCAML_H
#define TPROF_DEMANGLE_OCAML_H

#include <stdbool.h>
#include <stddef.h>

/*
 * "camlStdlib__List__map_456" -> "Stdlib.List.map", of OCaml 4 and 5. False, with anything in @name, if it is not
 * mangled so or the result has no room.
 */
bool demangle_ocaml(const char *symbol, char *name, size_t size);

#endif
