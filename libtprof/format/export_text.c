// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Profiles as plain text: a line on the recording, a line on the samples, the entries. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "export.h"
#include "export_hist.h"

/* A share in percent; 0 if the whole is 0. */
static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* The rate or the period of an event. */
static void write_rate(uint64_t rate_hz, uint64_t period, const char *unit, FILE *out)
{
	if (rate_hz)
		fprintf(out, ", %" PRIu64 " Hz", rate_hz);
	else if (period)
		fprintf(out, ", every %" PRIu64 " %s", period, unit);
}

/* Of a multiplexed event. */
static void write_counted(const struct tprof_ledger *ledger, const char *unit, FILE *out)
{
	double share = tprof_ledger__counted(ledger);

	fprintf(out, ", counted %.1f%% of the time", 100 * share);
	if (share > 0)
		fprintf(out, ", scaled weight %.0f %s", (double)ledger->fired.weight / share, unit);
}

/* A line for each event after the first. */
static void write_events(const struct tprof_profile *profile, FILE *out)
{
	for (size_t e = 0; e < profile->nr_events && profile->nr_events > 1; e++) {
		const struct tprof_event_info *event = tprof_profile__event(profile, e);
		const struct tprof_ledger *ledger = tprof_profile__event_ledger(profile, e);
		struct tprof_loss loss = { .sz = sizeof(loss) };

		tprof_ledger__loss(ledger, &loss);
		fprintf(out, "# event %s", event->event);
		write_rate(event->rate_hz, event->period, event->unit, out);
		fprintf(out, ": samples %llu, counted %llu, loss %" PRIu64 " (%.1f%% of %" PRIu64 " in scope)",
			ledger->fired.samples, ledger->countings[TPROF_COUNTING_AGGREGATED].samples, loss.missing,
			loss.percent, loss.in_scope);
		if (tprof_ledger__counted(ledger) < 1)
			write_counted(ledger, event->unit, out);
		fputc('\n', out);
	}
}

static void write_header(const struct tprof_profile *profile, FILE *out)
{
	const struct tprof_info *info = &profile->info;
	const struct tprof_ledger *ledger = &profile->ledger;
	struct tprof_loss loss = { .sz = sizeof(loss) };

	tprof_ledger__loss(ledger, &loss);
	fprintf(out, "# engine %s, event %s", info->engine, info->event);
	if (info->fallback)
		fprintf(out, " (%s)", info->fallback);
	write_rate(info->rate_hz, info->period, info->unit, out);
	/* Files of other programs have no number of CPUs. */
	if (info->nr_cpus)
		fprintf(out, ", %u CPU%s", info->nr_cpus, info->nr_cpus == 1 ? "" : "s");
	fprintf(out, ", %.1f s\n", (double)profile->duration_ns / 1e9);
	/* Tallies are __u64, which is unsigned long long on every architecture. */
	fprintf(out, "# samples %llu, counted %llu, idle %llu, loss %" PRIu64 " (%.1f%% of %" PRIu64 " in scope)\n",
		ledger->fired.samples, ledger->countings[TPROF_COUNTING_AGGREGATED].samples,
		ledger->idle.samples + ledger->lost[TPROF_LOST_IDLE_MISSED].samples, loss.missing, loss.percent,
		loss.in_scope);
	write_events(profile, out);
	if (loss.text[0])
		fprintf(out, "# warning: %s\n", loss.text);
}

/* Writes how many of the unwound stacks have frames found by frame pointer, for lack of unwind information. */
static void write_frame_pointers(const struct tprof_profile *profile, FILE *out)
{
	struct tprof_tally found = tprof_profile__by_frame_pointer(profile);

	if (found.samples)
		fprintf(out, "# callers of %llu samples (%.1f%%) were found by frame pointers\n", found.samples,
			share(found.samples, profile->ledger.countings[TPROF_COUNTING_AGGREGATED].samples));
}

/* Writes the losses by reason; nothing if there are none. */
static void write_losses(const struct tprof_ledger *ledger, FILE *out)
{
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++) {
		if (ledger->lost[i].samples && i != TPROF_LOST_IDLE_MISSED)
			fprintf(out, "# lost %llu %s: %s\n", ledger->lost[i].samples, tprof_lost_reason__name(i),
				tprof_lost_reason__text(i));
	}
	for (int i = TPROF_COUNTING_AGGREGATED + 1; i < TPROF_NR_COUNTINGS; i++) {
		if (ledger->countings[i].samples)
			fprintf(out, "# not stored %llu %s\n", ledger->countings[i].samples,
				tprof_counting__name(i));
	}
	if (ledger->not_in_file.samples)
		fprintf(out, "# not in the file %llu: the recording was cut short or is damaged\n",
			ledger->not_in_file.samples);
	if (ledger->sideband_lost)
		fprintf(out, "# %" PRIu64 " side-band events (fork, exec, mmap) were lost: %llu samples (%.1f%% of "
			"those counted) have no name; run tprof with nice -n -20 to read the events in time\n",
			ledger->sideband_lost, ledger->unnamed_sideband_lost.samples,
			share(ledger->unnamed_sideband_lost.samples,
			      ledger->countings[TPROF_COUNTING_AGGREGATED].samples));
}

/* Writes each warning on a line. */
static void write_warnings(const char *warnings, FILE *out)
{
	while (warnings) {
		const char *end = strstr(warnings, "; ");

		fprintf(out, "# warning: %.*s\n", end ? (int)(end - warnings) : (int)strlen(warnings), warnings);
		warnings = end ? end + 2 : NULL;
	}
}

/* Columns are as wide as their content, up to these limits. Longer content shifts the rest of its line. */
#define SYMBOL_WIDTH_MAX 48
#define OBJECT_WIDTH_MAX 24
/* Function names can be long. */
#define NAME_TEXT_MAX 16384

struct widths {
	int symbol, object;
};

/* "function (inlined) file.c:123", or the parts that are known */
static const char *name_text(const struct tprof_entry *entry, char *text, size_t size)
{
	const char *slash = strrchr(entry->file, '/');

	if (!entry->inlined && !entry->line)
		return entry->symbol;
	if (entry->line)
		snprintf(text, size, "%s%s %s:%u", entry->symbol, entry->inlined ? " (inlined)" : "",
			 slash ? slash + 1 : entry->file, entry->line);
	else
		snprintf(text, size, "%s (inlined)", entry->symbol);
	return text;
}

static int wider(int width, const char *text, int max)
{
	int length = (int)strlen(text);

	return length > max || length < width ? width : length;
}

static struct widths measure(const struct tprof_profile *profile, size_t shown)
{
	struct widths widths = { (int)strlen("function"), (int)strlen("object") };
	char text[NAME_TEXT_MAX];

	for (size_t i = 0; i < shown; i++) {
		const struct tprof_entry *entry = &profile->entries[i]->entry;

		widths.symbol = wider(widths.symbol, name_text(entry, text, sizeof(text)), SYMBOL_WIDTH_MAX);
		widths.object = wider(widths.object, entry->object, OBJECT_WIDTH_MAX);
	}
	return widths;
}

/* Share and samples of each event. @whole: the weight of each event. */
static void write_values(const struct tprof_profile *profile, const struct profile_entry *entry, const uint64_t *whole,
			 FILE *out)
{
	for (size_t e = 0; e < profile->nr_events; e++) {
		const struct tprof_tally value = entry_tally(entry, e);

		fprintf(out, "%6.2f%% %8llu%s", share(value.weight, whole[e]), value.samples,
			e + 1 < profile->nr_events ? "  " : "");
	}
}

/* Entries that are not functions have nothing but a name and, if they are processes, an id. */
static bool has_functions(const struct tprof_profile *profile)
{
	return !profile->grouped || profile->group == TPROF_GROUP_FUNCTION || profile->group == TPROF_GROUP_LINE;
}

static void write_group(const struct tprof_entry *entry, FILE *out)
{
	fprintf(out, "  %s", entry->symbol);
	if (entry->pid >= 0)
		fprintf(out, " (%d)", entry->pid);
	fputc('\n', out);
}

static void write_entry(const struct tprof_entry *entry, const struct widths *widths, FILE *out)
{
	/* Marks, such as "(preempted)", have none. */
	const char *mode = entry->mode == TPROF_MODE_UNKNOWN ? "-" : tprof_mode__name(entry->mode);
	char text[NAME_TEXT_MAX];

	fprintf(out, "  %-7s  %-*s  %-*s  %s", mode, widths->symbol,
		name_text(entry, text, sizeof(text)), widths->object, entry->object, entry->comm);
	if (entry->pid >= 0)
		fprintf(out, " (%d)", entry->pid);
	fputc('\n', out);
}

/* Tells an empty table from output that was cut short. */
static void write_if_empty(size_t nr, FILE *out)
{
	if (!nr)
		fprintf(out, "# empty: no sample was counted\n");
}

/* The names of the columns before the mode. Of several events, their names stand in a line of their own. */
static void write_columns(const struct tprof_profile *profile, FILE *out)
{
	for (size_t e = 0; e < profile->nr_events && profile->nr_events > 1; e++)
		fprintf(out, "%16.16s%s", tprof_profile__event(profile, e)->event,
			e + 1 < profile->nr_events ? "  " : "\n");
	for (size_t e = 0; e < profile->nr_events; e++)
		fprintf(out, "%7s %8s%s", "share", "samples", e + 1 < profile->nr_events ? "  " : "");
}

static void write_entries(const struct tprof_profile *profile, FILE *out, size_t limit)
{
	size_t shown = limit && limit < profile->nr ? limit : profile->nr;
	struct widths widths = measure(profile, shown);
	uint64_t whole[TPROF_EVENTS_MAX] = { 0 };

	for (size_t e = 0; e < profile->nr_events; e++) {
		for (size_t i = 0; i < profile->nr; i++)
			whole[e] += entry_tally(profile->entries[i], e).weight;
	}
	write_columns(profile, out);
	if (has_functions(profile))
		fprintf(out, "  %-7s  %-*s  %-*s  %s\n", "mode", widths.symbol, "function", widths.object, "object",
			"process");
	else
		fprintf(out, "  %s\n", tprof_group__name(profile->group));
	for (size_t i = 0; i < shown; i++) {
		const struct tprof_entry *entry = &profile->entries[i]->entry;

		write_values(profile, profile->entries[i], whole, out);
		if (has_functions(profile))
			write_entry(entry, &widths, out);
		else
			write_group(entry, out);
	}
	write_if_empty(profile->nr, out);
	if (shown < profile->nr)
		fprintf(out, "# and %zu more\n", profile->nr - shown);
}

/* Writes @nr rows, which are those of one event. */
static void write_rows(struct profile_row *const *rows, size_t nr, FILE *out, size_t limit)
{
	size_t shown = limit && limit < nr ? limit : nr;
	uint64_t total = 0;

	for (size_t i = 0; i < nr; i++)
		total += rows[i]->row.weight;
	fprintf(out, " (%zu %s)\n", nr, nr == 1 ? "key" : "keys");
	fprintf(out, "%7s %8s %16s  %s\n", "share", "samples", "weight", "key");
	for (size_t i = 0; i < shown; i++) {
		const struct tprof_row *row = &rows[i]->row;

		fprintf(out, "%6.2f%% %8" PRIu64 " %16" PRIu64 "  %s%s%s\n", share(row->weight, total), row->samples,
			row->weight, row->key, row->value[0] ? "  " : "", row->value);
	}
	write_if_empty(nr, out);
	if (shown < nr)
		fprintf(out, "# and %zu more\n", nr - shown);
}

/* The columns of the terminal to which the text is written; 80 if it is none. */
static int columns_of(FILE *out)
{
	struct winsize size;

	return ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col ? 80 : size.ws_col;
}

/* Each event has a table of its own, because weights have the units of their events. */
static int write_table(const struct tprof_profile *profile, const struct profile_table *table, FILE *out, size_t limit)
{
	size_t from = 0;
	int err = 0;

	for (size_t e = 0; e < profile->nr_events && !err; e++) {
		size_t to = from;

		while (to < table->nr && table->rows[to]->row.event == e)
			to++;
		fprintf(out, "\n%s", table->name);
		if (profile->nr_events > 1)
			fprintf(out, ", %s", tprof_profile__event(profile, e)->event);
		if (export_is_hist(table->rows + from, to - from))
			err = export_hist(table->rows + from, to - from, out, limit, columns_of(out));
		else
			write_rows(table->rows + from, to - from, out, limit);
		from = to;
	}
	return err;
}

int export_text(const struct tprof_profile *profile, FILE *out, const struct tprof_export_opts *opts)
{
	int err = 0;

	write_header(profile, out);
	write_frame_pointers(profile, out);
	write_losses(&profile->ledger, out);
	write_warnings(profile->info.warnings, out);
	if (opts->summary)
		return 0;
	if (!opts->tables) {
		write_entries(profile, out, opts->limit);
		return 0;
	}
	for (size_t i = 0; i < profile->nr_tables && !err; i++)
		err = write_table(profile, &profile->tables[i], out, opts->limit);
	return err;
}
