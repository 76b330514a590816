// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Descriptions of a filter's tables, for users. */
#include "filter_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "base/text_stream.h"
#include "filter.h"

struct table_text {
	char *key;
	char *value;
};

/* A type of the object as C text; the caller frees it. NULL if there is no memory. */
static char *type_text(const struct tprof_filter *filter, uint32_t type_id)
{
	struct text_stream text = { 0 };
	FILE *out = text_stream_begin(&text);

	if (out && !value_print_type(out, bpf_object__btf(filter->object), type_id))
		return text_stream_take(&text);
	text_stream_close(&text);
	return NULL;
}

void filter_types_free(struct tprof_filter *filter)
{
	for (size_t i = 0; filter->texts && i < filter->nr_tables; i++) {
		free(filter->texts[i].key);
		free(filter->texts[i].value);
	}
	free(filter->texts);
	filter->texts = NULL;
}

size_t tprof_filter__nr_tables(const struct tprof_filter *filter)
{
	return filter->nr_tables;
}

/* Texts are created on demand: a running profiler needs none. */
static const struct table_text *table_text(struct tprof_filter *filter, size_t index)
{
	const struct bpf_map *map = filter->tables[index].generations[0];
	struct table_text *text;

	if (!filter->texts)
		filter->texts = calloc(filter->nr_tables, sizeof(*filter->texts));
	if (!filter->texts)
		return NULL;
	text = &filter->texts[index];
	if (!text->key)
		text->key = type_text(filter, bpf_map__btf_key_type_id(map));
	if (!text->value)
		text->value = type_text(filter, bpf_map__btf_value_type_id(map));
	return text->key && text->value ? text : NULL;
}

int tprof_filter__table(const struct tprof_filter *filter, size_t index, struct tprof_table_info *info)
{
	const struct table_text *text;
	const struct table *table;
	struct tprof_table_info known;

	if (index >= filter->nr_tables)
		return -ENOENT;
	text = table_text((struct tprof_filter *)filter, index);
	if (!text)
		return -ENOMEM;
	table = &filter->tables[index];
	known = (struct tprof_table_info){
		.name = table->name,
		.key = text->key,
		.value = text->value,
		.max_entries = table_max_entries(table),
		.key_bytes = bpf_map__key_size(table->generations[0]),
		.value_bytes = bpf_map__value_size(table->generations[0]),
		.holes = table->key.holes,
		.stacks = table->stacks,
	};
	return sized_give(info, &known, sizeof(known));
}

int tprof_filter__set_table_entries(struct tprof_filter *filter, const char *name, uint32_t entries)
{
	bool found = false;

	if (filter->loaded)
		return error_set(&filter->error, EBUSY, "filter %s: is loaded already", tprof_filter__name(filter));
	if (entries == 0)
		return error_set(&filter->error, EINVAL, "table entries: the minimum is 1");
	for (size_t i = 0; i < filter->nr_tables; i++) {
		struct table *table = &filter->tables[i];
		int err;

		if (name ? strcmp(table->name, name) != 0 : table->stacks)
			continue;
		found = true;
		err = table_set_max_entries(table, entries);
		table->is_set = !err;
		if (err)
			return error_set(&filter->error, -err, "table %s: %s", table->name, strerror(-err));
	}
	if (!name || found)
		return 0;
	error_set(&filter->error, ENOENT, "filter %s: has no table %s", tprof_filter__name(filter), name);
	error_hint(&filter->error, "tprof filter show %s", tprof_filter__path(filter));
	return -ENOENT;
}
