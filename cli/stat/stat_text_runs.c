// SPDX-License-Identifier: GPL-2.0-only
/* Means of repeated runs, comparisons of two commands, and ratios with confidence intervals, as text. */
#include <math.h>
#include <stdlib.h>

#include "stat_number.h"
#include "stat_text.h"

static double percent(double part, double whole)
{
	return whole != 0 ? 100 * part / fabs(whole) : 0;
}

static void put_mean(FILE *out, const struct stat_runs *runs, size_t event)
{
	const struct moments *moments = &runs->events[event];
	const struct counts_event *named = &runs->counts.events[event];
	struct stat_number mean, deviation;

	if (runs->missing[event]) {
		fprintf(out, "%20s %-2s  %s\n", stat_state_text(runs->counts.rows[0].counts[event].state), "",
			named->name);
		return;
	}
	fprintf(out, "%20s %-2s  %-24s  # standard deviation %s (%.2f %%)", stat_mean_text(&mean, named, moments->mean),
		stat_is_time(named) ? "ms" : "", named->name,
		stat_mean_text(&deviation, named, moments_deviation(moments)),
		percent(moments_deviation(moments), moments->mean));
	if (count_share(&runs->counts.rows[0].counts[event]) < 1)
		fprintf(out, ", counted %.1f %% of the time",
			100 * count_share(&runs->counts.rows[0].counts[event]));
	fputc('\n', out);
}

static void put_ratio(FILE *out, const struct counts *counts, const struct stat_ratio *ratio)
{
	struct moments moments = stat_ratio_moments(ratio);
	double half = moments_half(&moments);
	char label[96];

	if (!moments.nr)
		return;
	stat_ratio_label(ratio, counts, label, sizeof(label));
	fprintf(out, "%20.3f     %-24s", moments.mean, label);
	if (moments.nr > 1)
		fprintf(out, "  # 95 %% interval %.3f to %.3f", moments.mean - half, moments.mean + half);
	fputc('\n', out);
}

static void put_ratios(FILE *out, const struct counts *counts, const struct stat_ratios *ratios)
{
	for (size_t i = 0; i < ratios->nr; i++)
		put_ratio(out, counts, &ratios->all[i]);
	if (ratios->nr)
		fputc('\n', out);
}

int stat_text_ratios(struct stat_result *result, const struct counts *counts, const struct stat_ratios *ratios)
{
	if (!ratios->nr)
		return 0;
	fprintf(result->out, "# all %zu intervals\n", ratios->nr_added);
	put_ratios(result->out, counts, ratios);
	return stat_result_flush(result->out);
}

int stat_text_runs(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs)
{
	FILE *out = result->out;

	stat_put_title(options, out);
	fprintf(out, ": mean of %zu runs\n\n", runs->times[0].nr);
	for (size_t i = 0; i < runs->counts.nr_events; i++)
		put_mean(out, runs, i);
	fputc('\n', out);
	put_ratios(out, &runs->counts, &runs->ratios);
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
	struct stat_number a, b;

	fprintf(out, "%-24s %-2s ", named->name, stat_is_time(named) ? "ms" : "");
	if (runs->missing[event] || others->missing[event]) {
		const struct stat_runs *without = runs->missing[event] ? runs : others;

		fprintf(out, "%18s\n", stat_state_text(without->counts.rows[0].counts[event].state));
		return;
	}
	fprintf(out, "%18s %18s  ", stat_mean_text(&a, named, runs->events[event].mean),
		stat_mean_text(&b, named, others->events[event].mean));
	put_change(out, &runs->events[event], &others->events[event]);
}

static void put_ratio_pair(FILE *out, const struct stat_runs *runs, const struct stat_runs *others, size_t index)
{
	const struct stat_ratio *ratio = &runs->ratios.all[index];
	struct moments a = stat_ratio_moments(ratio), b = stat_ratio_moments(&others->ratios.all[index]);
	char label[96];

	if (a.nr < 2 || b.nr < 2)
		return;
	stat_ratio_label(ratio, &runs->counts, label, sizeof(label));
	fprintf(out, "%-27s %18.3f %18.3f  ", label, a.mean, b.mean);
	put_change(out, &a, &b);
}

int stat_text_against(const struct stat_options *options, struct stat_result *result, const struct stat_runs *runs,
		      const struct stat_runs *others)
{
	FILE *out = result->out;

	if (options->all || options->cgroups.nr)
		stat_put_title(options, out);
	stat_put_command(out, "\n# A: ", options->command_text);
	stat_put_command(out, "\n# B: ", options->against);
	fprintf(out, "\n# mean of %zu runs each; * marks what differs\n\n", runs->times[0].nr);
	fprintf(out, "%-27s %18s %18s  %10s  %21s\n", "", "A", "B", "B - A", "95 % interval");
	for (size_t i = 0; i < runs->counts.nr_events; i++)
		put_pair(out, runs, others, i);
	for (size_t i = 0; i < runs->ratios.nr; i++)
		put_ratio_pair(out, runs, others, i);
	for (int i = 0; i < STAT_NR_TIMES; i++) {
		fprintf(out, "%-24s %-2s %18.6f %18.6f  ", stat_time_name((enum stat_time)i), "s", runs->times[i].mean,
			others->times[i].mean);
		put_change(out, &runs->times[i], &others->times[i]);
	}
	fputc('\n', out);
	return stat_result_flush(out);
}
