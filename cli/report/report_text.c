// SPDX-License-Identifier: GPL-2.0-only
/* Writes a report as text: summary, rows, and below each row the tree of its callers or callees. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cell.h"
#include "base/grow.h"
#include "file/profile_file.h"
#include "report.h"

#define NAME_WIDTH_MAX 64
/* Columns of "|  ", the indentation of each level of a tree. */
#define INDENT 3

static void put_padded(const char *text, int width)
{
	int padding = width - cell_width(text);

	printf("%s%*s", text, padding > 0 ? padding : 0, "");
}

/* The name of a process is followed by its pid. */
static const char *name_text(const struct name *name, char *buffer, size_t size)
{
	if (name->pid < 0)
		return name->text;
	snprintf(buffer, size, "%s (%d)", name->text, name->pid);
	return buffer;
}

static int measure(const struct report *report)
{
	int width = (int)strlen(report_group_name(report));
	char buffer[256];

	for (size_t i = 0; i < report->nr; i++) {
		int needed = cell_width(name_text(&report->names.names[report->rows[i].name], buffer, sizeof(buffer)));

		if (needed > width && needed <= NAME_WIDTH_MAX)
			width = needed;
	}
	return width;
}

struct drawing {
	const struct report *report;
	const struct tree_way *way;
	const char *ended;	/* label for stacks that end */
	char *prefix;
	size_t length, capacity;
};

/* Indents by one level. @more: other items follow on the level above. */
static int indent(struct drawing *drawing, bool more)
{
	/* grow_array() reserves one more byte, for the terminator. */
	char *larger = grow_array(drawing->prefix, drawing->length + INDENT, &drawing->capacity, 1);

	if (!larger)
		return -ENOMEM;
	drawing->prefix = larger;
	memcpy(drawing->prefix + drawing->length, more ? "|  " : "   ", INDENT + 1);
	drawing->length += INDENT;
	return 0;
}

static void outdent(struct drawing *drawing)
{
	drawing->length -= INDENT;
	drawing->prefix[drawing->length] = '\0';
}

static void draw_start(const struct drawing *drawing, const struct tprof_tally *sum, bool more)
{
	printf("%19s%s%s--%6.2f%%-- ", "", drawing->prefix, more ? "|" : "`", report_percent(drawing->report, sum));
}

/* Prints the object only if it differs from that of the line before. */
static const char *draw_name(const struct drawing *drawing, uint32_t number, const char *object)
{
	const struct name *name = &drawing->report->names.names[number];

	fputs(name->text, stdout);
	if (name->object[0] && (!object || strcmp(object, name->object)))
		printf("  %s", name->object);
	putchar('\n');
	return name->object;
}

static int draw(struct drawing *drawing, struct tree *tree, const char *object);

/* Frees the child, so that no more than one branch of each level is kept. */
static int draw_child(struct drawing *drawing, struct tree *child, const char *object, bool more)
{
	int err = tree_split(child, drawing->way);

	if (err)
		return err;
	draw_start(drawing, &child->sum, more);
	object = draw_name(drawing, child->run[0], object);
	err = indent(drawing, more);
	for (size_t i = 1; i < child->nr_run && !err; i++) {
		printf("%19s%s%10s", "", drawing->prefix, "");
		object = draw_name(drawing, child->run[i], object);
	}
	if (!err)
		err = draw(drawing, child, object);
	if (!err)
		outdent(drawing);
	tree_fini(child);
	return err;
}

/* Draws the part below the run of the tree. The line for ended stacks is left out if it would be the only one. */
static int draw(struct drawing *drawing, struct tree *tree, const char *object)
{
	bool ended = tree->ended.weight && (tree->nr || tree->nr_omitted);
	int err = 0;

	for (size_t i = 0; i < tree->nr && !err; i++)
		err = draw_child(drawing, &tree->children[i], object, i + 1 < tree->nr || ended || tree->nr_omitted);
	if (!err && ended) {
		draw_start(drawing, &tree->ended, tree->nr_omitted);
		puts(drawing->ended);
	}
	if (!err && tree->nr_omitted) {
		draw_start(drawing, &tree->omitted, false);
		printf("[%zu more]\n", tree->nr_omitted);
	}
	return err;
}

static int draw_tree(const struct report *report, const struct report_row *row)
{
	struct report_tree shown;
	struct drawing drawing = {
		.report = report,
		.way = &shown.way,
		.ended = report->calls_shown == REPORT_CALLERS ? "[no caller]" : "[self]",
	};
	const char *object = report->names.names[row->name].object;
	int err = report_tree_open(&shown, report, row);
	struct tree *tree = &shown.root;

	drawing.prefix = calloc(1, 1);
	drawing.capacity = drawing.prefix ? 1 : 0;
	if (!drawing.prefix)
		err = -ENOMEM;
	for (size_t i = 1; i < tree->nr_run && !err; i++) {
		printf("%32s", i == 1 ? "-- " : "");
		object = draw_name(&drawing, tree->run[i], object);
	}
	if (!err)
		err = draw(&drawing, tree, object);
	if (!err && (tree->nr || tree->nr_omitted || tree->nr_run > 1))
		putchar('\n');
	report_tree_close(&shown);
	free(drawing.prefix);
	return err;
}

/* The event of the first columns, and those of the columns after them. */
static void put_events(const struct report *report)
{
	if (!report->nr_others)
		return;
	printf("%25s", tprof_profile__info(report->profile)->event);
	for (size_t e = 0; e < report->nr_others; e++)
		printf("  %16.16s", tprof_profile__info(report->others[e].profile)->event);
	putchar('\n');
}

static void put_others(const struct report *report, const struct report_row *row)
{
	for (size_t e = 0; e < report->nr_others; e++) {
		struct tprof_tally self = report_event_self(&report->others[e], row->name);

		printf("%15.2f%%  ", report_event_percent(&report->others[e], &self));
	}
}

static void put_row(const struct report *report, const struct report_row *row, int width)
{
	const struct name *name = &report->names.names[row->name];
	bool function = names_are_functions(report->group);
	char buffer[256];

	printf("%6.2f%% %6.2f%% %9" PRIu64 "  ", report_percent(report, &row->self),
	       report_percent(report, &row->total), (uint64_t)row->self.samples);
	put_others(report, row);
	if (names_are_code(report->group))
		printf("%-7s  ", name_mode(name));
	if (function) {
		put_padded(name->text, width);
		printf("  %s\n", name->object);
	} else {
		puts(name_text(name, buffer, sizeof(buffer)));
	}
}

int report_text(const struct report *report)
{
	TPROF_OPTS(tprof_export_opts, summary, .summary = true);
	int width = measure(report), err;

	err = tprof_profile__export(report->profile, "text", STDOUT_FILENO, &summary);
	if (err)
		return err;
	printf("# file %s\n", profile_file_name(report->input));
	put_events(report);
	printf("%7s %7s %9s  ", "self", "total", "samples");
	for (size_t e = 0; e < report->nr_others; e++)
		printf("%16s  ", "self");
	if (names_are_functions(report->group))
		printf("%-7s  %-*s  object\n", "mode", width, tprof_group__name(report->group));
	else
		printf("%s%s\n", report->group == TPROF_GROUP_OBJECT ? "mode     " : "", report_group_name(report));
	for (size_t i = 0; i < report->nr && !err; i++) {
		put_row(report, &report->rows[i], width);
		if (report->calls_shown != REPORT_NONE)
			err = draw_tree(report, &report->rows[i]);
	}
	if (!report->nr && !report->nr_hidden)
		puts("# empty: the profile has no samples");
	if (!err && report->nr_hidden)
		printf("# and %zu more with %.2f%% of the weight, %" PRIu64 " samples\n", report->nr_hidden,
		       report_percent(report, &report->hidden), (uint64_t)report->hidden.samples);
	return err;
}
