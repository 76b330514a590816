/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Places in the kernel's structures and per-CPU variables, out of its BTF in memory. Pure; whatever the bytes say, no
 * others are read. libbpf would copy and index all types first, which takes ten times as long.
 */
#ifndef TPROF_KERNEL_BTF_H
#define TPROF_KERNEL_BTF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_btf {
	const char *types, *types_end;
	const char *strings, *strings_end;
};

struct kernel_btf_variable {
	const char *name;		/* set by the caller; the others are 0 */
	uint32_t id;
	bool found;
	uint32_t offset;		/* if found: bytes, in the section */
};

/* The bytes stay the caller's, and have to stay. Errors: EINVAL (no BTF of this byte order). */
int kernel_btf_open(struct kernel_btf *btf, const void *bytes, size_t size);

/* Offset in bytes of a member, or one of a structure without a name in it; -ENOENT. */
int64_t kernel_btf_member(const struct kernel_btf *btf, const char *structure, const char *member);

/* Finds the first section that has one of the variables, and those that are in it. False if there is none. */
bool kernel_btf_variables(const struct kernel_btf *btf, struct kernel_btf_variable *variables, size_t nr);

#endif
