// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Histograms as text: the rows of a table whose key has a bucket. A histogram has a line for each bucket, from the
 * first to the last that is not empty, with the samples, their share of the histogram, and a bar.
 */
#include "export_hist.h"

#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>

#include "filter/bucket.h"

enum {
	NUMBERS_COLUMNS = 18,	/* of samples and share, with the blanks before them */
	BAR_COLUMNS = 3,	/* beside a bar: a blank and the two lines at its ends */
	BAR_MIN_COLUMNS = 8,	/* with less, there is no bar */
	MAX_EMPTY = 64,		/* more buckets than that between two others are one line */
};

struct histogram {
	struct profile_row **rows;	/* from the lowest bucket to the highest */
	size_t nr;
	uint64_t samples;
	uint64_t most;			/* samples in one bucket */
};

/* How the lines of a histogram are written. */
struct drawing {
	FILE *out;
	const struct histogram *histogram;
	enum value_kind kind;
	uint64_t step;		/* of linear buckets; 0: unknown */
	int range;		/* columns of the longest range */
	int bar;		/* columns of a full bar; 0: no bars */
	bool blocks;		/* the locale has block characters */
};

typedef void (*line_fn)(struct drawing *drawing, const char *range, uint64_t samples);

static const struct tprof_cell *bucket_cell(const struct profile_row *row)
{
	for (size_t i = 0; i < row->nr_cells && !row->cells[i].is_value; i++) {
		const enum tprof_cell_type type = row->cells[i].type;

		if (type == TPROF_CELL_LOG2 || type == TPROF_CELL_LOG2_TIME || type == TPROF_CELL_LINEAR)
			return &row->cells[i];
	}
	return NULL;
}

static enum value_kind kind_of(const struct tprof_cell *cell)
{
	if (cell->type == TPROF_CELL_LOG2)
		return VALUE_LOG2;
	return cell->type == TPROF_CELL_LINEAR ? VALUE_LINEAR : VALUE_LOG2_NS;
}

bool export_is_hist(struct profile_row *const *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		if (!rows[i]->row.series || !bucket_cell(rows[i]))
			return false;
	}
	return nr > 0;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* By series, then by bucket. Numbers that are no buckets, which have no bounds, come last. */
static int compare_rows(const void *a, const void *b)
{
	const struct profile_row *x = *(struct profile_row *const *)a, *y = *(struct profile_row *const *)b;
	const struct tprof_cell *p = bucket_cell(x), *q = bucket_cell(y);
	int order = strcmp(x->row.series, y->row.series);

	if (!order)
		order = compare_numbers(!p->to, !q->to);
	if (!order)
		order = compare_numbers(p->from, q->from);
	return order ? order : compare_numbers(p->number, q->number);
}

/* The most samples first. */
static int compare_histograms(const void *a, const void *b)
{
	const struct histogram *x = a, *y = b;
	int order = compare_numbers(y->samples, x->samples);

	return order ? order : strcmp(x->rows[0]->row.series, y->rows[0]->row.series);
}

/* Splits sorted rows into histograms, for which there is space. Returns their number. */
static size_t split(struct profile_row **rows, size_t nr, struct histogram *histograms)
{
	struct histogram *last = NULL;
	size_t nr_histograms = 0;

	for (size_t i = 0; i < nr; i++) {
		if (!last || strcmp(last->rows[0]->row.series, rows[i]->row.series) != 0) {
			last = &histograms[nr_histograms++];
			*last = (struct histogram){ .rows = &rows[i] };
		}
		last->nr++;
		last->samples += rows[i]->row.samples;
		if (rows[i]->row.samples > last->most)
			last->most = rows[i]->row.samples;
	}
	return nr_histograms;
}

/* The step of linear buckets: the last one may be shorter, and those at both ends have any length. */
static uint64_t step_of(const struct histogram *histogram)
{
	uint64_t step = 0;

	for (size_t i = 0; i < histogram->nr; i++) {
		const struct tprof_cell *cell = bucket_cell(histogram->rows[i]);

		if (cell->from && cell->to != BUCKET_NO_END && cell->to - cell->from > step)
			step = cell->to - cell->from;
	}
	return step;
}

/* The upper bound of the empty bucket that begins at @from, below the next one at @end. */
static uint64_t end_of_empty(const struct drawing *drawing, uint64_t from, uint64_t end)
{
	uint64_t step = drawing->step;

	if (drawing->kind != VALUE_LINEAR)
		return from ? from * 2 : 1;
	return step && (end - from) % step == 0 && (end - from) / step <= MAX_EMPTY ? from + step : end;
}

static void each_empty(struct drawing *drawing, uint64_t from, uint64_t end, line_fn fn)
{
	char text[BUCKET_TEXT];

	while (from < end) {
		const struct bucket bucket = { from, end_of_empty(drawing, from, end) };

		bucket_text(text, drawing->kind, &bucket);
		fn(drawing, text, 0);
		from = bucket.to;
	}
}

static void each_line(struct drawing *drawing, line_fn fn)
{
	const struct histogram *histogram = drawing->histogram;
	uint64_t end = 0;

	for (size_t i = 0; i < histogram->nr; i++) {
		const struct tprof_cell *cell = bucket_cell(histogram->rows[i]);

		if (i && cell->to)
			each_empty(drawing, end, cell->from, fn);
		fn(drawing, cell->text, histogram->rows[i]->row.samples);
		end = cell->to;
	}
}

static void measure(struct drawing *drawing, const char *range, uint64_t samples)
{
	int length = (int)strlen(range);

	(void)samples;
	if (length > drawing->range)
		drawing->range = length;
}

/* A bar with a resolution of an eighth of a column; whole columns without block characters. */
static void draw_bar(const struct drawing *drawing, uint64_t samples)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	double columns = drawing->histogram->most ?
		(double)samples / (double)drawing->histogram->most * drawing->bar : 0;
	int eighth = (int)(columns * 8 + 0.5), full = drawing->blocks ? eighth / 8 : (int)columns;

	/* A bucket that is not empty is seen. */
	eighth = drawing->blocks ? eighth % 8 + (samples && !eighth) : 0;
	fputs(" |", drawing->out);
	for (int i = 0; i < full; i++)
		fputs(drawing->blocks ? "█" : "@", drawing->out);
	fprintf(drawing->out, "%s%*s|", eighths[eighth], drawing->bar - full - !!eighth, "");
}

static void draw_line(struct drawing *drawing, const char *range, uint64_t samples)
{
	const uint64_t whole = drawing->histogram->samples;

	fprintf(drawing->out, "%-*s %8" PRIu64 " %7.2f%%", drawing->range, range, samples,
		whole ? 100.0 * (double)samples / (double)whole : 0);
	if (drawing->bar)
		draw_bar(drawing, samples);
	fputc('\n', drawing->out);
}

static void draw(const struct histogram *histogram, FILE *out, int columns)
{
	const char *series = histogram->rows[0]->row.series;
	struct drawing drawing = {
		.out = out,
		.histogram = histogram,
		.kind = kind_of(bucket_cell(histogram->rows[0])),
		.step = step_of(histogram),
		.range = (int)strlen("range"),
		.blocks = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
	};

	each_line(&drawing, measure);
	drawing.bar = columns - drawing.range - NUMBERS_COLUMNS - BAR_COLUMNS;
	if (drawing.bar < BAR_MIN_COLUMNS)
		drawing.bar = 0;
	if (series[0])
		fprintf(out, "\n%s\n", series);
	fprintf(out, "%-*s %8s %8s\n", drawing.range, "range", "samples", "share");
	each_line(&drawing, draw_line);
}

int export_hist(struct profile_row *const *rows, size_t nr, FILE *out, size_t limit, int columns)
{
	struct profile_row **sorted = calloc(nr, sizeof(struct profile_row *));
	struct histogram *histograms = calloc(nr, sizeof(*histograms));
	size_t nr_histograms, shown;

	if (!sorted || !histograms) {
		free(sorted);
		free(histograms);
		return -ENOMEM;
	}
	memcpy(sorted, rows, nr * sizeof(struct profile_row *));
	qsort(sorted, nr, sizeof(struct profile_row *), compare_rows);
	nr_histograms = split(sorted, nr, histograms);
	qsort(histograms, nr_histograms, sizeof(*histograms), compare_histograms);
	fprintf(out, " (%zu %s)\n", nr_histograms, nr_histograms == 1 ? "histogram" : "histograms");
	shown = limit && limit < nr_histograms ? limit : nr_histograms;
	for (size_t i = 0; i < shown; i++)
		draw(&histograms[i], out, columns);
	if (shown < nr_histograms)
		fprintf(out, "%s# and %zu more\n", histograms[0].rows[0]->row.series[0] ? "\n" : "",
			nr_histograms - shown);
	free(sorted);
	free(histograms);
	return 0;
}
