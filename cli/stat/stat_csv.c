// SPDX-License-Identifier: GPL-2.0-only
/* Counts as comma-separated values (RFC 4180), with a header line. */
#include <inttypes.h>
#include <string.h>

#include "stat.h"

/*
 * Texts that contain a comma, a quote or a line feed are quoted. A program chooses its own name: spreadsheets would
 * compute one that begins like a formula, so it gets an apostrophe, which makes it a text for them.
 */
static void put_text(FILE *out, const char *text)
{
	bool is_formula = text[0] && strchr("=+-@", text[0]);

	if (!is_formula && !text[strcspn(text, ",\"\r\n")]) {
		fputs(text, out);
		return;
	}
	fputs(is_formula ? "\"'" : "\"", out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_id(FILE *out, int id)
{
	if (id >= 0)
		fprintf(out, "%d", id);
	fputc(',', out);
}

static const char *state_name(enum tprof_counter_state state)
{
	if (state == TPROF_COUNTED)
		return "counted";
	return state == TPROF_NOT_SUPPORTED ? "not supported" : "not counted";
}

static void put_event(FILE *out, const struct counts_event *event, enum tprof_counter_state state)
{
	put_text(out, event->name);
	fputc(',', out);
	put_text(out, event->unit);
	fprintf(out, ",%s,", state_name(state));
}

static void put_row(FILE *out, const struct counts *counts, const struct counts_row *row)
{
	for (size_t i = 0; i < counts->nr_events; i++) {
		const struct count *count = &row->counts[i];

		fprintf(out, "%.6f,%.6f,", counts->start_s, counts->elapsed_s);
		put_text(out, row->name);
		fputc(',', out);
		put_id(out, row->cpu);
		put_id(out, row->pid);
		put_id(out, row->tid);
		put_event(out, &counts->events[i], count->state);
		if (count->state == TPROF_COUNTED)
			fprintf(out, "%.0f", count->value);
		fprintf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n", count->raw, count->enabled_ns,
			count->running_ns);
	}
}

int stat_csv(const struct stat_options *options, struct stat_result *result, const struct counts *counts)
{
	size_t nr = options->limit && options->limit < counts->nr_rows ? options->limit : counts->nr_rows;

	if (!result->has_head)
		fputs("start_s,elapsed_s,name,cpu,pid,tid,event,unit,state,value,raw,enabled_ns,running_ns\r\n",
		      result->out);
	result->has_head = true;
	for (size_t i = 0; i < nr; i++)
		put_row(result->out, counts, &counts->rows[i]);
	return stat_result_flush(result->out);
}

/* @b: NULL if there is no other command. */
static void put_means(FILE *out, const struct moments *a, const struct moments *b)
{
	struct difference difference;

	fprintf(out, "%.6f,%.6f", a->mean, moments_deviation(a));
	if (b) {
		difference = moments_difference(a, b);
		fprintf(out, ",%.6f,%.6f,%.6f,%.6f,%.6f,%s", b->mean, moments_deviation(b), difference.change,
			difference.low, difference.high,
			difference.low > 0 || difference.high < 0 ? "yes" : "no");
	}
	fputs("\r\n", out);
}

static void put_means_of(FILE *out, const struct stat_runs *runs, const struct stat_runs *others, size_t event)
{
	bool missing = runs->missing[event] || (others && others->missing[event]);
	const struct stat_runs *without = runs->missing[event] || !others ? runs : others;
	enum tprof_counter_state state = missing ? without->counts.rows[0].counts[event].state : TPROF_COUNTED;

	if (missing && state == TPROF_COUNTED)
		state = TPROF_NOT_COUNTED;
	fprintf(out, "%zu,", runs->times[0].nr);
	put_event(out, &runs->counts.events[event], state);
	if (missing)
		fprintf(out, ",%s\r\n", others ? ",,,,,," : "");
	else
		put_means(out, &runs->events[event], others ? &others->events[event] : NULL);
}

/* Ratios are rows like events: their unit is what they are. */
static void put_ratio(FILE *out, const struct counts *counts, const struct stat_ratio *ratio,
		      const struct stat_ratio *other)
{
	struct moments a = stat_ratio_moments(ratio), b = other ? stat_ratio_moments(other) : (struct moments){ 0 };
	bool has_both = other ? a.nr > 1 && b.nr > 1 : a.nr;

	fprintf(out, "%zu,%s/%s,%s,%s,", a.nr, counts->events[ratio->kind.of].name,
		counts->events[ratio->kind.by].name, ratio->kind.name, has_both ? "counted" : "not counted");
	if (has_both)
		put_means(out, &a, other ? &b : NULL);
	else
		fprintf(out, ",%s\r\n", other ? ",,,,,," : "");
}

int stat_csv_runs(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs,
		  const struct stat_runs *others)
{
	FILE *out = result->out;

	(void)options;
	fprintf(out, "runs,event,unit,state,mean,deviation%s\r\n",
		others ? ",against_mean,against_deviation,change,low,high,differs" : "");
	for (size_t i = 0; i < runs->counts.nr_events; i++)
		put_means_of(out, runs, others, i);
	for (size_t i = 0; i < runs->ratios.nr; i++)
		put_ratio(out, &runs->counts, &runs->ratios.all[i], others ? &others->ratios.all[i] : NULL);
	for (int i = 0; i < STAT_NR_TIMES; i++) {
		fprintf(out, "%zu,%s,s,counted,", runs->times[0].nr, stat_time_name((enum stat_time)i));
		put_means(out, &runs->times[i], others ? &others->times[i] : NULL);
	}
	return stat_result_flush(out);
}
