// SPDX-License-Identifier: GPL-2.0-only
/* Counts as text. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "derived.h"
#include "stat.h"

struct number {
	char text[48];
};

/* With commas between thousands; @decimals digits after the point. */
static const char *grouped(struct number *number, double value, int decimals)
{
	char plain[40];
	size_t digits, length, to = 0;

	snprintf(plain, sizeof(plain), "%.*f", decimals, value < 0 ? -value : value);
	length = strlen(plain);
	digits = strcspn(plain, ".");
	if (value < 0)
		number->text[to++] = '-';
	for (size_t i = 0; i < length && to < sizeof(number->text) - 2; i++) {
		if (i && i < digits && (digits - i) % 3 == 0)
			number->text[to++] = ',';
		number->text[to++] = plain[i];
	}
	number->text[to] = '\0';
	return number->text;
}

static bool is_time(const struct counts_event *event)
{
	return !strcmp(event->unit, "ns");
}

static const char *value_text(struct number *number, const struct counts_event *event, double value)
{
	return is_time(event) ? grouped(number, value / 1e6, 2) : grouped(number, value, 0);
}

/* A mean of small numbers has decimals. */
static const char *mean_text(struct number *number, const struct counts_event *event, double value)
{
	return is_time(event) || value >= 1000 ? value_text(number, event, value) : grouped(number, value, 2);
}

static const char *state_text(enum tprof_counter_state state)
{
	return state == TPROF_NOT_SUPPORTED ? "<not supported>" : "<not counted>";
}

/* The name of the row's unit; "" for the total. */
static const char *label_of(const struct stat_options *options, const struct counts_row *row, char label[256])
{
	label[0] = '\0';
	if (options->per_cpu && row->cpu >= 0)
		snprintf(label, 256, "CPU%d", row->cpu);
	else if (options->per_thread && row->tid >= 0)
		snprintf(label, 256, "%s %d/%d", row->name, row->pid, row->tid);
	else if (options->per_process && row->pid >= 0)
		snprintf(label, 256, "%s %d", row->name, row->pid);
	else
		snprintf(label, 256, "%s", row->name);
	return label;
}

static void put_line(FILE *out, const struct counts *counts, const struct counts_row *row, size_t event)
{
	const struct count *count = &row->counts[event];
	const struct counts_event *named = &counts->events[event];
	struct derived derived;
	struct number number;
	double share = count_share(count);
	bool has_derived = derived_of(counts, row, event, &derived);

	fprintf(out, "%20s %-2s  ", count->state == TPROF_COUNTED ? value_text(&number, named, count->value) :
		state_text(count->state), is_time(named) && count->state == TPROF_COUNTED ? "ms" : "");
	if (count->state != TPROF_COUNTED || (!has_derived && share >= 1)) {
		fprintf(out, "%s\n", named->name);
		return;
	}
	fprintf(out, "%-24s  #%s%s", named->name, has_derived ? " " : "", has_derived ? derived.text : "");
	if (share < 1)
		fprintf(out, "%s counted %.1f %% of the time", has_derived ? "," : "", 100 * share);
	fputc('\n', out);
}

static void put_rows(const struct stat_options *options, FILE *out, const struct counts *counts)
{
	size_t nr = options->limit && options->limit < counts->nr_rows ? options->limit : counts->nr_rows;
	char label[256];

	for (size_t i = 0; i < nr; i++) {
		label_of(options, &counts->rows[i], label);
		if (label[0])
			fprintf(out, "%s%s%s\n", i ? "\n" : "", label,
				counts->rows[i].ended && !options->command ? " (ended)" : "");
		for (size_t event = 0; event < counts->nr_events; event++)
			put_line(out, counts, &counts->rows[i], event);
	}
	if (nr < counts->nr_rows)
		fprintf(out, "# and %zu more\n", counts->nr_rows - nr);
	if (!counts->nr_rows)
		fputs("# nothing ran\n", out);
}

/* Arguments must not control the terminal. */
static void put_command(FILE *out, const char *before, const char *command)
{
	char *text = strdup(command);

	if (text)
		out_clean(text);
	fprintf(out, "%s%s", before, text ? text : "the command");
	free(text);
}

static void put_title(const struct stat_options *options, FILE *out)
{
	bool is_other = !options->command || options->all || options->cgroups.nr;

	fprintf(out, "%s# counts of ", options->command ? "\n" : "");
	if (is_other)
		fprintf(out, "the %s", stat_scope_name(options));
	if (options->command && !options->against)
		put_command(out, is_other ? " during " : "", options->command_text);
}

static void put_head(const struct stat_options *options, struct stat_result *result)
{
	if (result->has_head)
		return;
	result->has_head = true;
	put_title(options, result->out);
	fputs("\n\n", result->out);
}

int stat_text(const struct stat_options *options, struct stat_result *result, const struct counts *counts)
{
	FILE *out = result->out;

	put_head(options, result);
	if (options->interval_ns)
		fprintf(out, "# %.3f s to %.3f s\n", counts->start_s, counts->start_s + counts->elapsed_s);
	put_rows(options, out, counts);
	if (!options->interval_ns) {
		fprintf(out, "\n%20.6f s   elapsed\n", counts->elapsed_s);
		if (counts->user_s >= 0)
			fprintf(out, "%20.6f s   user\n%20.6f s   system\n", counts->user_s, counts->system_s);
	}
	fputc('\n', out);
	return stat_result_flush(out);
}

static double percent(double part, double whole)
{
	return whole != 0 ? 100 * part / fabs(whole) : 0;
}

static void put_mean(FILE *out, const struct stat_runs *runs, size_t event)
{
	const struct moments *moments = &runs->events[event];
	const struct counts_event *named = &runs->counts.events[event];
	struct number mean, deviation;

	if (runs->missing[event]) {
		fprintf(out, "%20s %-2s  %s\n", state_text(runs->counts.rows[0].counts[event].state), "",
			named->name);
		return;
	}
	fprintf(out, "%20s %-2s  %-24s  # standard deviation %s (%.2f %%)", mean_text(&mean, named, moments->mean),
		is_time(named) ? "ms" : "", named->name,
		mean_text(&deviation, named, moments_deviation(moments)),
		percent(moments_deviation(moments), moments->mean));
	if (count_share(&runs->counts.rows[0].counts[event]) < 1)
		fprintf(out, ", counted %.1f %% of the time",
			100 * count_share(&runs->counts.rows[0].counts[event]));
	fputc('\n', out);
}

int stat_text_runs(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs)
{
	FILE *out = result->out;

	put_title(options, out);
	fprintf(out, ": mean of %zu runs\n\n", runs->times[0].nr);
	for (size_t i = 0; i < runs->counts.nr_events; i++)
		put_mean(out, runs, i);
	fputc('\n', out);
	for (int i = 0; i < STAT_NR_TIMES; i++) {
		const struct moments *moments = &runs->times[i];

		fprintf(out, "%20.6f s   %-24s  # standard deviation %.6f (%.2f %%)\n", moments->mean,
			stat_time_name((enum stat_time)i), moments_deviation(moments),
			percent(moments_deviation(moments), moments->mean));
	}
	fputc('\n', out);
	return stat_result_flush(out);
}

static void put_change(FILE *out, const struct moments *a, const struct moments *b)
{
	struct difference difference = moments_difference(a, b);

	if (a->mean == 0) {
		fprintf(out, "%10s  %21s  %s\n", "", "", difference.low > 0 ? "*" : "");
		return;
	}
	fprintf(out, "%+9.2f%%  %+9.2f%% %+9.2f%%  %s\n", percent(difference.change, a->mean),
		percent(difference.low, a->mean), percent(difference.high, a->mean),
		difference.low > 0 || difference.high < 0 ? "*" : "");
}

static void put_pair(FILE *out, const struct stat_runs *runs, const struct stat_runs *others, size_t event)
{
	const struct counts_event *named = &runs->counts.events[event];
	struct number a, b;

	fprintf(out, "%-24s %-2s ", named->name, is_time(named) ? "ms" : "");
	if (runs->missing[event] || others->missing[event]) {
		const struct stat_runs *without = runs->missing[event] ? runs : others;

		fprintf(out, "%18s\n", state_text(without->counts.rows[0].counts[event].state));
		return;
	}
	fprintf(out, "%18s %18s  ", mean_text(&a, named, runs->events[event].mean),
		mean_text(&b, named, others->events[event].mean));
	put_change(out, &runs->events[event], &others->events[event]);
}

int stat_text_against(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs,
		      const struct stat_runs *others)
{
	FILE *out = result->out;

	if (options->all || options->cgroups.nr)
		put_title(options, out);
	put_command(out, "\n# A: ", options->command_text);
	put_command(out, "\n# B: ", options->against);
	fprintf(out, "\n# mean of %zu runs each; * marks what differs\n\n", runs->times[0].nr);
	fprintf(out, "%-27s %18s %18s  %10s  %21s\n", "", "A", "B", "B - A", "95 % interval");
	for (size_t i = 0; i < runs->counts.nr_events; i++)
		put_pair(out, runs, others, i);
	for (int i = 0; i < STAT_NR_TIMES; i++) {
		fprintf(out, "%-24s %-2s %18.6f %18.6f  ", stat_time_name((enum stat_time)i), "s", runs->times[i].mean,
			others->times[i].mean);
		put_change(out, &runs->times[i], &others->times[i]);
	}
	fputc('\n', out);
	return stat_result_flush(out);
}
