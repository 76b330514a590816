// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Constants of a filter object that can be set before it is loaded. */
#include "filter_params.h"

#include <bpf/btf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "filter.h"
#include "value.h"

#define MAX_QUALIFIERS 16

static const struct btf_type *rodata_section(const struct btf *btf)
{
	int id = btf ? btf__find_by_name_kind(btf, ".rodata", BTF_KIND_DATASEC) : -ENOENT;

	return id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
}

/* NULL if it is not a variable. BTF is untrusted. */
static const char *variable_name(const struct btf *btf, const struct btf_var_secinfo *place)
{
	const struct btf_type *variable = btf__type_by_id(btf, place->type);

	return variable && btf_is_var(variable) ? btf__name_by_offset(btf, variable->name_off) : NULL;
}

int rodata_find(const struct tprof_filter *filter, const char *name, uint32_t *offset)
{
	const struct btf *btf = bpf_object__btf(filter->object);
	const struct btf_type *section = rodata_section(btf);
	const struct btf_var_secinfo *places = section ? btf_var_secinfos(section) : NULL;

	for (int i = 0; section && i < btf_vlen(section); i++) {
		const char *own = variable_name(btf, &places[i]);

		if (own && strcmp(own, name) == 0) {
			*offset = places[i].offset;
			return 0;
		}
	}
	return -ENOENT;
}

/* Removes qualifiers but keeps typedefs, which users know the type by. BTF is untrusted and may be cyclic. */
static uint32_t without_qualifiers(const struct btf *btf, uint32_t type_id)
{
	const struct btf_type *type = btf__type_by_id(btf, type_id);

	for (int hops = 0; type && hops < MAX_QUALIFIERS && (btf_is_const(type) || btf_is_volatile(type)); hops++) {
		type_id = type->type;
		type = btf__type_by_id(btf, type_id);
	}
	return type_id;
}

static const struct btf_type *without_typedefs(const struct btf *btf, uint32_t type_id)
{
	int id = btf__resolve_type(btf, type_id);

	return id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)id);
}

/* The C name of an integer type; the caller frees it. libbpf's C printer crashes if memory is short. */
static char *type_name(const struct btf *btf, uint32_t type_id)
{
	const char *name = btf__name_by_offset(btf, btf__type_by_id(btf, type_id)->name_off);

	return strdup(name ? name : "?");
}

static void read_value(const struct tprof_filter *filter, struct filter_param *param)
{
	struct value_member member = { .size = param->size, .is_signed = param->is_signed };
	uint64_t value = value_number(&member, filter->rodata + param->offset);

	if (param->is_signed)
		snprintf(param->value, sizeof(param->value), "%" PRId64, (int64_t)value);
	else
		snprintf(param->value, sizeof(param->value), "%" PRIu64, value);
}

/* 1: it is a parameter; 0: it is something else, such as a table of constants; or -errno. */
static int param_init(struct tprof_filter *filter, struct filter_param *param, const struct btf *btf,
		      const struct btf_var_secinfo *place)
{
	const char *name = variable_name(btf, place);
	uint32_t type_id = name ? without_qualifiers(btf, btf__type_by_id(btf, place->type)->type) : 0;
	const struct btf_type *type = without_typedefs(btf, type_id);

	if (!type || !btf_is_int(type) || place->size != type->size || place->size > sizeof(uint64_t) ||
	    place->size > filter->rodata_size || place->offset > filter->rodata_size - place->size)
		return 0;
	param->offset = place->offset;
	param->size = place->size;
	param->is_signed = btf_int_encoding(type) & BTF_INT_SIGNED;
	param->is_bool = btf_int_encoding(type) & BTF_INT_BOOL;
	param->name = strdup(name);
	param->type = type_name(btf, type_id);
	if (!param->name || !param->type)
		return -ENOMEM;
	read_value(filter, param);
	return 1;
}

int filter_params_find(struct tprof_filter *filter)
{
	const struct btf *btf = bpf_object__btf(filter->object);
	const struct btf_type *section = rodata_section(btf);
	const struct btf_var_secinfo *places = section ? btf_var_secinfos(section) : NULL;

	if (!section)
		return 0;
	filter->params = calloc(btf_vlen(section), sizeof(*filter->params));
	if (!filter->params)
		return -ENOMEM;
	for (int i = 0; i < btf_vlen(section); i++) {
		struct filter_param *param = &filter->params[filter->nr_params];
		int is_param = param_init(filter, param, btf, &places[i]);

		/* Counted even if it failed halfway, so that its strings are freed. */
		if (is_param)
			filter->nr_params++;
		if (is_param < 0)
			return is_param;
	}
	return 0;
}

void filter_params_free(struct tprof_filter *filter)
{
	for (size_t i = 0; i < filter->nr_params; i++) {
		free(filter->params[i].name);
		free(filter->params[i].type);
	}
	free(filter->params);
}

static struct filter_param *find_param(struct tprof_filter *filter, const char *name)
{
	for (size_t i = 0; i < filter->nr_params; i++) {
		if (strcmp(filter->params[i].name, name) == 0)
			return &filter->params[i];
	}
	return NULL;
}

static bool fits(const struct filter_param *param, uint64_t number, bool negative)
{
	unsigned int bits = param->size * 8;

	/* Compilers assume that a bool is 0 or 1. */
	if (param->is_bool)
		return !negative && number <= 1;
	if (negative)
		return param->is_signed && number <= 1ULL << (bits - 1);
	if (param->is_signed)
		return number <= (1ULL << (bits - 1)) - 1;
	return bits == 64 || number < 1ULL << bits;
}

int filter_check_copy_bytes(const struct tprof_filter *filter, uint64_t bytes, struct tprof_error *error)
{
	if (bytes >= TPROF_COPY_MIN && bytes <= TPROF_COPY_MAX && bytes % 8 == 0)
		return 0;
	error_set(error, EINVAL, "filter %s: a stack copy cannot have %" PRIu64 " bytes", tprof_filter__name(filter),
		  bytes);
	error_hint(error, "give a multiple of 8 from %d to %d", TPROF_COPY_MIN, TPROF_COPY_MAX);
	return -EINVAL;
}

/* The size of stack copies is the only parameter that has a meaning outside of the filter. */
static int check_meaning(struct tprof_filter *filter, const char *name, uint64_t number)
{
	if (strcmp(name, TPROF_COPY_PARAM) != 0 || !filter_map(filter, TPROF_COPIES_NAME))
		return 0;
	return filter_check_copy_bytes(filter, number, &filter->error);
}

/* EINVAL: the value is not a number; ERANGE: it does not fit. */
static int refuse_value(struct tprof_filter *filter, const struct filter_param *param, int err, const char *value)
{
	error_set(&filter->error, err, err == EINVAL ? "parameter %s: %s is not a number" :
		  "parameter %s: %s does not fit into %s", param->name, value, param->type);
	if (param->is_bool)
		error_hint(&filter->error, "give 0 or 1");
	else
		error_hint(&filter->error, "give a whole number of %u bits, in decimal or as 0x...%s",
			   param->size * 8, param->is_signed ? "; it may be negative" : "");
	return -err;
}

int tprof_filter__set(struct tprof_filter *filter, const char *name, const char *value)
{
	struct filter_param *param = find_param(filter, name);
	bool negative = value[0] == '-';
	uint64_t number;
	char *end;
	int err;

	if (filter->loaded)
		return error_set(&filter->error, EBUSY, "filter %s: is loaded already", tprof_filter__name(filter));
	if (!param) {
		error_set(&filter->error, ENOENT, "filter %s: has no parameter %s", tprof_filter__name(filter), name);
		error_hint(&filter->error, "tprof filter show %s", tprof_filter__path(filter));
		return -ENOENT;
	}
	errno = 0;
	number = strtoull(value + negative, &end, 0);
	if (value[negative] < '0' || value[negative] > '9' || *end)
		return refuse_value(filter, param, EINVAL, value);
	if (errno || !fits(param, number, negative))
		return refuse_value(filter, param, ERANGE, value);
	err = check_meaning(filter, name, number);
	if (err)
		return err;
	if (negative)
		number = -number;
	/* The low bytes come first: big-endian BPF objects are rejected. */
	memcpy(filter->rodata + param->offset, &number, param->size);
	read_value(filter, param);
	return 0;
}

size_t tprof_filter__nr_params(const struct tprof_filter *filter)
{
	return filter->nr_params;
}

int tprof_filter__param(const struct tprof_filter *filter, size_t index, struct tprof_param_info *info)
{
	struct tprof_param_info known;

	if (index >= filter->nr_params)
		return -ENOENT;
	known = (struct tprof_param_info){
		.name = filter->params[index].name,
		.type = filter->params[index].type,
		.value = filter->params[index].value,
	};
	return sized_give(info, &known, sizeof(known));
}
