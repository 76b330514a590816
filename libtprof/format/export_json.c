// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Profiles as JSON: one object on one line. docs/tprof-top.schema.json describes it, docs/tprof-run.schema.json the
 * tables. Fields are only ever added.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "export.h"

/* Format version. Incremented when a field changes its meaning or is removed. */
#define JSON_VERSION 1

/* Significant digits: with 15, decimals that were rounded here are printed exactly. */
#define REAL_DIGITS 15

/* Adds a member or an element. NULL stands for a failed allocation and makes the result NULL. */
static json_t *with(json_t *object, const char *name, json_t *value)
{
	if (!json_object_set_new(object, name, value))
		return object;
	json_decref(object);
	return NULL;
}

static json_t *append(json_t *array, json_t *value)
{
	if (!json_array_append_new(array, value))
		return array;
	json_decref(array);
	return NULL;
}

/* jansson's integers are signed 64-bit. */
static json_t *number(uint64_t number)
{
	return number <= INT64_MAX ? json_integer((json_int_t)number) : json_real((double)number);
}

/* Rounds to 1/@parts for readability: a double has 17 digits. */
static json_t *decimal(double number, int parts)
{
	double shifted = number * parts;

	/* Larger numbers have no fractional digits to round. */
	if (shifted > -1e15 && shifted < 1e15)
		number = (double)(int64_t)(shifted + (shifted < 0 ? -0.5 : 0.5)) / parts;
	return json_real(number);
}

static json_t *id_or_null(int id)
{
	return id < 0 ? json_null() : json_integer(id);
}

/* Either the samples or the weight of a tally. */
static uint64_t part(const struct tprof_tally *tally, bool weight)
{
	return weight ? tally->weight : tally->samples;
}

static json_t *ledger_part(const struct tprof_ledger *ledger, bool weight)
{
	json_t *object = json_object(), *lost = json_object();

	object = with(object, "fired", number(part(&ledger->fired, weight)));
	for (int i = 0; i < TPROF_NR_OUTCOMES; i++)
		object = with(object, tprof_outcome__name(i), number(part(&ledger->outcomes[i], weight)));
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++)
		lost = with(lost, tprof_lost_reason__name(i), number(part(&ledger->lost[i], weight)));
	object = with(object, "lost", lost);
	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		object = with(object, tprof_counting__name(i), number(part(&ledger->countings[i], weight)));
	object = with(object, "idle", number(part(&ledger->idle, weight)));
	object = with(object, "unnamed_sideband_lost", number(part(&ledger->unnamed_sideband_lost, weight)));
	if (ledger->not_in_file.samples || ledger->not_in_file.weight)
		object = with(object, "not_in_file", number(part(&ledger->not_in_file, weight)));
	return object;
}

static json_t *ledger_object(const struct tprof_ledger *ledger)
{
	json_t *object = ledger_part(ledger, false);

	object = with(object, "counter", decimal(ledger->counter, 100));
	object = with(object, "sideband_lost", number(ledger->sideband_lost));
	if (ledger->enabled_ns) {
		object = with(object, "enabled_ns", number(ledger->enabled_ns));
		object = with(object, "running_ns", number(ledger->running_ns));
		if (ledger->running_ns)
			object = with(object, "scaled_weight", decimal((double)ledger->fired.weight /
								       tprof_ledger__counted(ledger), 1));
	}
	return with(object, "weight", ledger_part(ledger, true));
}

/* Fields that the table's key does not have are null or "". */
static json_t *entry_object(const struct tprof_entry *entry)
{
	json_t *object = json_pack("{ss ss so ss ss so ss so so so}",
				   "symbol", entry->symbol, "object", entry->object, "pid", id_or_null(entry->pid),
				   "comm", entry->comm, "cgroup", entry->cgroup, "cpu", id_or_null(entry->cpu),
				   "mode", tprof_mode__name(entry->mode), "samples", number(entry->samples),
				   "weight", number(entry->weight), "percent", decimal(entry->percent, 1000));

	if (entry->line) {
		object = with(object, "file", json_string(entry->file));
		object = with(object, "line", json_integer(entry->line));
	}
	if (entry->owner[0])
		object = with(object, "owner", json_string(entry->owner));
	return entry->inlined ? with(object, "inlined", json_true()) : object;
}

/* The sum of an event over all entries. */
static uint64_t weight_of_event(const struct tprof_profile *profile, size_t event)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < profile->nr; i++)
		weight += entry_tally(profile->entries[i], event).weight;
	return weight;
}

/* The values of all events of an entry. @whole: the weight of each event. */
static json_t *values_array(const struct tprof_profile *profile, const struct profile_entry *entry,
			    const uint64_t *whole)
{
	json_t *array = json_array();

	for (size_t e = 0; e < profile->nr_events && array; e++) {
		const struct tprof_tally value = entry_tally(entry, e);
		double percent = whole[e] ? 100.0 * (double)value.weight / (double)whole[e] : 0;

		array = append(array, json_pack("{so so so}", "samples", number(value.samples), "weight",
						number(value.weight), "percent", decimal(percent, 1000)));
	}
	return array;
}

static bool within(size_t index, size_t limit)
{
	return !limit || index < limit;
}

static json_t *functions_array(const struct tprof_profile *profile, size_t limit)
{
	uint64_t whole[TPROF_EVENTS_MAX];
	json_t *array = json_array();

	for (size_t e = 0; e < profile->nr_events; e++)
		whole[e] = weight_of_event(profile, e);
	for (size_t i = 0; i < profile->nr && within(i, limit) && array; i++) {
		const struct profile_entry *entry = profile->entries[i];
		json_t *object = entry_object(&entry->entry);

		if (profile->nr_events > 1)
			object = with(object, "values", values_array(profile, entry, whole));
		array = append(array, object);
	}
	return array;
}

static json_t *row_object(const struct tprof_profile *profile, const struct profile_row *profile_row)
{
	const struct tprof_row *row = &profile_row->row;
	json_t *object = json_pack("{ss}", "key", row->key);

	if (profile->nr_events > 1)
		object = with(object, "event", json_string(tprof_profile__event(profile, row->event)->event));
	if (row->value[0])
		object = with(object, "value", json_string(row->value));
	object = with(object, "samples", number(row->samples));
	object = with(object, "weight", number(row->weight));
	return with(object, "members", export_json_cells(profile_row));
}

/* The limit is that of each event. */
static json_t *table_object(const struct tprof_profile *profile, const struct profile_table *table, size_t limit)
{
	size_t written[TPROF_EVENTS_MAX] = { 0 };
	json_t *rows = json_array();

	for (size_t i = 0; i < table->nr && rows; i++)
		if (within(written[table->rows[i]->row.event]++, limit))
			rows = append(rows, row_object(profile, table->rows[i]));
	return json_pack("{ss so}", "name", table->name, "rows", rows);
}

static json_t *tables_array(const struct tprof_profile *profile, size_t limit)
{
	json_t *array = json_array();

	for (size_t i = 0; i < profile->nr_tables && array; i++)
		array = append(array, table_object(profile, &profile->tables[i], limit));
	return array;
}

static json_t *tally_object(const struct tprof_tally *tally)
{
	return json_pack("{so so}", "samples", number(tally->samples), "weight", number(tally->weight));
}

/* The sentence is present if there is a loss to report. */
static json_t *loss_object(const struct tprof_ledger *ledger)
{
	struct tprof_loss loss = { .sz = sizeof(loss) };
	json_t *object = json_object();

	tprof_ledger__loss(ledger, &loss);
	object = with(object, "missing", number(loss.missing));
	object = with(object, "in_scope", number(loss.in_scope));
	object = with(object, "percent", decimal(loss.percent, 1000));
	return loss.text[0] ? with(object, "text", json_string(loss.text)) : object;
}

/* An array of the warnings. */
static json_t *warnings_array(const char *warnings)
{
	json_t *array = json_array();

	while (warnings && array) {
		const char *end = strstr(warnings, "; ");

		array = append(array, json_stringn(warnings, end ? (size_t)(end - warnings) : strlen(warnings)));
		warnings = end ? end + 2 : NULL;
	}
	return array;
}

static json_t *event_object(const struct tprof_profile *profile, size_t event)
{
	const struct tprof_event_info *info = tprof_profile__event(profile, event);
	const struct tprof_ledger *ledger = tprof_profile__event_ledger(profile, event);
	json_t *object = json_pack("{ss ss}", "event", info->event, "unit", info->unit);

	if (info->rate_hz)
		object = with(object, "rate_hz", number(info->rate_hz));
	object = with(object, "period", number(info->period));
	object = with(object, "loss", loss_object(ledger));
	return with(object, "ledger", ledger_object(ledger));
}

static json_t *events_array(const struct tprof_profile *profile)
{
	json_t *array = json_array();

	for (size_t e = 0; e < profile->nr_events && array; e++)
		array = append(array, event_object(profile, e));
	return array;
}

json_t *export_json_summary(const struct tprof_profile *profile)
{
	const struct tprof_tally by_pointer = tprof_profile__by_frame_pointer(profile);
	const struct tprof_info *info = &profile->info;
	json_t *object = json_pack("{si ss ss ss ss?}", "version", JSON_VERSION, "engine", info->engine,
				   "event", info->event, "unit", info->unit, "fallback", info->fallback);

	if (info->rate_hz)
		object = with(object, "rate_hz", number(info->rate_hz));
	object = with(object, "period", number(info->period));
	object = with(object, "duration_s", decimal((double)profile->duration_ns / 1e9, 1000));
	object = with(object, "cpus", json_integer(info->nr_cpus));
	if (profile->nr_events > 1)
		object = with(object, "events", events_array(profile));
	if (info->warnings)
		object = with(object, "warnings", warnings_array(info->warnings));
	object = with(object, "loss", loss_object(&profile->ledger));
	object = with(object, "ledger", ledger_object(&profile->ledger));
	return by_pointer.samples ? with(object, "by_frame_pointer", tally_object(&by_pointer)) : object;
}

static json_t *profile_object(const struct tprof_profile *profile, const struct tprof_export_opts *opts)
{
	json_t *object = export_json_summary(profile);

	if (opts->summary)
		return object;
	if (opts->tables)
		return with(object, "tables", tables_array(profile, opts->limit));
	return with(object, "functions", functions_array(profile, opts->limit));
}

int export_json_write(json_t *value, FILE *out)
{
	int err = !value || json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(REAL_DIGITS));

	json_decref(value);
	/* Errors of the stream are reported by its caller. */
	return err && !ferror(out) ? -ENOMEM : 0;
}

int export_json(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts)
{
	int err = export_json_write(profile_object(profile, opts), out);

	fputc('\n', out);
	return err;
}
