// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Profiles as JSON: one object on one line. docs/tprof-top.schema.json describes it; fields are only ever added. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>

#include "export.h"

/* Of the format. Goes up when a field changes its meaning or goes away. */
#define JSON_VERSION 1

static void put_number(struct json_object *object, const char *name, uint64_t number)
{
	json_object_object_add(object, name, json_object_new_uint64(number));
}

/* json-c writes doubles with 17 digits; nobody wants to read these. */
static void put_decimal(struct json_object *object, const char *name, double number, int digits)
{
	char text[64];

	snprintf(text, sizeof(text), "%.*f", digits, number);
	json_object_object_add(object, name, json_object_new_double_s(number, text));
}

static void put_string(struct json_object *object, const char *name, const char *string)
{
	json_object_object_add(object, name, string ? json_object_new_string(string) : NULL);
}

/* Either the samples or the weight of each account. */
static uint64_t part(const struct tprof_tally *tally, bool weight)
{
	return weight ? tally->weight : tally->samples;
}

static struct json_object *ledger_part(const struct tprof_ledger *ledger, bool weight)
{
	struct json_object *object = json_object_new_object(), *lost = json_object_new_object();

	put_number(object, "fired", part(&ledger->fired, weight));
	for (int i = 0; i < TPROF_NR_OUTCOMES; i++)
		put_number(object, tprof_outcome__name(i), part(&ledger->outcomes[i], weight));
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++)
		put_number(lost, tprof_lost_reason__name(i), part(&ledger->lost[i], weight));
	json_object_object_add(object, "lost", lost);
	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		put_number(object, tprof_counting__name(i), part(&ledger->countings[i], weight));
	put_number(object, "idle", part(&ledger->idle, weight));
	if (ledger->not_in_file.samples || ledger->not_in_file.weight)
		put_number(object, "not_in_file", part(&ledger->not_in_file, weight));
	return object;
}

static struct json_object *ledger_object(const struct tprof_ledger *ledger)
{
	struct json_object *object = ledger_part(ledger, false);

	put_decimal(object, "counter", ledger->counter, 2);
	put_number(object, "sideband_lost", ledger->sideband_lost);
	json_object_object_add(object, "weight", ledger_part(ledger, true));
	return object;
}

/* What the key of the table does not say is null, or an empty string. */
static struct json_object *entry_object(const struct tprof_entry *entry)
{
	struct json_object *object = json_object_new_object();

	put_string(object, "symbol", entry->symbol);
	put_string(object, "object", entry->object);
	json_object_object_add(object, "pid", entry->pid < 0 ? NULL : json_object_new_int(entry->pid));
	put_string(object, "comm", entry->comm);
	put_string(object, "cgroup", entry->cgroup);
	json_object_object_add(object, "cpu", entry->cpu < 0 ? NULL : json_object_new_int(entry->cpu));
	put_string(object, "mode", tprof_mode__name(entry->mode));
	put_number(object, "samples", entry->samples);
	put_number(object, "weight", entry->weight);
	put_decimal(object, "percent", entry->percent, 3);
	if (entry->line) {
		put_string(object, "file", entry->file);
		put_number(object, "line", entry->line);
	}
	if (entry->inlined)
		json_object_object_add(object, "inlined", json_object_new_boolean(true));
	return object;
}

static bool within(size_t index, size_t limit)
{
	return !limit || index < limit;
}

static struct json_object *functions_array(const struct tprof_profile *profile, size_t limit)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < profile->nr && within(i, limit); i++)
		json_object_array_add(array, entry_object(&profile->entries[i]->entry));
	return array;
}

static struct json_object *table_object(const struct profile_table *table, size_t limit)
{
	struct json_object *object = json_object_new_object(), *rows = json_object_new_array();

	put_string(object, "name", table->name);
	for (size_t i = 0; i < table->nr && within(i, limit); i++) {
		const struct tprof_row *row = &table->rows[i]->row;
		struct json_object *line = json_object_new_object();

		put_string(line, "key", row->key);
		if (row->value[0])
			put_string(line, "value", row->value);
		put_number(line, "samples", row->samples);
		put_number(line, "weight", row->weight);
		json_object_array_add(rows, line);
	}
	json_object_object_add(object, "rows", rows);
	return object;
}

static struct json_object *tables_array(const struct tprof_profile *profile, size_t limit)
{
	struct json_object *array = json_object_new_array();

	for (size_t i = 0; i < profile->nr_tables; i++)
		json_object_array_add(array, table_object(&profile->tables[i], limit));
	return array;
}

struct json_object *export_json_account(const struct tprof_profile *profile)
{
	const struct tprof_info *info = &profile->info;
	struct json_object *object = json_object_new_object();

	put_number(object, "version", JSON_VERSION);
	put_string(object, "engine", info->engine);
	put_string(object, "event", info->event);
	put_string(object, "unit", info->unit);
	put_string(object, "fallback", info->fallback);
	if (info->rate_hz)
		put_number(object, "rate_hz", info->rate_hz);
	put_number(object, "period", info->period);
	put_decimal(object, "duration_s", (double)profile->duration_ns / 1e9, 3);
	put_number(object, "cpus", info->nr_cpus);
	json_object_object_add(object, "ledger", ledger_object(&profile->ledger));
	return object;
}

static struct json_object *profile_object(const struct tprof_profile *profile, const struct tprof_export_opts *opts)
{
	struct json_object *object = export_json_account(profile);

	if (opts->summary)
		return object;
	if (opts->tables)
		json_object_object_add(object, "tables", tables_array(profile, opts->limit));
	else
		json_object_object_add(object, "functions", functions_array(profile, opts->limit));
	return object;
}

int export_json(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts)
{
	struct json_object *object = profile_object(profile, opts);
	const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE);
	int err = text ? 0 : -ENOMEM;

	if (text)
		fprintf(out, "%s\n", text);
	json_object_put(object);
	return err;
}
