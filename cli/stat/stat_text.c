// SPDX-License-Identifier: GPL-2.0-only
/* Counts as text. */
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "derived.h"
#include "stat_number.h"
#include "stat_text.h"

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
	struct derived derived[DERIVED_MAX];
	struct stat_number number;
	double share = count_share(count);
	size_t nr = derived_of(counts, row, event, derived);

	fprintf(out, "%20s %-2s  ", count->state == TPROF_COUNTED ? stat_value_text(&number, named, count->value) :
		stat_state_text(count->state), stat_is_time(named) && count->state == TPROF_COUNTED ? "ms" : "");
	if (count->state != TPROF_COUNTED || (!nr && share >= 1)) {
		fprintf(out, "%s\n", named->name);
		return;
	}
	fprintf(out, "%-24s  #", named->name);
	for (size_t i = 0; i < nr; i++)
		fprintf(out, "%s %s", i ? "," : "", derived[i].text);
	if (share < 1)
		fprintf(out, "%s counted %.1f %% of the time", nr ? "," : "", 100 * share);
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

void stat_put_command(FILE *out, const char *before, const char *command)
{
	char *text = strdup(command);

	if (text)
		out_clean(text);
	fprintf(out, "%s%s", before, text ? text : "the command");
	free(text);
}

void stat_put_title(const struct stat_options *options, FILE *out)
{
	bool is_other = !options->command || options->all || options->cgroups.nr;

	fprintf(out, "%s# counts of ", options->command ? "\n" : "");
	if (is_other)
		fprintf(out, "the %s", stat_scope_name(options));
	if (options->command && !options->against)
		stat_put_command(out, is_other ? " during " : "", options->command_text);
}

static void put_head(const struct stat_options *options, struct stat_result *result)
{
	if (result->has_head)
		return;
	result->has_head = true;
	stat_put_title(options, result->out);
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
