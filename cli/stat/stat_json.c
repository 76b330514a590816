// SPDX-License-Identifier: GPL-2.0-only
/* Counts as JSON, according to docs/tprof-stat.schema.json. */
#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "derived.h"
#include "stat.h"

/* Decimal places of numbers that are not counts. */
#define PARTS 1000000

static const char *state_name(enum tprof_counter_state state)
{
	switch (state) {
	case TPROF_COUNTED:
		return "counted";
	case TPROF_NOT_SUPPORTED:
		return "not supported";
	default:
		return "not counted";
	}
}

static json_t *id_or_null(int id)
{
	return id < 0 ? json_null() : json_integer(id);
}

static json_t *event_object(const struct counts *counts, size_t event, enum tprof_counter_state state)
{
	const struct counts_event *named = &counts->events[event];
	json_t *object = json_with(json_object(), "event", json_of_text(named->name));

	object = json_with(object, "unit", json_of_text(named->unit));
	object = json_with(object, "group", json_of_text(counts->events[named->group].name));
	return json_with(object, "state", json_string(state_name(state)));
}

static json_t *value_object(const struct counts *counts, const struct counts_row *row, size_t event)
{
	const struct count *count = &row->counts[event];
	json_t *object = event_object(counts, event, count->state);
	struct derived derived[DERIVED_MAX];
	size_t nr = derived_of(counts, row, event, derived);

	object = json_with(object, "value", count->state == TPROF_COUNTED ?
			   json_of_count((uint64_t)(count->value + 0.5)) : json_null());
	object = json_with(object, "raw", json_of_count(count->raw));
	object = json_with(object, "enabled_ns", json_of_count(count->enabled_ns));
	object = json_with(object, "running_ns", json_of_count(count->running_ns));
	for (size_t i = 0; i < nr; i++)
		object = json_with(object, derived[i].name, json_of_decimal(derived[i].value, PARTS));
	return object;
}

static json_t *row_object(const struct counts *counts, const struct counts_row *row)
{
	json_t *values = json_array(), *object = json_with(json_object(), "name", json_of_text(row->name));

	for (size_t i = 0; i < counts->nr_events; i++)
		values = json_and(values, value_object(counts, row, i));
	object = json_with(object, "cpu", id_or_null(row->cpu));
	object = json_with(object, "pid", id_or_null(row->pid));
	object = json_with(object, "tid", id_or_null(row->tid));
	object = json_with(object, "ended", json_boolean(row->ended));
	return json_with(object, "values", values);
}

static json_t *seconds_or_null(double seconds)
{
	return seconds < 0 ? json_null() : json_of_decimal(seconds, PARTS);
}

static json_t *head(const struct stat_options *options)
{
	json_t *object = json_with(json_object(), "version", json_integer(1));

	object = json_with(object, "scope", json_string(stat_scope_name(options)));
	object = json_with(object, "command", json_of_text(options->command_text));
	return json_with(object, "per", json_string(stat_per_name(options)));
}

static int put(struct stat_result *result, json_t *object)
{
	int err = json_print_to(object, result->out);

	return err ? err : stat_result_flush(result->out);
}

/* The interval of less than two measurements is infinite. */
static json_t *bound(double value)
{
	return isfinite(value) ? json_of_decimal(value, PARTS) : json_null();
}

static json_t *with_value(json_t *object, const char *prefix, const struct moments *moments)
{
	double half = moments_half(moments);
	char name[32];

	snprintf(name, sizeof(name), "%svalue", prefix);
	object = json_with(object, name, moments->nr ? json_of_decimal(moments->mean, PARTS) : json_null());
	snprintf(name, sizeof(name), "%svalue_low", prefix);
	object = json_with(object, name, bound(moments->mean - half));
	snprintf(name, sizeof(name), "%svalue_high", prefix);
	return json_with(object, name, bound(moments->mean + half));
}

/* The members that compare two means or ratios. */
static json_t *with_change(json_t *object, const struct moments *a, const struct moments *b)
{
	struct difference difference = moments_difference(a, b);

	object = json_with(object, "change", json_of_decimal(difference.change, PARTS));
	object = json_with(object, "low", json_of_decimal(difference.low, PARTS));
	object = json_with(object, "high", json_of_decimal(difference.high, PARTS));
	return json_with(object, "differs", json_boolean(difference.low > 0 || difference.high < 0));
}

/* @other: NULL if there is no other command. */
static json_t *ratio_object(const struct counts *counts, const struct stat_ratio *ratio,
			    const struct stat_ratio *other)
{
	struct moments a = stat_ratio_moments(ratio), b = other ? stat_ratio_moments(other) : (struct moments){ 0 };
	json_t *object = json_with(json_object(), "ratio", json_string(ratio->kind.name));

	object = json_with(object, "of", json_of_text(counts->events[ratio->kind.of].name));
	object = json_with(object, "by", json_of_text(counts->events[ratio->kind.by].name));
	object = with_value(object, "", &a);
	if (!other)
		return object;
	object = with_value(object, "against_", &b);
	return a.nr > 1 && b.nr > 1 ? with_change(object, &a, &b) : object;
}

/* @others: NULL if there is no other command. */
static json_t *ratios_array(const struct counts *counts, const struct stat_ratios *ratios,
			    const struct stat_ratios *others)
{
	json_t *array = json_array();

	for (size_t i = 0; i < ratios->nr; i++)
		array = json_and(array, ratio_object(counts, &ratios->all[i], others ? &others->all[i] : NULL));
	return array;
}

int stat_json(const struct stat_options *options, struct stat_result *result, const struct counts *counts,
	      const struct stat_ratios *ratios)
{
	size_t nr = options->limit && options->limit < counts->nr_rows ? options->limit : counts->nr_rows;
	json_t *rows = json_array(), *object = head(options);

	for (size_t i = 0; i < nr; i++)
		rows = json_and(rows, row_object(counts, &counts->rows[i]));
	object = json_with(object, "start_s", json_of_decimal(counts->start_s, PARTS));
	object = json_with(object, "elapsed_s", json_of_decimal(counts->elapsed_s, PARTS));
	object = json_with(object, "user_s", seconds_or_null(counts->user_s));
	object = json_with(object, "system_s", seconds_or_null(counts->system_s));
	object = json_with(object, "rows", rows);
	object = json_with(object, "hidden", json_of_count(counts->nr_rows - nr));
	if (ratios)
		object = json_with(object, "ratios", ratios_array(counts, ratios, NULL));
	return put(result, object);
}

static json_t *with_moments(json_t *object, const char *mean, const char *deviation, const struct moments *moments)
{
	object = json_with(object, mean, json_of_decimal(moments->mean, PARTS));
	return json_with(object, deviation, json_of_decimal(moments_deviation(moments), PARTS));
}

/* Adds the members of a row that compares means. @b: NULL if there is no other command. */
static json_t *with_means(json_t *object, const struct moments *a, const struct moments *b)
{
	object = with_moments(object, "mean", "deviation", a);
	return b ? with_change(with_moments(object, "against_mean", "against_deviation", b), a, b) : object;
}

static json_t *mean_object(const struct stat_runs *runs, const struct stat_runs *others, size_t event)
{
	bool missing = runs->missing[event] || (others && others->missing[event]);
	const struct stat_runs *without = runs->missing[event] || !others ? runs : others;
	enum tprof_counter_state state = missing ? without->counts.rows[0].counts[event].state : TPROF_COUNTED;
	json_t *object;

	if (missing && state == TPROF_COUNTED)
		state = TPROF_NOT_COUNTED;
	object = event_object(&runs->counts, event, state);
	return missing ? object : with_means(object, &runs->events[event], others ? &others->events[event] : NULL);
}

static json_t *time_object(const struct stat_runs *runs, const struct stat_runs *others, int which)
{
	json_t *object = json_with(json_object(), "time", json_string(stat_time_name((enum stat_time)which)));

	object = json_with(object, "unit", json_string("s"));
	return with_means(object, &runs->times[which], others ? &others->times[which] : NULL);
}

int stat_json_runs(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs,
		   const struct stat_runs *others)
{
	json_t *means = json_array(), *times = json_array(), *object = head(options);

	for (size_t i = 0; i < runs->counts.nr_events; i++)
		means = json_and(means, mean_object(runs, others, i));
	for (int i = 0; i < STAT_NR_TIMES; i++)
		times = json_and(times, time_object(runs, others, i));
	object = json_with(object, "runs", json_of_count(runs->times[0].nr));
	object = json_with(object, "failed", json_of_count(runs->nr_failed));
	if (others) {
		object = json_with(object, "against", json_of_text(options->against));
		object = json_with(object, "against_failed", json_of_count(others->nr_failed));
	}
	object = json_with(object, "means", means);
	object = json_with(object, "ratios",
			   ratios_array(&runs->counts, &runs->ratios, others ? &others->ratios : NULL));
	return put(result, json_with(object, "times", times));
}
