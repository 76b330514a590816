/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Demangles names of OCaml functions. */
#ifndef TPROF_DEMANGLE_OCAML_H
#define TPROF_DEMANGLE_OCAML_H

#include <stdbool.h>
#include <stddef.h>

/*
 * "camlStdlib__List__map_456" -> "Stdlib.List.map", for OCaml 4 and 5. Returns false if the symbol is not a mangled
 * OCaml name or the result is longer than @size; the content of @name is then undefined.
 */
bool demangle_ocaml(const char *symbol, char *name, size_t size);

#endif
