// SPDX-License-Identifier: GPL-2.0-only
/* Draws `tprof top --threads`: two header lines, the table, a footer line. Formats only visible rows. */
#include <stdio.h>
#include <string.h>

#include "base/cell.h"
#include "screen/head.h"
#include "screen/screen.h"
#include "top_view.h"

enum {
	HEAD_ROWS = 3,		/* session, interval, titles */
	FOOT_ROWS = 1,
	MARGIN = 1,
	PERCENT_COLUMNS = 7,	/* "100.0 %", or "100.0" on a narrow terminal */
	NARROW_COLUMNS = 5,
	NARROW_BELOW = 100,	/* columns of the terminal */
	TID_COLUMNS = 7,	/* the largest id of a thread has 7 digits */
	NAME_COLUMNS = 15,	/* of a thread, and of a waker */
	REASON_COLUMNS = 20,	/* "sleeping in recvfrom" */
	PROCESS_COLUMNS = 25,	/* a name, and an id in parentheses */
	LEAST_PROCESS_COLUMNS = 12,
	BAR_COLUMNS = 20,
	BAR_FROM_COLUMNS = 150,	/* on narrower terminals, names get the space */
};

/* Widths of the columns; 0: not shown. */
struct layout {
	int percent, gap, bar, name, process, reason, waker;
};

/* Divides the rest of the columns: the reason is more important than the waker, and this than the process. */
static struct layout layout_for(void)
{
	bool narrow = COLS < NARROW_BELOW;
	struct layout layout = { .percent = narrow ? NARROW_COLUMNS : PERCENT_COLUMNS, .gap = narrow ? 1 : 2 };
	int rest = COLS - 2 * MARGIN - 3 * (layout.percent + layout.gap) - TID_COLUMNS - layout.gap;

	layout.bar = COLS >= BAR_FROM_COLUMNS ? BAR_COLUMNS : 0;
	rest -= layout.bar ? layout.bar + layout.gap : 0;
	layout.name = rest < NAME_COLUMNS ? rest : NAME_COLUMNS;
	rest -= layout.name + layout.gap;
	if (rest < REASON_COLUMNS)
		return layout;
	layout.reason = REASON_COLUMNS;
	rest -= layout.reason + layout.gap;
	layout.waker = rest < NAME_COLUMNS ? 0 : NAME_COLUMNS;
	rest -= layout.waker ? layout.waker + layout.gap : 0;
	if (!layout.waker || rest < LEAST_PROCESS_COLUMNS) {
		layout.reason += rest > 0 ? rest : 0;
		return layout;
	}
	layout.process = rest < PROCESS_COLUMNS ? rest : PROCESS_COLUMNS;
	layout.reason += rest - layout.process;
	return layout;
}

static int cell(int row, int column, int columns, attr_t attributes, const char *text, const struct layout *layout)
{
	return columns ? screen_text(row, column, columns, attributes, text) + layout->gap : column;
}

static void draw_titles(const struct layout *layout, const struct view *view)
{
	static const char *const wide[] = { "RUNNING", "  READY", "BLOCKED" };
	static const char *const narrow[] = { "  RUN", "READY", "BLOCK" };
	attr_t attributes = A_UNDERLINE | screen_paint(PAINT_FAINT);
	int row = HEAD_ROWS - 1, column = MARGIN;

	screen_text(row, 0, COLS, attributes, "");
	for (int i = 0; i < 3; i++) {
		attr_t chosen = (int)view->threads_sort == i ? A_UNDERLINE | A_BOLD : attributes;

		column = cell(row, column, layout->percent, chosen, COLS < NARROW_BELOW ? narrow[i] : wide[i], layout);
	}
	column = cell(row, column, layout->bar, attributes, "", layout);
	column = cell(row, column, TID_COLUMNS, view->threads_sort == THREADS_SORT_TID ? A_UNDERLINE | A_BOLD :
		      attributes, "    TID", layout);
	column = cell(row, column, layout->name, view->threads_sort == THREADS_SORT_NAME ? A_UNDERLINE | A_BOLD :
		      attributes, "THREAD", layout);
	column = cell(row, column, layout->process, attributes, "PROCESS", layout);
	column = cell(row, column, layout->reason, attributes, "BLOCKED IN", layout);
	cell(row, column, layout->waker, attributes, "WAKER", layout);
}

/* A bar of three parts: running, ready to run, and blocked. */
static int draw_bar(int row, int column, const struct layout *layout, const double percents[3], attr_t turned)
{
	static const enum paint paints[] = { PAINT_GOOD, PAINT_HOT, PAINT_FAINT };
	static const char *const marks[] = { "█", "▓", "░" }, *const plain[] = { "#", "=", "." };
	const char *const *shown = cell_width("█") == 1 ? marks : plain;
	double sum = 0;
	int from = 0;

	if (!layout->bar)
		return column;
	for (int i = 0; i < 3; i++) {
		int to;

		sum += percents[i];
		to = (int)(sum / 100 * layout->bar + 0.5);
		for (; from < to && from < layout->bar; from++)
			screen_text(row, column + from, 1, turned | screen_paint(paints[i]), shown[i]);
	}
	return column + layout->bar + layout->gap;
}

static void draw_thread(int row, const struct layout *layout, const struct threads *threads, size_t index, bool chosen)
{
	const struct thread *thread = &threads->threads[index];
	const double percents[] = {
		threads_percent(threads, thread->running_ns), threads_percent(threads, thread->ready_ns),
		threads_percent(threads, thread->blocked_ns),
	};
	attr_t turned = chosen ? A_REVERSE : A_NORMAL;
	int column = MARGIN;
	char text[256];

	/* The mark is for terminals without reverse video. */
	screen_text(row, 0, COLS, turned, chosen ? ">" : "");
	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), COLS < NARROW_BELOW ? "%5.1f" : "%5.1f %%", percents[i]);
		column = cell(row, column, layout->percent,
			      turned | (i < 2 ? screen_share_paint(percents[i]) : screen_paint(PAINT_PLAIN)), text,
			      layout);
	}
	column = draw_bar(row, column, layout, percents, turned);
	snprintf(text, sizeof(text), "%*d", TID_COLUMNS, (int)thread->tid);
	column = cell(row, column, TID_COLUMNS, turned, text, layout);
	column = cell(row, column, layout->name, turned, thread->comm, layout);
	column = cell(row, column, layout->process, turned, thread->process, layout);
	column = cell(row, column, layout->reason, turned, thread_reason(thread, text, sizeof(text)), layout);
	cell(row, column, layout->waker, turned, thread->waker ? thread->waker : "", layout);
}

/* The rows that are not shown are counted in the last line. */
static void draw_foot(const struct view *view, const struct threads *threads, const struct tprof_ledger *ledger)
{
	char keys[256];

	snprintf(keys, sizeof(keys), "q quit  h help  l ledger  a %s  s by %s  / %s  %zu of %zu threads",
		 view->accumulate ? "all" : "interval", threads_sort_name(view->threads_sort),
		 view->needle.text[0] ? view->needle.text : "find", threads->nr, threads->nr_all);
	view_draw_foot(view, ledger, keys);
}

void threads_draw(struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
		  const struct threads *threads)
{
	const struct tprof_ledger *ledger = profile ? tprof_profile__event_ledger(profile, view->event) : NULL;
	size_t nr = view->limit && view->limit < threads->nr ? view->limit : threads->nr;
	struct scroll *scroll = &view->scroll;
	struct layout layout;
	size_t page;

	if (!screen_begin())
		return;
	layout = layout_for();
	page = (size_t)(LINES - HEAD_ROWS - FOOT_ROWS);
	head_draw(info, ledger);
	view_draw_interval(view, info, profile, ledger);
	scroll_fit(scroll, nr, page);
	draw_titles(&layout, view);
	for (size_t i = scroll->first; i < nr && i < scroll->first + page; i++)
		draw_thread(HEAD_ROWS + (int)(i - scroll->first), &layout, threads, i, i == scroll->at);
	if (!nr)
		screen_text(HEAD_ROWS + 1, MARGIN, COLS - 2 * MARGIN, screen_paint(PAINT_FAINT), !profile ?
			    "collecting ..." : view->needle.text[0] ? "no thread contains this text" : "no threads");
	draw_foot(view, threads, ledger);
	view_finish(view, ledger, info->unit);
}
