/* SPDX-License-Identifier: GPL-2.0-only */
/* The trampolines through which the kernel calls struct_ops programs. */
#ifndef _TPROF_TRAMPOLINE_H
#define _TPROF_TRAMPOLINE_H

#include <linux/types.h>

struct bpf_prog;

/*
 * Returns whether the code of a trampoline has the address of the program. The code is only read, and the program is
 * not: it may have been freed. False negatives are possible, on other architectures always.
 */
bool tprof_trampoline_runs(const void *trampoline, const struct bpf_prog *prog);

#endif
