// SPDX-License-Identifier: GPL-2.0-only
/* Descriptions of filters, as text and as JSON. */
#include "filter_about.h"

#include <errno.h>
#include <stdio.h>

#include "base/json.h"
#include "base/out.h"
#include "base/units.h"

/* Kernel memory per element of a BPF hash map, in addition to key and value, and per bucket (Linux 6.x). */
#define ELEMENT_BYTES 48
#define BUCKET_BYTES 16

/* Kernel memory of a table in bytes: two generations, preallocated when the filter is loaded. */
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
		printf("    warning: the key has %u bytes of padding, so equal keys may be counted separately; order "
		       "its members by size, and initialize it with = {}\n", table->holes);
}

int filter_about_print(const struct tprof_filter *filter)
{
	struct tprof_table_info table = { .sz = sizeof(table) };
	struct tprof_param_info param = { .sz = sizeof(param) };
	size_t i;
	int err;

	printf("filter %s (%s)\n", tprof_filter__name(filter), tprof_filter__path(filter));
	if (tprof_filter__about(filter)[0])
		printf("  %s\n", tprof_filter__about(filter));
	if (tprof_filter__event(filter)[0])
		printf("  samples %s, unless -e names another event\n", tprof_filter__event(filter));
	for (i = 0; !(err = tprof_filter__table(filter, i, &table)); i++)
		print_table(&table);
	if (err != -ENOENT)
		return err;
	if (!i)
		puts("  no tables");
	for (i = 0; !tprof_filter__param(filter, i, &param); i++)
		printf("  parameter %s %s = %s\n", param.type, param.name, param.value);
	return 0;
}

static json_t *table_json(const struct tprof_table_info *table)
{
	return json_pack("{so so so so so so so so sb}", "name", json_of_text(table->name),
			 "key", json_of_text(table->key), "value", json_of_text(table->value),
			 "max_entries", json_of_count(table->max_entries), "key_bytes", json_of_count(table->key_bytes),
			 "value_bytes", json_of_count(table->value_bytes), "holes", json_of_count(table->holes),
			 "memory_bytes", json_of_count(table_memory(table)), "stacks", table->stacks);
}

static json_t *tables_json(const struct tprof_filter *filter)
{
	struct tprof_table_info table = { .sz = sizeof(table) };
	json_t *tables = json_array();
	int err;

	for (size_t i = 0; !(err = tprof_filter__table(filter, i, &table)); i++)
		tables = json_and(tables, table_json(&table));
	return err == -ENOENT ? tables : json_and(tables, NULL);
}

static json_t *params_json(const struct tprof_filter *filter)
{
	struct tprof_param_info param = { .sz = sizeof(param) };
	json_t *params = json_array();

	for (size_t i = 0; !tprof_filter__param(filter, i, &param); i++)
		params = json_and(params, json_pack("{so so so}", "name", json_of_text(param.name),
						    "type", json_of_text(param.type),
						    "value", json_of_text(param.value)));
	return params;
}

json_t *filter_about_json(const struct tprof_filter *filter)
{
	return json_pack("{so so so so so so}", "name", json_of_text(tprof_filter__name(filter)),
			 "path", json_of_text(tprof_filter__path(filter)),
			 "about", json_of_text(tprof_filter__about(filter)),
			 "event", json_of_text(tprof_filter__event(filter)),
			 "tables", tables_json(filter), "params", params_json(filter));
}

/* Prints "table NAME, NAME ..." in a column. */
static void print_table_names(const struct tprof_filter *filter)
{
	struct tprof_table_info table = { .sz = sizeof(table) };
	char names[128] = "no tables";
	size_t i, used = 0;
	int err;

	for (i = 0; !(err = tprof_filter__table(filter, i, &table)) && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "table ", table.name);
	printf("%-28s ", err == -ENOMEM ? "not enough memory for its tables" : names);
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
	if (filter && tprof_filter__about(filter)[0])
		printf("%-12s %s\n", "", tprof_filter__about(filter));
	tprof_filter__free(filter);
	return 0;
}

static int add_one(void *ctx, const char *name, const char *path)
{
	struct tprof_error error = { 0 };
	struct tprof_filter *filter = tprof_filter__open(path, &error);
	json_t **filters = ctx;

	if (filter)
		*filters = json_and(*filters, filter_about_json(filter));
	else
		*filters = json_and(*filters, json_pack("{so so so}", "name", json_of_text(name),
							"path", json_of_text(path),
							"error", json_of_text(error.text)));
	tprof_filter__free(filter);
	return 0;
}

int filter_about_all(bool json)
{
	json_t *filters;
	int code = 0;

	if (json) {
		filters = json_array();
		tprof_filter__find(add_one, &filters);
		code = out_written(json_print(filters));
	} else {
		tprof_filter__find(print_one, NULL);
	}
	return code ? code : out_finish();
}
