// SPDX-License-Identifier: GPL-2.0-only
/* Filters described, as text and as JSON. */
#include "filter_about.h"

#include <stdio.h>

#include "json.h"
#include "out.h"
#include "units.h"

/* What the kernel needs beside key and value for each element of a hash table, and for its bucket (Linux 6.x). */
#define ELEMENT_BYTES 48
#define BUCKET_BYTES 16

/* Bytes of kernel memory that a table takes: both generations, made when the filter is loaded. */
static uint64_t table_memory(const struct tprof_table_info *table)
{
	uint64_t key = (table->key_bytes + 7ull) & ~7ull, value = (table->value_bytes + 7ull) & ~7ull;
	uint64_t buckets = 1;

	while (buckets < table->max_entries)
		buckets *= 2;
	return 2 * (table->max_entries * (ELEMENT_BYTES + key + value) + buckets * BUCKET_BYTES);
}

static void print_table(const struct tprof_table_info *table)
{
	struct units_text memory;

	printf("  table %s: %u %s, %s of kernel memory\n", table->name, table->max_entries,
	       table->stacks ? "stacks" : "keys", units_bytes(&memory, table_memory(table)));
	printf("    key    %s (%u bytes)\n", table->key, table->key_bytes);
	printf("    value  %s (%u bytes)\n", table->value, table->value_bytes);
	if (table->holes)
		printf("    warning: the key has %u bytes of padding, so equal keys may be counted apart; order its "
		       "members by size, start from = {}\n", table->holes);
}

void filter_about_print(const struct tprof_filter *filter)
{
	struct tprof_table_info table = { .sz = sizeof(table) };
	struct tprof_param_info param = { .sz = sizeof(param) };
	size_t i;

	printf("filter %s (%s)\n", tprof_filter__name(filter), tprof_filter__path(filter));
	for (i = 0; !tprof_filter__table(filter, i, &table); i++)
		print_table(&table);
	if (!i)
		puts("  no tables");
	for (i = 0; !tprof_filter__param(filter, i, &param); i++)
		printf("  parameter %s %s = %s\n", param.type, param.name, param.value);
}

static struct json_object *tables_json(const struct tprof_filter *filter)
{
	struct json_object *tables = json_object_new_array(), *object;
	struct tprof_table_info table = { .sz = sizeof(table) };
	size_t i;

	for (i = 0; !tprof_filter__table(filter, i, &table); i++) {
		object = json_object_new_object();
		json_set_text(object, "name", table.name);
		json_set_text(object, "key", table.key);
		json_set_text(object, "value", table.value);
		json_set_number(object, "max_entries", table.max_entries);
		json_set_number(object, "key_bytes", table.key_bytes);
		json_set_number(object, "value_bytes", table.value_bytes);
		json_set_number(object, "holes", table.holes);
		json_set_number(object, "memory_bytes", (int64_t)table_memory(&table));
		json_set_bool(object, "stacks", table.stacks);
		json_object_array_add(tables, object);
	}
	return tables;
}

static struct json_object *params_json(const struct tprof_filter *filter)
{
	struct json_object *params = json_object_new_array(), *object;
	struct tprof_param_info param = { .sz = sizeof(param) };
	size_t i;

	for (i = 0; !tprof_filter__param(filter, i, &param); i++) {
		object = json_object_new_object();
		json_set_text(object, "name", param.name);
		json_set_text(object, "type", param.type);
		json_set_text(object, "value", param.value);
		json_object_array_add(params, object);
	}
	return params;
}

struct json_object *filter_about_json(const struct tprof_filter *filter)
{
	struct json_object *object = json_object_new_object();

	json_set_text(object, "name", tprof_filter__name(filter));
	json_set_text(object, "path", tprof_filter__path(filter));
	json_object_object_add(object, "tables", tables_json(filter));
	json_object_object_add(object, "params", params_json(filter));
	return object;
}

/* "top(16384) stacks(4096)" */
static void print_table_names(const struct tprof_filter *filter)
{
	struct tprof_table_info table = { .sz = sizeof(table) };
	char names[128] = "no tables";
	size_t i, used = 0;

	for (i = 0; !tprof_filter__table(filter, i, &table) && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "table ", table.name);
	printf("%-28s ", names);
}

static int print_one(void *ctx, const char *name, const char *path)
{
	struct tprof_error error = { 0 };
	struct tprof_filter *filter = tprof_filter__open(path, &error);

	(void)ctx;
	printf("%-12s ", name);
	if (filter)
		print_table_names(filter);
	else
		printf("%-28s ", "cannot be used:");
	puts(filter ? path : error.text);
	tprof_filter__free(filter);
	return 0;
}

static int add_one(void *ctx, const char *name, const char *path)
{
	struct tprof_error error = { 0 };
	struct tprof_filter *filter = tprof_filter__open(path, &error);
	struct json_object *object;

	if (filter) {
		object = filter_about_json(filter);
	} else {
		object = json_object_new_object();
		json_set_text(object, "name", name);
		json_set_text(object, "path", path);
		json_set_text(object, "error", error.text);
	}
	json_object_array_add(ctx, object);
	tprof_filter__free(filter);
	return 0;
}

int filter_about_all(bool json)
{
	struct json_object *filters;

	if (json) {
		filters = json_object_new_array();
		tprof_filter__find(add_one, filters);
		json_print(filters);
	} else {
		tprof_filter__find(print_one, NULL);
	}
	return out_finish();
}
