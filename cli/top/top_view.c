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
	NAME_COLUMNS = 24,	/* at least, beside the values of several events */
};

/* Which events have columns, and the width of the other columns; 0: not shown. */
struct layout {
	size_t first, last;	/* events from first up to last */
	bool samples;		/* also those of the events that are not chosen */
	int bar;
	int name;
	int object;
	int process;
};

void view_draw_interval(const struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
			const struct tprof_ledger *ledger)
{
	int column = MARGIN, width = COLS - 2 * MARGIN;
	char line[512], idle[32] = "";

	if (view->paused)
		column = screen_text(1, column, 8, A_REVERSE, " paused ") + GAP;
	if (!profile)
		return;
	/* Of waits and runs, the idle time is not known. */
	if (!view->threads)
		snprintf(idle, sizeof(idle), ", idle %.0f %%", ledger_idle_percent(ledger));
	snprintf(line, sizeof(line), "%s %.1f s, %u of %u CPUs%s%s%s",
		 view->accumulate ? "all" : "last", (double)tprof_profile__duration_ns(profile) / 1e9,
		 info->nr_cpus, info->nr_online, idle, info->fallback ? "; " : "",
		 info->fallback ? info->fallback : "");
	screen_text(1, column, width - column + MARGIN, screen_paint(PAINT_FAINT), line);
}

/* Width of the columns of an event, with the gap after them. */
static int event_columns(const struct layout *layout, const struct view *view, size_t event)
{
	bool samples = layout->samples || event == view->event;

	return SHARE_COLUMNS + GAP + (samples ? SAMPLES_COLUMNS + GAP : 0);
}

/* Chooses the events that fit, with the chosen one among them. Returns the columns that are left. */
static int fit_events(struct layout *layout, const struct view *view, int columns)
{
	int share = SHARE_COLUMNS + GAP, samples = SAMPLES_COLUMNS + GAP;
	int spare = columns - NAME_COLUMNS, nr = (int)view->nr_events, shown;

	layout->samples = nr * (share + samples) <= spare;
	shown = layout->samples ? nr : (spare - samples) / share;
	if (shown > nr)
		shown = nr;
	if (shown < 1)
		shown = 1;
	layout->first = view->event < (size_t)shown ? 0 : view->event + 1 - (size_t)shown;
	layout->last = layout->first + (size_t)shown;
	for (size_t e = layout->first; e < layout->last; e++)
		columns -= event_columns(layout, view, e);
	return columns;
}

static struct layout layout_for(const struct rows *rows, const struct view *view)
{
	struct layout layout = { .bar = COLS >= BAR_FROM_COLUMNS ? BAR_COLUMNS + GAP : 0 };
	int rest = fit_events(&layout, view, COLS - 2 * MARGIN - layout.bar);
	bool objects = false, processes = false;

	for (size_t i = 0; i < rows->nr; i++) {
		const struct tprof_entry *entry = rows->rows[i].entry;

		objects |= entry->object[0] != 0;
		processes |= entry->pid >= 0 || entry->comm[0];
	}
	if (names_are_functions(view->group) && processes && rest >= 44)
		layout.process = rest >= 80 ? 24 : 18;
	if (names_are_functions(view->group) && objects && rest >= 32)
		layout.object = rest / 4 < 32 ? rest / 4 : 32;
	layout.name = rest - (layout.object ? layout.object + GAP : 0);
	layout.name -= layout.process ? layout.process + GAP : 0;
	return layout;
}

/* With one event, its columns have titles; of several, each has its name, and the chosen one is bold. */
static int draw_event_titles(const struct layout *layout, const struct view *view, const struct tprof_profile *profile,
			     attr_t attributes)
{
	int row = HEAD_ROWS - 1, column = MARGIN;

	if (view->nr_events == 1) {
		column = screen_text(row, column, SHARE_COLUMNS, attributes, "  SHARE") + GAP;
		return screen_text(row, column, SAMPLES_COLUMNS, attributes, "SAMPLES") + GAP;
	}
	for (size_t e = layout->first; e < layout->last; e++) {
		int width = event_columns(layout, view, e) - GAP;
		const char *name = profile ? tprof_profile__event(profile, e)->event : "";
		attr_t chosen = e == view->event ? A_UNDERLINE | A_BOLD : attributes;
		int spare = width - cell_width(name);

		screen_text(row, column + (spare > 0 ? spare : 0), width - (spare > 0 ? spare : 0), chosen, name);
		column += width + GAP;
	}
	return column;
}

static void draw_titles(const struct layout *layout, const struct view *view, const struct tprof_profile *profile)
{
	static const char *const names[TPROF_NR_GROUPS] = {
		"FUNCTION", "PROCESS", "OBJECT", "CGROUP", "LINE", "OWNER",
	};
	attr_t attributes = A_UNDERLINE | screen_paint(PAINT_FAINT);
	int column;

	screen_text(HEAD_ROWS - 1, 0, COLS, attributes, "");
	column = draw_event_titles(layout, view, profile, attributes) + layout->bar;
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

static int draw_values(int row, const struct layout *layout, const struct view *view, const struct rows *rows,
		       size_t index, attr_t turned)
{
	struct units_text count;
	int column = MARGIN;
	char text[32];

	for (size_t e = layout->first; e < layout->last; e++) {
		double percent = row_percent(rows, index, e);

		snprintf(text, sizeof(text), "%5.1f %%", percent);
		column = screen_text(row, column, SHARE_COLUMNS, turned | screen_share_paint(percent), text) + GAP;
		if (!layout->samples && e != view->event)
			continue;
		snprintf(text, sizeof(text), "%*s", SAMPLES_COLUMNS,
			 units_count(&count, row_value(rows, index, e).samples));
		column = screen_text(row, column, SAMPLES_COLUMNS, turned, text) + GAP;
	}
	return column;
}

static void draw_row(int row, const struct layout *layout, const struct view *view, const struct rows *rows,
		     size_t index)
{
	const struct tprof_entry *entry = rows->rows[index].entry;
	bool chosen = index == view->scroll.at;
	bool kernel = entry->mode == TPROF_MODE_KERNEL && names_are_functions(view->group);
	attr_t turned = chosen ? A_REVERSE : A_NORMAL;
	attr_t tint = turned | screen_paint(kernel ? PAINT_KERNEL : PAINT_PLAIN);
	char text[96], name[1024];
	int column;

	/* The mark is for terminals without reverse video. */
	screen_text(row, 0, COLS, turned, chosen ? ">" : "");
	column = draw_values(row, layout, view, rows, index, turned);
	if (layout->bar)
		draw_bar(row, column, row_percent(rows, index, view->event), turned);
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
	draw_titles(&layout, view, profile);
	for (size_t i = scroll->first; i < rows->nr && i < scroll->first + page; i++)
		draw_row(HEAD_ROWS + (int)(i - scroll->first), &layout, view, rows, i);
	if (rows->nr)
		return;
	if (profile)
		empty = view->needle.text[0] ? "no name contains this text" : "no samples";
	screen_text(HEAD_ROWS + 1, MARGIN + SHARE_COLUMNS + GAP, COLS - MARGIN - SHARE_COLUMNS - GAP - MARGIN,
		    screen_paint(PAINT_FAINT), empty);
}

void view_draw_foot(const struct view *view, const struct tprof_ledger *ledger, const char *keys)
{
	attr_t attributes = screen_paint(PAINT_FAINT);
	struct tprof_loss loss = { 0 };
	char line[1100];

	if (ledger)
		loss = ledger_loss(ledger);

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
		snprintf(line, sizeof(line), "%s", keys);
	}
	screen_text(LINES - 1, MARGIN, COLS - 2 * MARGIN, attributes, line);
}

static void draw_foot(const struct view *view, const struct tprof_ledger *ledger)
{
	char keys[256];

	snprintf(keys, sizeof(keys), "q quit  h help  l ledger  a %s  s by %s%s  g %s  / %s  %s",
		 view->accumulate ? "all" : "interval", view_sort_name(view->sort),
		 view->nr_events > 1 ? "  v event" : "", tprof_group__name(view->group),
		 view->needle.text[0] ? view->needle.text : "find", view->call_stacks ? "c calls" : "G call stacks");
	view_draw_foot(view, ledger, keys);
}

void view_finish(struct view *view, const struct tprof_ledger *ledger, const char *unit)
{
	if (view->overlay == VIEW_OVERLAY_HELP && view->threads)
		overlay_help_threads();
	else if (view->overlay == VIEW_OVERLAY_HELP)
		overlay_help();
	else if (view->overlay == VIEW_OVERLAY_LEDGER)
		box_ledger(ledger, unit);
	/* A box that cuts a wide character in two corrupts the screen image of curses, so redraw everything. */
	if (view->overlay || view->was_covered)
		redrawwin(stdscr);
	view->was_covered = view->overlay != VIEW_OVERLAY_NONE;
	refresh();
}

void view_draw(struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
	       const struct rows *rows, const struct top_calls *calls)
{
	const struct tprof_ledger *ledger = profile ? tprof_profile__event_ledger(profile, view->event) : NULL;
	int page, below;

	if (!screen_begin())
		return;
	page = LINES - HEAD_ROWS - FOOT_ROWS;
	below = view->calls ? page / 2 : 0;
	head_draw(info, ledger);
	view_draw_interval(view, info, profile, ledger);
	draw_table(view, profile, rows, (size_t)(page - below));
	if (below)
		top_calls_draw(calls, HEAD_ROWS + page - below, below);
	draw_foot(view, ledger);
	view_finish(view, ledger, info->unit);
}
