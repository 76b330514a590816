// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Splits the type of a key or value into members at fixed offsets. Pure: works on BTF alone, which is untrusted. Types
 * that it does not know become bytes.
 */
#include "value.h"

#include <errno.h>
#include <string.h>

/* Arrays up to this length become one member per element; longer ones become bytes. */
#define MAX_FLAT_ELEMENTS 8
/* More steps or typedefs than any hand-written type has; invalid BTF may be cyclic. */
#define MAX_STEPS 256
#define MAX_TYPEDEFS 16

static const struct {
	const char *name;
	enum value_kind kind;
} typedefs[] = {
	{ "tprof_ip_t",     VALUE_IP },
	{ "tprof_stack_t",  VALUE_STACK },
	{ "tprof_waker_t",  VALUE_WAKER },
	{ "tprof_cgroup_t", VALUE_CGROUP },
	{ "tprof_ns_t",     VALUE_NS },
	{ "tprof_tgid_t",   VALUE_TGID },
	{ "tprof_tid_t",    VALUE_TID },
	{ "tprof_exec_t",   VALUE_EXEC },
	{ "tprof_owner_t",  VALUE_OWNER },
	{ "tprof_owner_exec_t", VALUE_OWNER_EXEC },
	{ "tprof_cpu_t",    VALUE_CPU },
	{ "tprof_flags_t",  VALUE_FLAGS },
	{ "tprof_event_t",  VALUE_EVENT },
	{ "tprof_state_t",  VALUE_STATE },
	{ "tprof_syscall_t", VALUE_SYSCALL },
	{ "tprof_tgid_event_t", VALUE_TGID_EVENT },
	{ "tprof_log2_t",   VALUE_LOG2 },
	{ "tprof_log2_ns_t", VALUE_LOG2_NS },
	{ "tprof_linear_t", VALUE_LINEAR },
};

/* A member as found in BTF. */
struct place {
	const char *name;
	uint32_t type_id;
	uint32_t bit;
	uint32_t bit_size;	/* 0: not a bit field */
};

/* State of building a layout. */
struct walk {
	struct value_layout *layout;
	uint64_t covered_bits;
	size_t names_used;
	unsigned int nr_steps;
};

static bool type_is_named(const struct btf *btf, const struct btf_type *type, const char *name)
{
	const char *own = btf__name_by_offset(btf, type->name_off);

	return own && !strcmp(own, name);
}

/* Removes typedefs and qualifiers, and sets *kind from the typedefs on the way. */
static const struct btf_type *type_strip(const struct btf *btf, uint32_t type_id, enum value_kind *kind)
{
	const struct btf_type *type = btf__type_by_id(btf, type_id);
	unsigned int hops;
	size_t i;

	for (hops = 0; type && hops < MAX_TYPEDEFS; hops++) {
		if (!btf_is_typedef(type) && !btf_is_mod(type) && !btf_is_type_tag(type))
			return type;
		for (i = 0; btf_is_typedef(type) && i < sizeof(typedefs) / sizeof(typedefs[0]); i++)
			if (*kind == VALUE_NUMBER && type_is_named(btf, type, typedefs[i].name))
				*kind = typedefs[i].kind;
		type = btf__type_by_id(btf, type->type);
	}
	return NULL;
}

/* Clang's BTF does not mark char as a character, so its name decides. */
static bool type_is_char(const struct btf *btf, uint32_t type_id)
{
	enum value_kind kind = VALUE_NUMBER;
	const struct btf_type *type = type_strip(btf, type_id, &kind);

	return type && btf_is_int(type) && type->size == 1 && type_is_named(btf, type, "char");
}

static bool type_is_signed(const struct btf_type *type)
{
	if (btf_is_int(type))
		return btf_int_encoding(type) & BTF_INT_SIGNED;
	return btf_is_any_enum(type) && btf_kflag(type);
}

static enum value_kind scalar_kind(const struct btf_type *type, enum value_kind named)
{
	if (btf_is_int(type) && type->size <= 8)
		return named;
	if (btf_is_any_enum(type) || btf_is_ptr(type))
		return VALUE_NUMBER;
	return VALUE_BYTES;
}

/*
 * Returns "prefix.name" or "prefix[0]" in the layout's storage; if one of the two is empty, returns the other. An index
 * is always copied. NULL if the storage is full.
 */
static const char *join_names(struct walk *walk, const char *prefix, const char *name)
{
	char *joined = walk->layout->names + walk->names_used;
	size_t left = sizeof(walk->layout->names) - walk->names_used;
	bool is_index = name[0] == '[';
	int len;

	if (!prefix[0] && !is_index)
		return name;
	if (!name[0])
		return prefix;
	len = snprintf(joined, left, "%s%s%s", prefix, is_index ? "" : ".", name);
	if (len < 0 || (size_t)len >= left)
		return NULL;
	walk->names_used += len + 1;
	return joined;
}

static int add_member(struct walk *walk, const struct place *place, const struct btf_type *type, uint32_t bytes,
		      enum value_kind kind)
{
	struct value_layout *layout = walk->layout;
	uint64_t bits = place->bit_size ? place->bit_size : (uint64_t)bytes * 8;
	struct value_member *member;

	if (layout->nr_members == VALUE_MAX_MEMBERS)
		return -E2BIG;
	if (place->bit + bits > (uint64_t)layout->size * 8 || (place->bit_size && bits > 64))
		return -EINVAL;
	member = &layout->members[layout->nr_members++];
	member->name = place->name;
	member->kind = kind;
	member->type_id = place->type_id;
	member->offset = place->bit / 8;
	member->size = bytes;
	member->is_signed = type_is_signed(type);
	if (place->bit_size) {
		member->bit_offset = place->bit % 8;
		member->bit_size = place->bit_size;
		member->size = (member->bit_offset + member->bit_size + 7) / 8;
	}
	walk->covered_bits += bits;
	return 0;
}

/* Bits of the process id in a tprof_tgid_event_t; the event has the rest. */
#define TGID_BITS 24

/* Two members: the process, which has the name, and the event. */
static int add_tgid_event(struct walk *walk, const struct place *place, const struct btf_type *type, uint32_t bytes)
{
	struct place part = *place;
	int err;

	if (bytes != sizeof(uint32_t) || place->bit_size)
		return -EINVAL;
	part.bit_size = TGID_BITS;
	err = add_member(walk, &part, type, bytes, VALUE_TGID);
	part.name = "event";
	part.bit += TGID_BITS;
	part.bit_size = 32 - TGID_BITS;
	return err ? err : add_member(walk, &part, type, bytes, VALUE_EVENT);
}

static int walk_type(struct walk *walk, const struct place *place);

static int walk_struct(struct walk *walk, const struct place *place, const struct btf_type *type)
{
	const struct btf *btf = walk->layout->btf;
	const struct btf_member *member = btf_members(type);
	struct place inner;
	int i, err;

	for (i = 0; i < btf_vlen(type); i++) {
		inner.name = join_names(walk, place->name, btf__name_by_offset(btf, member[i].name_off));
		if (!inner.name)
			return -E2BIG;
		inner.type_id = member[i].type;
		inner.bit = place->bit + btf_member_bit_offset(type, i);
		inner.bit_size = btf_member_bitfield_size(type, i);
		err = walk_type(walk, &inner);
		if (err)
			return err;
	}
	return 0;
}

static int walk_array(struct walk *walk, const struct place *place, const struct btf_type *type, uint32_t bytes)
{
	const struct btf_array *array = btf_array(type);
	struct place inner = { .type_id = array->type };
	char index[16];
	uint32_t i;
	int err;

	if (type_is_char(walk->layout->btf, array->type))
		return add_member(walk, place, type, bytes, VALUE_TEXT);
	if (array->nelems > MAX_FLAT_ELEMENTS)
		return add_member(walk, place, type, bytes, VALUE_BYTES);
	for (i = 0; i < array->nelems; i++) {
		snprintf(index, sizeof(index), "[%u]", i);
		inner.name = join_names(walk, place->name, index);
		if (!inner.name)
			return -E2BIG;
		inner.bit = place->bit + i * (bytes / array->nelems) * 8;
		err = walk_type(walk, &inner);
		if (err)
			return err;
	}
	return 0;
}

static int walk_type(struct walk *walk, const struct place *place)
{
	const struct btf *btf = walk->layout->btf;
	enum value_kind kind = VALUE_NUMBER;
	const struct btf_type *type = type_strip(btf, place->type_id, &kind);
	int64_t bytes;

	if (++walk->nr_steps > MAX_STEPS)
		return -E2BIG;
	if (!type)
		return -EINVAL;
	bytes = btf__resolve_size(btf, place->type_id);
	if (bytes < 0 || bytes > walk->layout->size)
		return -EINVAL;
	if (btf_is_struct(type) && type_is_named(btf, type, "tprof_comm"))
		return add_member(walk, place, type, bytes, VALUE_TEXT);
	if (btf_is_struct(type))
		return walk_struct(walk, place, type);
	if (btf_is_array(type))
		return walk_array(walk, place, type, bytes);
	kind = scalar_kind(type, kind);
	if (kind == VALUE_TGID_EVENT)
		return add_tgid_event(walk, place, type, (uint32_t)bytes);
	return add_member(walk, place, type, bytes, kind);
}

int value_layout_init(struct value_layout *layout, const struct btf *btf, uint32_t type_id)
{
	struct walk walk = { .layout = layout };
	struct place whole = { .name = "", .type_id = type_id };
	int64_t size = btf__resolve_size(btf, type_id);
	int err;

	memset(layout, 0, sizeof(*layout));
	if (size <= 0 || size > UINT32_MAX / 8)
		return -EINVAL;
	layout->btf = btf;
	layout->type_id = type_id;
	layout->size = size;
	err = walk_type(&walk, &whole);
	if (err)
		return err;
	layout->is_single = layout->nr_members == 2 && value_layout_find(layout, VALUE_EVENT);
	if (walk.covered_bits < (uint64_t)size * 8)
		layout->holes = (size * 8 - walk.covered_bits + 7) / 8;
	return 0;
}

const struct value_member *value_layout_find(const struct value_layout *layout, enum value_kind kind)
{
	uint32_t i;

	for (i = 0; i < layout->nr_members; i++)
		if (layout->members[i].kind == kind)
			return &layout->members[i];
	return NULL;
}

void value_layout_hide(struct value_layout *layout, enum value_kind kind)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < layout->nr_members; i++)
		if (layout->members[i].kind != kind)
			layout->members[nr++] = layout->members[i];
	layout->nr_members = nr;
}

/* The bytes at @data as one number in native byte order; nine bytes for a bit field that straddles. */
static unsigned __int128 load_bytes(const uint8_t *data, uint32_t size)
{
	unsigned __int128 number = 0;
	uint32_t i;

	for (i = 0; i < size; i++) {
		if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
			number |= (unsigned __int128)data[i] << (i * 8);
		else
			number = number << 8 | data[i];
	}
	return number;
}

/* Any integer: signed, a bit field, of any size. */
static uint64_t load_number(const struct value_member *member, const void *data)
{
	uint32_t bits = member->bit_size ? member->bit_size : member->size * 8;
	uint32_t shift = member->bit_offset;
	uint64_t number;

	if (!bits || bits > 64)
		return 0;
	if (member->bit_size && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		shift = member->size * 8 - member->bit_offset - bits;
	number = load_bytes((const uint8_t *)data + member->offset, member->size) >> shift;
	number <<= 64 - bits;
	return member->is_signed ? (uint64_t)((int64_t)number >> (64 - bits)) : number >> (64 - bits);
}

uint64_t value_number_any(const struct value_member *member, const void *data)
{
	const uint8_t *at = (const uint8_t *)data + member->offset;

	/* The process of a tprof_tgid_event_t. */
	if (member->bit_size == TGID_BITS && member->size == 3 && !member->is_signed &&
	    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
	return load_number(member, data);
}
