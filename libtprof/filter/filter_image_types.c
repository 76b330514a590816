// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Checks of BTF that libbpf does not make itself. libbpf follows types without a limit, recursively for nested structs
 * and parameters, and prints declarations of any length. Pure: works on BTF alone.
 */
#include "filter_image_types.h"

#include <string.h>

#include "filter_image.h"

/* Limits beyond any hand-written type. Types of a damaged object may be cyclic, or double in size with each level. */
#define MAX_DEPTH	64
#define MAX_STEPS	(1U << 16)	/* for one type */
#define MAX_STEPS_ALL	(1U << 24)
#define MAX_NAME	512		/* limit of the kernel */

/* References that a walk follows: the text of a declaration, or the members contained in a type. */
enum way {
	WAY_DECLARATION,
	WAY_CONTENTS,
};

struct walk {
	const struct btf *btf;
	enum way way;
	uint32_t steps;
};

static bool is_name(const struct btf *btf, uint32_t offset)
{
	const char *name = btf__name_by_offset(btf, offset);

	return name && strnlen(name, MAX_NAME) < MAX_NAME;
}

static bool walk_type(struct walk *walk, uint32_t id, unsigned int depth);

static bool walk_members(struct walk *walk, const struct btf_type *type, unsigned int depth)
{
	const struct btf_member *members = btf_members(type);

	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		if (!is_name(walk->btf, members[i].name_off) || !walk_type(walk, members[i].type, depth))
			return false;
	}
	return true;
}

static bool walk_prototype(struct walk *walk, const struct btf_type *type, unsigned int depth)
{
	const struct btf_param *params = btf_params(type);

	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		if (!is_name(walk->btf, params[i].name_off) || !walk_type(walk, params[i].type, depth))
			return false;
	}
	return walk_type(walk, type->type, depth);
}

static bool walk_enumerators(struct walk *walk, const struct btf_type *type)
{
	const struct btf_enum *narrow = btf_enum(type);
	const struct btf_enum64 *wide = btf_enum64(type);

	walk->steps += btf_vlen(type);
	for (uint32_t i = 0; i < btf_vlen(type); i++) {
		if (!is_name(walk->btf, btf_is_enum64(type) ? wide[i].name_off : narrow[i].name_off))
			return false;
	}
	return true;
}

static bool walk_on(struct walk *walk, const struct btf_type *type, unsigned int depth)
{
	/* In a declaration, a named type is printed by its name only. */
	bool is_whole = walk->way == WAY_CONTENTS || depth == 1 || !type->name_off;

	switch (btf_kind(type)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return !is_whole || walk_members(walk, type, depth);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return !is_whole || walk_enumerators(walk, type);
	case BTF_KIND_ARRAY:
		return walk_type(walk, btf_array(type)->type, depth);
	case BTF_KIND_TYPEDEF:
		return walk->way == WAY_DECLARATION || walk_type(walk, type->type, depth);
	case BTF_KIND_PTR:
		return walk->way == WAY_CONTENTS || walk_type(walk, type->type, depth);
	case BTF_KIND_FUNC_PROTO:
		return walk->way == WAY_CONTENTS || walk_prototype(walk, type, depth);
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return walk_type(walk, type->type, depth);
	default:
		return true;
	}
}

/* False if a limit is exceeded. */
static bool walk_type(struct walk *walk, uint32_t id, unsigned int depth)
{
	const struct btf_type *type = btf__type_by_id(walk->btf, id);

	if (!type || depth == MAX_DEPTH || ++walk->steps > MAX_STEPS || !is_name(walk->btf, type->name_off))
		return false;
	return walk_on(walk, type, depth + 1);
}

/* libbpf adds sizes in 32 bits. Nothing in an image is larger than the largest image. */
static bool is_small(const struct btf_type *type)
{
	const struct btf_var_secinfo *places = btf_var_secinfos(type);

	if (btf_is_composite(type))
		return type->size <= FILTER_IMAGE_BYTES_MAX;
	for (int i = 0; btf_is_datasec(type) && i < btf_vlen(type); i++) {
		if (places[i].offset > FILTER_IMAGE_BYTES_MAX || places[i].size > FILTER_IMAGE_BYTES_MAX)
			return false;
	}
	return true;
}

bool image_types_are_sound(const struct btf *btf)
{
	uint32_t steps = 0;

	for (uint32_t id = 1; id < btf__type_cnt(btf); id++) {
		struct walk declaration = { .btf = btf, .way = WAY_DECLARATION };
		struct walk contents = { .btf = btf, .way = WAY_CONTENTS };

		if (!is_small(btf__type_by_id(btf, id)) || !walk_type(&declaration, id, 0) ||
		    !walk_type(&contents, id, 0))
			return false;
		steps += declaration.steps + contents.steps;
		if (steps > MAX_STEPS_ALL)
			return false;
	}
	return true;
}
