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

static bool has_name(const struct kernel_btf *btf, uint32_t offset, const char *name)
{
	size_t size = strlen(name) + 1;

	return offset < (size_t)(btf->strings_end - btf->strings) &&
	       size <= (size_t)(btf->strings_end - btf->strings) - offset &&
	       memcmp(btf->strings + offset, name, size) == 0;
}

/*
 * Bytes that follow a struct btf_type: a fixed number, and a number for each of its vlen items. An unknown kind ends
 * the iteration.
 */
static const struct tail {
	uint8_t known, fixed, each;
} tails[BTF_KIND_MAX + 1] = {
	[BTF_KIND_INT] = { true, 4, 0 },
	[BTF_KIND_PTR] = { true, 0, 0 },
	[BTF_KIND_ARRAY] = { true, sizeof(struct btf_array), 0 },
	[BTF_KIND_STRUCT] = { true, 0, sizeof(struct btf_member) },
	[BTF_KIND_UNION] = { true, 0, sizeof(struct btf_member) },
	[BTF_KIND_ENUM] = { true, 0, sizeof(struct btf_enum) },
	[BTF_KIND_FWD] = { true, 0, 0 },
	[BTF_KIND_TYPEDEF] = { true, 0, 0 },
	[BTF_KIND_VOLATILE] = { true, 0, 0 },
	[BTF_KIND_CONST] = { true, 0, 0 },
	[BTF_KIND_RESTRICT] = { true, 0, 0 },
	[BTF_KIND_FUNC] = { true, 0, 0 },
	[BTF_KIND_FUNC_PROTO] = { true, 0, sizeof(struct btf_param) },
	[BTF_KIND_VAR] = { true, 4, 0 },
	[BTF_KIND_DATASEC] = { true, 0, sizeof(struct btf_var_secinfo) },
	[BTF_KIND_FLOAT] = { true, 0, 0 },
	[BTF_KIND_DECL_TAG] = { true, 4, 0 },
	[BTF_KIND_TYPE_TAG] = { true, 0, 0 },
	[BTF_KIND_ENUM64] = { true, 0, sizeof(struct btf_enum64) },
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
static const struct btf_type *next_type(struct walk *walk)
{
	const struct btf_type *type = (const struct btf_type *)walk->at;
	size_t left = (size_t)(walk->end - walk->at), bytes;
	const struct tail *tail;

	if (left < sizeof(*type) || BTF_INFO_KIND(type->info) > BTF_KIND_MAX)
		return NULL;
	tail = &tails[BTF_INFO_KIND(type->info)];
	bytes = sizeof(*type) + tail->fixed + (size_t)tail->each * BTF_INFO_VLEN(type->info);
	if (!tail->known || bytes > left)
		return NULL;
	walk->at += bytes;
	walk->id++;
	return type;
}

/* Returns NULL if not found. */
static const struct btf_type *find_struct(const struct kernel_btf *btf, const char *name)
{
	struct walk walk = all_types(btf);
	const struct btf_type *type;

	while ((type = next_type(&walk))) {
		if (BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT && has_name(btf, type->name_off, name))
			return type;
	}
	return NULL;
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

static uint32_t member_offset(const struct btf_type *type, const struct btf_member *member)
{
	uint32_t bits = BTF_INFO_KFLAG(type->info) ? BTF_MEMBER_BIT_OFFSET(member->offset) : member->offset;

	return bits / 8;
}

/* Finds a member of the structure or of an anonymous structure in it. Returns its offset, or -ENOENT. */
static int64_t find_member(const struct kernel_btf *btf, const struct btf_type *type, const char *name, int depth)
{
	const struct btf_member *members = (const struct btf_member *)(type + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		const struct btf_type *unnamed;
		int64_t offset;

		if (has_name(btf, members[i].name_off, name))
			return member_offset(type, &members[i]);
		if (!has_name(btf, members[i].name_off, "") || depth == 0)
			continue;
		unnamed = find_unnamed(btf, members[i].type);
		offset = unnamed ? find_member(btf, unnamed, name, depth - 1) : -ENOENT;
		if (offset >= 0)
			return member_offset(type, &members[i]) + offset;
	}
	return -ENOENT;
}

/* Nesting depth of anonymous structures in the structures that are looked up. */
#define MAX_UNNAMED	2

int64_t kernel_btf_member(const struct kernel_btf *btf, const char *structure, const char *member)
{
	const struct btf_type *type = find_struct(btf, structure);

	return type ? find_member(btf, type, member, MAX_UNNAMED) : -ENOENT;
}

static void look_for_ids(const struct kernel_btf *btf, struct kernel_btf_variable *variables, size_t nr)
{
	struct walk walk = all_types(btf);
	const struct btf_type *type;

	while ((type = next_type(&walk))) {
		for (size_t i = 0; i < nr && BTF_INFO_KIND(type->info) == BTF_KIND_VAR; i++) {
			if (has_name(btf, type->name_off, variables[i].name))
				variables[i].id = walk.id - 1;
		}
	}
}

static bool look_in_section(struct kernel_btf_variable *variable, const struct btf_type *section)
{
	const struct btf_var_secinfo *in = (const struct btf_var_secinfo *)(section + 1);

	for (uint32_t i = 0; variable->id && !variable->found && i < BTF_INFO_VLEN(section->info); i++) {
		variable->found = in[i].type == variable->id;
		variable->offset = in[i].offset;
	}
	return variable->found;
}

/* Two passes: in kernels that sort their BTF types by name, a section comes before its variables. */
bool kernel_btf_variables(const struct kernel_btf *btf, struct kernel_btf_variable *variables, size_t nr)
{
	struct walk walk = all_types(btf);
	const struct btf_type *type;
	bool found = false;

	look_for_ids(btf, variables, nr);
	while (!found && (type = next_type(&walk))) {
		for (size_t i = 0; i < nr && BTF_INFO_KIND(type->info) == BTF_KIND_DATASEC; i++)
			found |= look_in_section(&variables[i], type);
	}
	return found;
}
