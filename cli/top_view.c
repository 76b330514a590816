// SPDX-License-Identifier: GPL-2.0-only
/* Draws `tprof top`: two lines of head, the table, a line of foot. Formats only the rows that are seen. */
#include "top_view.h"

#include <stdio.h>
#include <string.h>

#include "account.h"
#include "cell.h"
#include "top_overlay.h"
#include "top_screen.h"
#include "units.h"

enum {
	HEAD_ROWS = 3,		/* session, interval, titles */
	FOOT_ROWS = 1,
	MARGIN = 1,
	GAP = 2,
	SHARE_COLUMNS = 7,	/* "100.0 %" */
	SAMPLES_COLUMNS = 7,
	BAR_COLUMNS = 10,
	PERCENT_FROM_COLUMNS = 60,
	BAR_FROM_COLUMNS = 110,	/* narrower, the names need the place more */
};

/* Width of the columns of text; 0: not shown. */
struct layout {
	int bar;
	int name;
	int object;
	int process;
};

/* A sample here and there is lost on every machine; a percent of them bends the answer. */
static attr_t loss_paint(uint64_t lost, uint64_t fired)
{
	if (!lost)
		return screen_paint(PAINT_GOOD);
	return screen_paint(lost * 100 < fired ? PAINT_WARM : PAINT_HOT);
}

/*
 * The head line has to show engine, event, rate, samples and loss however narrow the terminal is: only the
 * name of the event gives way.
 */
static void draw_session(const struct tprof_info *info, const struct tprof_profile *profile,
			 const struct tprof_ledger *session)
{
	const struct tprof_ledger *shown = profile ? tprof_profile__ledger(profile) : NULL;
	uint64_t lost = account_missing(session), fired = session->fired.samples;
	char rate[40], samples[40], loss[64];
	int column = MARGIN, spare, event;
	struct units_text text;

	if (info->rate_hz)
		snprintf(rate, sizeof(rate), "%llu Hz", (unsigned long long)info->rate_hz);
	else
		snprintf(rate, sizeof(rate), "1/%s", units_count(&text, info->period));
	snprintf(samples, sizeof(samples), "%s samples",
		 units_count(&text, shown ? account_handled(shown) : 0));
	snprintf(loss, sizeof(loss), "lost %s", units_count(&text, lost));
	if (lost && fired && COLS >= PERCENT_FROM_COLUMNS)
		snprintf(loss, sizeof(loss), "lost %s (%.1f %%)", text.text,
			 100.0 * (double)lost / (double)fired);

	spare = COLS - 2 * MARGIN - 3 * 1 - GAP;
	spare -= (int)(strlen(info->engine) + strlen(rate) + strlen(samples) + strlen(loss));
	event = cell_width(info->event);
	if (event > spare)
		event = spare;

	column = screen_text(0, column, (int)strlen(info->engine), A_BOLD, info->engine) + 1;
	column = screen_text(0, column, event, A_BOLD, info->event) + 1;
	screen_text(0, column, (int)strlen(rate), A_BOLD, rate);
	column = COLS - MARGIN - (int)strlen(loss);
	screen_text(0, column, (int)strlen(loss), loss_paint(lost, fired), loss);
	column -= GAP + (int)strlen(samples);
	screen_text(0, column, (int)strlen(samples), A_NORMAL, samples);
}

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
		 info->nr_cpus, info->nr_online, account_idle_percent(tprof_profile__ledger(profile)),
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
	if (view->group == TPROF_GROUP_FUNCTION && processes && rest >= 44)
		layout.process = rest >= 80 ? 24 : 18;
	if (view->group == TPROF_GROUP_FUNCTION && objects && rest >= 32)
		layout.object = rest / 4 < 32 ? rest / 4 : 32;
	layout.name = rest - (layout.object ? layout.object + GAP : 0);
	layout.name -= layout.process ? layout.process + GAP : 0;
	return layout;
}

static void draw_titles(const struct layout *layout, const struct view *view)
{
	static const char *const names[TPROF_NR_GROUPS] = { "FUNCTION", "PROCESS", "OBJECT", "CGROUP" };
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

static attr_t share_paint(double percent)
{
	return screen_paint(percent >= 10 ? PAINT_HOT : percent >= 3 ? PAINT_WARM : PAINT_PLAIN);
}

/* In eighths of a column where the terminal has the characters. */
static void draw_bar(int row, int column, double percent)
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
	screen_text(row, column, BAR_COLUMNS, share_paint(percent), bar);
}

static void process_name(char *text, size_t size, const struct tprof_entry *entry)
{
	if (entry->pid >= 0)
		snprintf(text, size, "%s (%d)", entry->comm, (int)entry->pid);
	else
		snprintf(text, size, "%s", entry->comm[0] ? entry->comm : "several");
}

static void draw_row(int row, const struct layout *layout, const struct view *view,
		     const struct tprof_entry *entry)
{
	bool kernel = entry->mode == TPROF_MODE_KERNEL && view->group == TPROF_GROUP_FUNCTION;
	attr_t tint = screen_paint(kernel ? PAINT_KERNEL : PAINT_PLAIN);
	struct units_text count;
	int column = MARGIN;
	char text[96];

	snprintf(text, sizeof(text), "%5.1f %%", entry->percent);
	column = screen_text(row, column, SHARE_COLUMNS, share_paint(entry->percent), text) + GAP;
	snprintf(text, sizeof(text), "%*s", SAMPLES_COLUMNS, units_count(&count, entry->samples));
	column = screen_text(row, column, SAMPLES_COLUMNS, A_NORMAL, text) + GAP;
	if (layout->bar)
		draw_bar(row, column, entry->percent);
	column += layout->bar;
	process_name(text, sizeof(text), entry);
	column = screen_text(row, column, layout->name, tint,
			     view->group == TPROF_GROUP_PROCESS && entry->pid >= 0 ? text :
			     row_name(entry, view->group)) + GAP;
	if (layout->object)
		column = screen_text(row, column, layout->object, tint, entry->object) + GAP;
	if (layout->process)
		screen_text(row, column, layout->process, A_NORMAL, text);
}

static void draw_table(struct view *view, const struct tprof_profile *profile, const struct rows *rows)
{
	struct layout layout = layout_for(rows, view);
	size_t page = (size_t)(LINES - HEAD_ROWS - FOOT_ROWS);
	const char *empty = "collecting samples ...";

	view->page = page;
	if (view->first + page > rows->nr)
		view->first = rows->nr > page ? rows->nr - page : 0;
	draw_titles(&layout, view);
	for (size_t i = 0; i < page && view->first + i < rows->nr; i++)
		draw_row(HEAD_ROWS + (int)i, &layout, view, rows->entries[view->first + i]);
	if (rows->nr)
		return;
	if (profile)
		empty = view->needle[0] ? "nothing has this in its name" : "nothing ran";
	screen_text(HEAD_ROWS + 1, MARGIN + SHARE_COLUMNS + GAP, COLS - MARGIN - SHARE_COLUMNS - GAP - MARGIN,
		    screen_paint(PAINT_FAINT), empty);
}

static void draw_foot(const struct view *view)
{
	attr_t attributes = screen_paint(PAINT_FAINT);
	char line[512];

	if (view->typing) {
		snprintf(line, sizeof(line), "/%s_   Enter: keep, Esc: clear", view->needle);
		attributes = A_BOLD;
	} else if (view->message[0]) {
		snprintf(line, sizeof(line), "%s", view->message);
		attributes = screen_paint(PAINT_WARM);
	} else {
		snprintf(line, sizeof(line), "q quit  h help  l ledger  a %s  s by %s  g %s  / %s",
			 view->accumulate ? "all" : "interval", view_sort_name(view->sort),
			 tprof_group__name(view->group), view->needle[0] ? view->needle : "find");
	}
	screen_text(LINES - 1, MARGIN, COLS - 2 * MARGIN, attributes, line);
}

void view_draw(struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
	       const struct rows *rows, const struct tprof_ledger *session)
{
	erase();
	if (LINES < VIEW_MIN_ROWS || COLS < VIEW_MIN_COLUMNS) {
		screen_text(0, 0, COLS, A_NORMAL, "The terminal is too small.");
		refresh();
		return;
	}
	draw_session(info, profile, session);
	draw_interval(view, info, profile);
	draw_table(view, profile, rows);
	draw_foot(view);
	if (view->overlay == VIEW_OVERLAY_HELP)
		overlay_help();
	else if (view->overlay == VIEW_OVERLAY_LEDGER)
		overlay_ledger(profile);
	/* A box that cuts wide characters in two leaves curses with a wrong idea of what is on the screen. */
	if (view->overlay || view->was_covered)
		redrawwin(stdscr);
	view->was_covered = view->overlay != VIEW_OVERLAY_NONE;
	refresh();
}
