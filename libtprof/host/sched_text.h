/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Where the scheduler is in the text of the kernel. */
#ifndef TPROF_SCHED_TEXT_H
#define TPROF_SCHED_TEXT_H

#include <stdint.h>

/*
 * The functions in which threads leave the CPU are in a section of their own. Sets the bounds of that section. Returns
 * 0, or -errno and sets both to 0: EPERM (no CAP_BPF), EACCES or ENOENT (the kernel does not tell).
 */
int sched_text_find(uint64_t *start, uint64_t *end);
/* The address of one symbol, whose name has at most 23 characters. The same errors. */
int kernel_symbol_find(uint64_t *address, const char *name);

#endif
