// SPDX-License-Identifier: GPL-2.0-only
/* Draws `tprof top`: two header lines, the table, a footer line. Formats only visible rows. */
#include "top_view.h"

#include <stdio.h>
#include <string.h>

#include "base/cell.h"
#include "base/ledger.h"
#include "base/units.h"
#include "screen/box.h"
#include "screen/head.h"
#include "screen/screen.h"
#include "top_overlay.h"

enum {
	HEAD_ROWS = 3,		/* session, interval, titles */
	FOOT_ROWS = 1,
	MARGIN = 1,
	GAP = 2,
	SHARE_COLUMNS = 7,	/* "100.0 %" */
	SAMPLES_COLUMNS = 7,
	BAR_COLUMNS = 10,
	BAR_FROM_COLUMNS = 110,	/* on narrower terminals, names get the space */
};

/* Width of the columns of text; 0: not shown. */
struct layout {
	int bar;
	int name;
	int object;
	int process;
};

static void draw_interval(const struct view *view, const struct tprof_info *info,
			  const struct tprof_profile *profile)
{
	int column = MARGIN, width = COLS - 2 * MARGIN;
	char line[512];

	if (view->paused)
		column = screen_text(1, column, 8, A_REVERSE, " paused ") + GAP;
	if (!profile)
		return;
	snprintf(line, sizeof(line), "%s %.1f s, %u of %u CPUs, idle %.0f %%%s%s",
		 view->accumulate ? "all" : "last", (double)tprof_profile__duration_ns(profile) / 1e9,
		 info->nr_cpus, info->nr_online, ledger_idle_percent(tprof_profile__ledger(profile)),
		 info->fallback ? "; " : "", info->fallback ? info->fallback : "");
	screen_text(1, column, width - column + MARGIN, screen_paint(PAINT_FAINT), line);
}

static struct layout layout_for(const struct rows *rows, const struct view *view)
{
	struct layout layout = { .bar = COLS >= BAR_FROM_COLUMNS ? BAR_COLUMNS + GAP : 0 };
	int rest = COLS - 2 * MARGIN - SHARE_COLUMNS - GAP - SAMPLES_COLUMNS - GAP - layout.bar;
	bool objects = false, processes = false;

	for (size_t i = 0; i < rows->nr; i++) {
		objects |= rows->entries[i]->object[0] != 0;
		processes |= rows->entries[i]->pid >= 0 || rows->entries[i]->comm[0];
	}
	if (names_are_functions(view->group) && processes && rest >= 44)
		layout.process = rest >= 80 ? 24 : 18;
	if (names_are_functions(view->group) && objects && rest >= 32)
		layout.object = rest / 4 < 32 ? rest / 4 : 32;
	layout.name = rest - (layout.object ? layout.object + GAP : 0);
	layout.name -= layout.process ? layout.process + GAP : 0;
	return layout;
}

static void draw_titles(const struct layout *layout, const struct view *view)
{
	static const char *const names[TPROF_NR_GROUPS] = { "FUNCTION", "PROCESS", "OBJECT", "CGROUP", "LINE" };
	attr_t attributes = A_UNDERLINE | screen_paint(PAINT_FAINT);
	int column = MARGIN;

	screen_text(HEAD_ROWS - 1, 0, COLS, attributes, "");
	column = screen_text(HEAD_ROWS - 1, column, SHARE_COLUMNS, attributes, "  SHARE") + GAP;
	column = screen_text(HEAD_ROWS - 1, column, SAMPLES_COLUMNS, attributes, "SAMPLES") + GAP;
	column += layout->bar;
	column = screen_text(HEAD_ROWS - 1, column, layout->name, attributes, names[view->group]) + GAP;
	if (layout->object)
		column = screen_text(HEAD_ROWS - 1, column, layout->object, attributes, "OBJECT") + GAP;
	if (layout->process)
		screen_text(HEAD_ROWS - 1, column, layout->process, attributes, "PROCESS");
}

/* Draws a bar with a resolution of an eighth of a column, if the terminal has the characters. */
static void draw_bar(int row, int column, double percent, attr_t turned)
{
	static const char *const eighths[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };
	int length = (int)(percent / 100 * BAR_COLUMNS * 8 + 0.5);
	char bar[BAR_COLUMNS * 3 + 1] = "";

	if (cell_width("█") != 1)
		return;
	for (int i = 0; i < length / 8 && i < BAR_COLUMNS; i++)
		strcat(bar, "█");
	if (length < BAR_COLUMNS * 8)
		strcat(bar, eighths[length % 8]);
	screen_text(row, column, BAR_COLUMNS, turned | screen_share_paint(percent), bar);
}

static void process_name(char *text, size_t size, const struct tprof_entry *entry)
{
	if (entry->pid >= 0)
		snprintf(text, size, "%s (%d)", entry->comm, (int)entry->pid);
	else
		snprintf(text, size, "%s", entry->comm[0] ? entry->comm : "several");
}

static void draw_row(int row, const struct layout *layout, const struct view *view,
		     const struct tprof_entry *entry, bool chosen)
{
	bool kernel = entry->mode == TPROF_MODE_KERNEL && names_are_functions(view->group);
	attr_t turned = chosen ? A_REVERSE : A_NORMAL;
	attr_t tint = turned | screen_paint(kernel ? PAINT_KERNEL : PAINT_PLAIN);
	struct units_text count;
	int column = MARGIN;
	char text[96], name[1024];

	/* The mark is for terminals without reverse video. */
	screen_text(row, 0, COLS, turned, chosen ? ">" : "");
	snprintf(text, sizeof(text), "%5.1f %%", entry->percent);
	column = screen_text(row, column, SHARE_COLUMNS, turned | screen_share_paint(entry->percent), text) + GAP;
	snprintf(text, sizeof(text), "%*s", SAMPLES_COLUMNS, units_count(&count, entry->samples));
	column = screen_text(row, column, SAMPLES_COLUMNS, turned, text) + GAP;
	if (layout->bar)
		draw_bar(row, column, entry->percent, turned);
	column += layout->bar;
	process_name(text, sizeof(text), entry);
	row_text(entry, view->group, name, sizeof(name));
	column = screen_text(row, column, layout->name, tint, name) + GAP;
	if (layout->object)
		column = screen_text(row, column, layout->object, tint, entry->object) + GAP;
	if (layout->process)
		screen_text(row, column, layout->process, turned, text);
}

/* Draws the table on @page lines of the screen. */
static void draw_table(struct view *view, const struct tprof_profile *profile, const struct rows *rows, size_t page)
{
	struct layout layout = layout_for(rows, view);
	struct scroll *scroll = &view->scroll;
	const char *empty = "collecting samples ...";

	scroll_fit(scroll, rows->nr, page);
	draw_titles(&layout, view);
	for (size_t i = scroll->first; i < rows->nr && i < scroll->first + page; i++)
		draw_row(HEAD_ROWS + (int)(i - scroll->first), &layout, view, rows->entries[i], i == scroll->at);
	if (rows->nr)
		return;
	if (profile)
		empty = view->needle.text[0] ? "no name contains this text" : "no samples";
	screen_text(HEAD_ROWS + 1, MARGIN + SHARE_COLUMNS + GAP, COLS - MARGIN - SHARE_COLUMNS - GAP - MARGIN,
		    screen_paint(PAINT_FAINT), empty);
}

static void draw_foot(const struct view *view, const struct tprof_profile *profile)
{
	attr_t attributes = screen_paint(PAINT_FAINT);
	struct tprof_loss loss = { 0 };
	char line[1100];

	if (profile)
		loss = ledger_loss(tprof_profile__ledger(profile));

	if (view->needle.typing) {
		needle_line(&view->needle, line, sizeof(line));
		attributes = A_BOLD;
	} else if (view->message[0]) {
		snprintf(line, sizeof(line), "%s", view->message);
		attributes = screen_paint(PAINT_WARM);
	} else if (loss.text[0]) {
		snprintf(line, sizeof(line), "h help  %s", loss.text);
		attributes = screen_paint(PAINT_HOT);
	} else {
		snprintf(line, sizeof(line), "q quit  h help  l ledger  a %s  s by %s  g %s  / %s  c calls",
			 view->accumulate ? "all" : "interval", view_sort_name(view->sort),
			 tprof_group__name(view->group), view->needle.text[0] ? view->needle.text : "find");
	}
	screen_text(LINES - 1, MARGIN, COLS - 2 * MARGIN, attributes, line);
}

void view_draw(struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
	       const struct rows *rows, const struct top_calls *calls)
{
	int page, below;

	if (!screen_begin())
		return;
	page = LINES - HEAD_ROWS - FOOT_ROWS;
	below = view->calls ? page / 2 : 0;
	head_draw(info, profile ? tprof_profile__ledger(profile) : NULL);
	draw_interval(view, info, profile);
	draw_table(view, profile, rows, (size_t)(page - below));
	if (below)
		top_calls_draw(calls, HEAD_ROWS + page - below, below);
	draw_foot(view, profile);
	if (view->overlay == VIEW_OVERLAY_HELP)
		overlay_help();
	else if (view->overlay == VIEW_OVERLAY_LEDGER)
		box_ledger(profile);
	/* A box that cuts a wide character in two corrupts the screen image of curses, so redraw everything. */
	if (view->overlay || view->was_covered)
		redrawwin(stdscr);
	view->was_covered = view->overlay != VIEW_OVERLAY_NONE;
	refresh();
}
