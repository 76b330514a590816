// SPDX-License-Identifier: GPL-2.0-only
/* Draws the browser: two header lines, titles, the visible lines, and a footer line. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/cell.h"
#include "base/ledger.h"
#include "base/opt.h"
#include "base/units.h"
#include "browser.h"
#include "file/profile_file.h"
#include "screen/box.h"
#include "screen/head.h"
#include "screen/screen.h"

static const struct box_key keys[] = {
	{ "q", "quit" },
	{ "Enter", "open or close the line; also + and -" },
	{ "e E", "open, or close, everything below" },
	{ "c", "switch between callers and callees" },
	{ "s", "switch the sort order between self and total" },
	{ "o", "group by function, process, object, cgroup, line, owner" },
	{ "/", "show only names that contain a text; Esc: all" },
	{ "i", "full name and numbers of the line" },
	{ "l", "show the ledger" },
	{ "arrows", "move; also j, k, PgUp, PgDn, Home, End" },
	{ "left", "close the line, or go to its parent" },
	{ "h ?", "this help" },
};

enum {
	HEAD_ROWS = 3,			/* session, profile, titles */
	FOOT_ROWS = 1,
	MARGIN = 1,			/* contains the mark of the selected line */
	GAP = 2,
	PERCENT_COLUMNS = 7,		/* "100.00%" */
	SAMPLES_COLUMNS = 7,
	SAMPLES_FROM_COLUMNS = 60,	/* on narrower terminals, names get the space */
	OBJECT_FROM_COLUMNS = 72,
	INDENT = 2,
	NAME_MIN_COLUMNS = 12,		/* kept free of indentation */
};

/* Width of the columns of text; 0: not shown. */
struct layout {
	int samples;
	int name;
	int object;
};

static struct layout layout_for(const struct report *report)
{
	struct layout layout = { .samples = COLS >= SAMPLES_FROM_COLUMNS ? SAMPLES_COLUMNS : 0 };
	int rest = COLS - 2 * MARGIN - 2 * PERCENT_COLUMNS - 1 - GAP;

	rest -= layout.samples ? layout.samples + GAP : 0;
	if (names_are_functions(report->group) && COLS >= OBJECT_FROM_COLUMNS)
		layout.object = rest / 3 < 32 ? rest / 3 : 32;
	layout.name = rest - (layout.object ? layout.object + GAP : 0);
	return layout;
}

static void draw_profile(const struct report *report)
{
	const struct tprof_info *info = tprof_profile__info(report->profile);
	char line[512], cpus[64] = "";

	if (info->nr_cpus)
		snprintf(cpus, sizeof(cpus), ", %u of %u CPUs", info->nr_cpus, info->nr_online);
	snprintf(line, sizeof(line), "%s, %.1f s%s%s%s",
		 profile_file_name(report->input),
		 (double)tprof_profile__duration_ns(report->profile) / 1e9, cpus, info->fallback ? "; " : "",
		 info->fallback ? info->fallback : "");
	screen_text(1, MARGIN, COLS - 2 * MARGIN, screen_paint(PAINT_FAINT), line);
}

static void draw_titles(const struct browser *browser, const struct layout *layout)
{
	const struct report *report = browser->report;
	attr_t plain = A_UNDERLINE | screen_paint(PAINT_FAINT), sorted = A_UNDERLINE | A_BOLD;
	const int row = HEAD_ROWS - 1;
	int column = MARGIN;
	char name[64];

	screen_text(row, 0, COLS, plain, "");
	column = screen_text(row, column, PERCENT_COLUMNS, report->by_total ? plain : sorted, "   SELF") + 1;
	column = screen_text(row, column, PERCENT_COLUMNS, report->by_total ? sorted : plain, "  TOTAL") + GAP;
	if (layout->samples)
		column = screen_text(row, column, layout->samples, plain, "SAMPLES") + GAP;
	snprintf(name, sizeof(name), "%s", report_group_name(report));
	for (char *letter = name; *letter; letter++)
		*letter = (char)toupper((unsigned char)*letter);
	if (browser_has_calls(browser))
		strcat(name, report->calls_shown == REPORT_CALLERS ? ", with callers" : ", with callees");
	column = screen_text(row, column, layout->name, plain, name) + GAP;
	if (layout->object)
		screen_text(row, column, layout->object, plain, "OBJECT");
}

static int draw_percent(const struct report *report, int row, int column, const struct tprof_tally *part,
			attr_t attributes)
{
	double percent = part ? report_percent(report, part) : 0;
	char text[32] = "";

	if (part)
		snprintf(text, sizeof(text), "%6.2f%%", percent);
	return screen_text(row, column, PERCENT_COLUMNS, attributes | (part ? screen_share_paint(percent) : A_NORMAL),
			   text);
}

/* Formats the name of a line; returns its object. */
static const char *describe(const struct browser *browser, const struct browser_line *line, char *text, size_t size)
{
	const struct report *report = browser->report;
	const struct name *name;

	if (!line->row) {
		snprintf(text, size, "[%zu more rows]", report->nr_hidden);
		return "";
	}
	if (line->branch && line->branch->kind != BRANCH_CALLS) {
		if (line->branch->kind == BRANCH_OMITTED)
			snprintf(text, size, "[%zu more]", line->branch->nr_omitted);
		else
			snprintf(text, size, "%s", report->calls_shown == REPORT_CALLERS ? "[no caller]" : "[self]");
		return "";
	}
	name = &report->names.names[line->branch ? line->branch->name : line->row->name];
	if (name->pid >= 0)
		snprintf(text, size, "%s (%d)", name->text, name->pid);
	else
		snprintf(text, size, "%s", name->text);
	return name->object;
}

static bool is_kernel(const struct browser *browser, const struct browser_line *line)
{
	const struct report *report = browser->report;

	if (!line->row || (line->branch && line->branch->kind != BRANCH_CALLS))
		return false;
	return report->names.names[line->branch ? line->branch->name : line->row->name].mode == TPROF_MODE_KERNEL;
}

static void draw_name(struct browser *browser, const struct browser_line *line, int row, int column,
		      const struct layout *layout, attr_t attributes)
{
	int indent = line->branch ? INDENT * line->branch->depth : 0;
	attr_t tint = attributes | screen_paint(is_kernel(browser, line) ? PAINT_KERNEL : PAINT_PLAIN);
	const char *mark = " ", *object;
	char name[1024];

	if (indent > layout->name - NAME_MIN_COLUMNS)
		indent = layout->name - NAME_MIN_COLUMNS;
	if (browser_goes_on(browser, line))
		mark = browser_is_open(browser, line) ? "-" : "+";
	object = describe(browser, line, name, sizeof(name));
	screen_text(row, column, layout->name, attributes, "");
	screen_text(row, column + indent, 2, attributes | A_BOLD, mark);
	screen_text(row, column + indent + 2, layout->name - indent - 2, tint, name);
	column += layout->name + GAP;
	if (layout->object)
		screen_text(row, column, layout->object, tint, object);
}

static void draw_line(struct browser *browser, const struct browser_line *line, int row, const struct layout *layout,
		      bool chosen)
{
	const struct report *report = browser->report;
	attr_t attributes = chosen ? A_REVERSE : A_NORMAL;
	const struct tprof_tally *self = line->row ? &line->row->self : &report->hidden;
	const struct tprof_tally *total = line->row ? &line->row->total : NULL;
	struct units_text count;
	int column = MARGIN;
	char text[32];

	if (line->branch) {
		self = NULL;
		total = &line->branch->sum;
	}
	/* The mark is for terminals without reverse video. */
	screen_text(row, 0, COLS, attributes, chosen ? ">" : "");
	column = draw_percent(report, row, column, self, attributes) + 1;
	column = draw_percent(report, row, column, total, attributes) + GAP;
	if (layout->samples) {
		snprintf(text, sizeof(text), "%*s", SAMPLES_COLUMNS,
			 units_count(&count, self ? self->samples : total->samples));
		column = screen_text(row, column, layout->samples, attributes, text) + GAP;
	}
	draw_name(browser, line, row, column, layout, attributes);
}

/* C++ names are often longer than a line, and may be longer than the screen, so the numbers come first. */
static void draw_whole_line(const struct browser *browser)
{
	const struct report *report = browser->report;
	const struct browser_line *line = &browser->lines[browser->scroll.at];
	/* Larger than any screen, so that truncation happens in the box, which marks it. */
	char name[16384], text[20480];
	const char *object;

	if (!browser->nr)
		return;
	object = describe(browser, line, name, sizeof(name));
	if (!line->row)
		snprintf(text, sizeof(text), "%.2f%%, %llu samples\n%s", report_percent(report, &report->hidden),
			 report->hidden.samples, name);
	else if (line->branch)
		snprintf(text, sizeof(text), "%.2f%%, %llu samples\n%s\n%s",
			 report_percent(report, &line->branch->sum), line->branch->sum.samples, object, name);
	else
		snprintf(text, sizeof(text), "%.2f%%, %llu samples, self\n"
			 "%.2f%%, %llu samples, total\n%s\n%s",
			 report_percent(report, &line->row->self), line->row->self.samples,
			 report_percent(report, &line->row->total), line->row->total.samples, object, name);
	box_text("Line", text);
}

static void draw_lines(struct browser *browser)
{
	struct layout layout = layout_for(browser->report);
	size_t page = (size_t)(LINES - HEAD_ROWS - FOOT_ROWS);
	struct scroll *scroll = &browser->scroll;

	scroll_fit(scroll, browser->nr, page);
	draw_titles(browser, &layout);
	for (size_t i = scroll->first; i < browser->nr && i < scroll->first + page; i++)
		draw_line(browser, &browser->lines[i], HEAD_ROWS + (int)(i - scroll->first), &layout, i == scroll->at);
	if (!browser->nr)
		screen_text(HEAD_ROWS + 1, MARGIN + GAP, COLS - 2 * MARGIN - GAP, screen_paint(PAINT_FAINT),
			    "no samples");
}

static void draw_foot(const struct browser *browser)
{
	const struct report *report = browser->report;
	attr_t attributes = screen_paint(PAINT_FAINT);
	const struct tprof_loss loss = ledger_loss(tprof_profile__ledger(report->profile));
	char line[1100];

	if (browser->needle.typing) {
		needle_line(&browser->needle, line, sizeof(line));
		attributes = A_BOLD;
	} else if (browser->message[0]) {
		snprintf(line, sizeof(line), "%s", browser->message);
		attributes = screen_paint(PAINT_WARM);
	} else if (loss.text[0]) {
		snprintf(line, sizeof(line), "h help  %s", loss.text);
		attributes = screen_paint(PAINT_HOT);
	} else {
		snprintf(line, sizeof(line), "q quit  h help  Enter open  c %s  s by %s  o %s  / %s",
			 report->calls_shown == REPORT_CALLERS ? "callers" : "callees",
			 report->by_total ? "total" : "self", tprof_group__name(report->group),
			 browser->needle.text[0] ? browser->needle.text : "find");
	}
	screen_text(LINES - 1, MARGIN, COLS - 2 * MARGIN, attributes, line);
}

void browser_draw(struct browser *browser)
{
	const struct tprof_profile *profile = browser->report->profile;
	const struct tprof_ledger *ledger = tprof_profile__ledger(profile);

	if (!screen_begin())
		return;
	head_draw(tprof_profile__info(profile), ledger);
	draw_profile(browser->report);
	draw_lines(browser);
	draw_foot(browser);
	if (browser->box == BROWSER_HELP)
		box_keys(keys, ARRAY_SIZE(keys));
	else if (browser->box == BROWSER_LEDGER)
		box_ledger(ledger, tprof_profile__info(profile)->unit);
	else if (browser->box == BROWSER_WHOLE_LINE)
		draw_whole_line(browser);
	/* A box that cuts a wide character in two corrupts the screen image of curses, so redraw everything. */
	if (browser->box || browser->was_covered)
		redrawwin(stdscr);
	browser->was_covered = browser->box != BROWSER_NO_BOX;
	refresh();
}
