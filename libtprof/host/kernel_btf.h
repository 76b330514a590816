/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Offsets of members of kernel structures and of per-CPU variables, from the kernel's BTF in memory. Pure; never reads
 * outside the buffer, whatever its content. libbpf would copy and index all types first, which takes ten times as long.
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

struct btf_type;

/* A structure or function. */
struct kernel_btf_type {
	const char *name;		/* set by the caller, as is the kind; the other fields must be 0 */
	uint32_t kind;			/* BTF_KIND_* */
	uint32_t id;
	const struct btf_type *type;	/* NULL: not found */
};

struct kernel_btf_variable {
	const char *name;		/* set by the caller; the other fields must be 0 */
	uint32_t id;
	bool found;
	uint32_t offset;		/* if found: offset in its section, in bytes */
};

/* @bytes must stay valid and unchanged while @btf is used. Errors: EINVAL (not BTF of this byte order). */
int kernel_btf_open(struct kernel_btf *btf, const void *bytes, size_t size);

/* Offset in bytes of a member of the structure or of an anonymous structure in it; -ENOENT, also if @type is NULL. */
int64_t kernel_btf_member(const struct kernel_btf *btf, const struct btf_type *type, const char *member);
/* The same in bits: of a bit field. */
int64_t kernel_btf_member_bit(const struct kernel_btf *btf, const struct btf_type *type, const char *member);

/*
 * Finds the types, and the first section that contains one of the variables, of which it fills in all variables.
 * Returns false if there is none. All in one pass over the types, which takes a millisecond.
 */
bool kernel_btf_find(const struct kernel_btf *btf, struct kernel_btf_type *wanted, size_t nr,
		     struct kernel_btf_variable *variables, size_t nr_variables);

/*
 * kernel_btf_read.c: calls the function with the BTF of the running kernel. Returns its result, or the errors of
 * open(2) (ENOENT: the kernel has no BTF), EINVAL, ENOMEM.
 */
int kernel_btf_read(int (*parse)(void *ctx, const void *bytes, size_t size), void *ctx);

#endif
