/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Finds functions of the kernel and its modules by name. */
#ifndef TPROF_KERNEL_FUNCTION_H
#define TPROF_KERNEL_FUNCTION_H

#include <stdio.h>

/*
 * Counts the functions with this name, "NAME" or "MODULE:NAME", in a file of the form of /proc/kallsyms. Lines without
 * an address count too: the kernel hides addresses from some readers. Returns the number.
 */
unsigned int kernel_function_count(FILE *kallsyms, const char *name);

#endif
