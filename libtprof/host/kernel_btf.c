// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Offsets in kernel structures and of variables. */
#include "kernel_btf.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <string.h>

int kernel_btf_open(struct kernel_btf *btf, const void *bytes, size_t size)
{
	struct btf_header header;
	const char *base = bytes;

	if (size < sizeof(header))
		return -EINVAL;
	memcpy(&header, bytes, sizeof(header));
	if (header.magic != BTF_MAGIC || header.hdr_len < sizeof(header) || header.hdr_len > size ||
	    header.type_off > size - header.hdr_len || header.type_len > size - header.hdr_len - header.type_off ||
	    header.str_off > size - header.hdr_len || header.str_len > size - header.hdr_len - header.str_off ||
	    header.type_off % 4 || header.hdr_len % 4)
		return -EINVAL;
	*btf = (struct kernel_btf){ 0 };
	btf->types = base + header.hdr_len + header.type_off;
	btf->types_end = btf->types + header.type_len;
	btf->strings = base + header.hdr_len + header.str_off;
	btf->strings_end = btf->strings + header.str_len;
	return 0;
}

/* Called for each type: the first byte decides nearly always. */
static inline bool has_name(const struct kernel_btf *btf, uint32_t offset, const char *name)
{
	size_t size;

	if (offset >= (size_t)(btf->strings_end - btf->strings) || btf->strings[offset] != *name)
		return false;
	size = strlen(name) + 1;
	return size <= (size_t)(btf->strings_end - btf->strings) - offset &&
	       memcmp(btf->strings + offset, name, size) == 0;
}

/*
 * The size of a type in bytes: a fixed number, which is 0 if the kind is unknown, and a number for each of its vlen
 * items. An unknown kind ends the iteration.
 */
#define TYPE(bytes)	(sizeof(struct btf_type) + (bytes))
static const struct size {
	uint8_t fixed, each;
} sizes[32] = {
	[BTF_KIND_INT] = { TYPE(4), 0 },
	[BTF_KIND_PTR] = { TYPE(0), 0 },
	[BTF_KIND_ARRAY] = { TYPE(sizeof(struct btf_array)), 0 },
	[BTF_KIND_STRUCT] = { TYPE(0), sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { TYPE(0), sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { TYPE(0), sizeof(struct btf_enum) },
	[BTF_KIND_FWD] = { TYPE(0), 0 },
	[BTF_KIND_TYPEDEF] = { TYPE(0), 0 },
	[BTF_KIND_VOLATILE] = { TYPE(0), 0 },
	[BTF_KIND_CONST] = { TYPE(0), 0 },
	[BTF_KIND_RESTRICT] = { TYPE(0), 0 },
	[BTF_KIND_FUNC] = { TYPE(0), 0 },
	[BTF_KIND_FUNC_PROTO] = { TYPE(0), sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { TYPE(4), 0 },
	[BTF_KIND_DATASEC] = { TYPE(0), sizeof(struct btf_var_secinfo) },
	[BTF_KIND_FLOAT] = { TYPE(0), 0 },
	[BTF_KIND_DECL_TAG] = { TYPE(4), 0 },
	[BTF_KIND_TYPE_TAG] = { TYPE(0), 0 },
	[BTF_KIND_ENUM64] = { TYPE(0), sizeof(struct btf_enum64) },
};

/* Iterates over all types. */
struct walk {
	const char *at, *end;
	uint32_t id;			/* id of the next type */
};

static struct walk all_types(const struct kernel_btf *btf)
{
	return (struct walk){ .at = btf->types, .end = btf->types_end, .id = 1 };
}

/* Returns NULL at the end or at a malformed type. */
static inline const struct btf_type *next_type(struct walk *walk)
{
	const struct btf_type *type = (const struct btf_type *)walk->at;
	size_t left = (size_t)(walk->end - walk->at), bytes;
	const struct size *size;

	if (left < sizeof(*type))
		return NULL;
	size = &sizes[BTF_INFO_KIND(type->info)];
	bytes = size->fixed + (size_t)size->each * BTF_INFO_VLEN(type->info);
	if (!size->fixed || bytes > left)
		return NULL;
	walk->at += bytes;
	walk->id++;
	return type;
}

/* The anonymous structure or union with this id; NULL if the type is something else. */
static const struct btf_type *find_unnamed(const struct kernel_btf *btf, uint32_t id)
{
	struct walk walk = all_types(btf);
	const struct btf_type *type;

	do {
		type = next_type(&walk);
	} while (type && walk.id - 1 != id);
	if (type && (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT || BTF_INFO_KIND(type->info) == BTF_KIND_UNION))
		return type;
	return NULL;
}

static uint32_t member_bit(const struct btf_type *type, const struct btf_member *member)
{
	return BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(member->offset) : member->offset;
}

static int64_t find_member(const struct kernel_btf *btf, const struct btf_type *type, const char *name, int depth);

static int64_t find_in_unnamed(const struct kernel_btf *btf, const struct btf_type *type, const char *name, int depth)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const struct btf_type *unnamed;
		int64_t bit;

		if (!has_name(btf, members[i].name_off, ""))
			continue;
		unnamed = find_unnamed(btf, members[i].type);
		bit = unnamed ? find_member(btf, unnamed, name, depth - 1) : -ENOENT;
		if (bit >= 0)
			return member_bit(type, &members[i]) + bit;
	}
	return -ENOENT;
}

/*
 * Finds a member of the structure or of an anonymous structure in it. Returns its offset in bits, or -ENOENT. Named
 * members come first, because an anonymous one costs a walk over all types.
 */
static int64_t find_member(const struct kernel_btf *btf, const struct btf_type *type, const char *name, int depth)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		if (has_name(btf, members[i].name_off, name))
			return member_bit(type, &members[i]);
	}
	return depth ? find_in_unnamed(btf, type, name, depth) : -ENOENT;
}

/* Nesting depth of anonymous structures in the structures that are looked up. */
#define MAX_UNNAMED	2

int64_t kernel_btf_member_bit(const struct kernel_btf *btf, const struct btf_type *type, const char *member)
{
	return type ? find_member(btf, type, member, MAX_UNNAMED) : -ENOENT;
}

int64_t kernel_btf_member(const struct kernel_btf *btf, const struct btf_type *type, const char *member)
{
	int64_t bit = kernel_btf_member_bit(btf, type, member);

	return bit < 0 ? bit : bit / 8;
}

static void take_type(const struct kernel_btf *btf, struct kernel_btf_type *wanted, size_t nr,
		      const struct btf_type *type, uint32_t id)
{
	uint32_t kind = BTF_INFO_KIND(type->info);

	for (size_t i = 0; i < nr; i++) {
		if (wanted[i].kind == kind && !wanted[i].type && has_name(btf, type->name_off, wanted[i].name)) {
			wanted[i].type = type;
			wanted[i].id = id;
		}
	}
}

static void set_ids(const struct kernel_btf *btf, struct kernel_btf_variable *variables, size_t nr,
		    const struct btf_type *type, uint32_t id)
{
	for (size_t i = 0; i < nr; i++) {
		if (has_name(btf, type->name_off, variables[i].name))
			variables[i].id = id;
	}
}

static bool look_in_section(const struct btf_type *section, struct kernel_btf_variable *variables, size_t nr)
{
	const struct btf_var_secinfo *in = (const struct btf_var_secinfo *)(section + 1);
	bool found = false;

	for (size_t i = 0; i < nr; i++) {
		for (uint32_t k = 0; variables[i].id && !variables[i].found && k < BTF_INFO_VLEN(section->info); k++) {
			variables[i].found = in[k].type == variables[i].id;
			variables[i].offset = in[k].offset;
		}
		found |= variables[i].found;
	}
	return found;
}

/* Returns true if the type is the section of one of the variables. */
static bool take_variable(const struct kernel_btf *btf, struct kernel_btf_variable *variables, size_t nr,
			  const struct btf_type *type, uint32_t id)
{
	if (BTF_INFO_KIND(type->info) == BTF_KIND_DATASEC)
		return look_in_section(type, variables, nr);
	if (BTF_INFO_KIND(type->info) == BTF_KIND_VAR)
		set_ids(btf, variables, nr, type, id);
	return false;
}

/* A second pass is for kernels that sort their BTF types by name: there, a section comes before its variables. */
bool kernel_btf_find(const struct kernel_btf *btf, struct kernel_btf_type *wanted, size_t nr,
		     struct kernel_btf_variable *variables, size_t nr_variables)
{
	const struct btf_type *type;
	struct walk walk = all_types(btf);
	bool found = false;

	while ((type = next_type(&walk))) {
		take_type(btf, wanted, nr, type, walk.id - 1);
		if (!found)
			found = take_variable(btf, variables, nr_variables, type, walk.id - 1);
	}
	walk = all_types(btf);
	while (nr_variables && !found && (type = next_type(&walk)))
		found = take_variable(btf, variables, nr_variables, type, walk.id - 1);
	return found;
}
