/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Casts of typed pointers in programs (TPROF_CALL_CAST_TASK). The function of the kernel that casts has no fixed
 * number, and libbpf would index all of the kernel's BTF to find it.
 */
#ifndef TPROF_FILTER_CAST_H
#define TPROF_FILTER_CAST_H

#include <linux/bpf.h>
#include <stddef.h>

struct bpf_object;
struct kernel_types;

/*
 * Replaces the marked calls by calls of the kernel's function. If the kernel has none, pointers are trusted as they
 * are, without a search. Returns the number of calls. Pure.
 */
size_t filter_cast_insns(struct bpf_insn *insns, size_t nr, const struct kernel_types *types);

/* The same in all programs of an object that is not loaded yet. Errors: ENOMEM. */
int filter_cast_object(struct bpf_object *object, const struct kernel_types *types);

#endif
