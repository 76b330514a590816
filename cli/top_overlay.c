// SPDX-License-Identifier: GPL-2.0-only
/* The boxes that `tprof top` draws over its table: keys, and the ledger. */
#include "top_overlay.h"

#include <stdio.h>

#include "opt.h"
#include "top_screen.h"
#include "units.h"

static const char *const keys[][2] = {
	{ "q", "quit" },
	{ "space p", "pause; sampling goes on" },
	{ "s", "sort by weight, samples, name, pid" },
	{ "g", "group by function, process, object, cgroup" },
	{ "/", "show only names that contain a text; Esc: all" },
	{ "a", "show all since now, or the last interval" },
	{ "r", "begin anew" },
	{ "l", "ledger: what became of every sample" },
	{ "arrows", "scroll; also PgUp, PgDn, Home, End" },
	{ "h ?", "this help" },
};

enum { HEAD_ROWS = 2 };		/* stay visible, whatever lies over the table */

/* The inside of a frame in the middle of the screen. */
struct box {
	int row;
	int column;
	int rows;
	int columns;
};

static int rows_that_fit(void)
{
	return LINES - HEAD_ROWS - 2;
}

/* Draws a frame with room for so much text, or for as much of it as fits. */
static struct box box_draw(int rows, int columns, const char *title)
{
	struct box box = { .rows = rows, .columns = columns };

	if (box.rows > rows_that_fit())
		box.rows = rows_that_fit();
	if (box.columns > COLS - 4)
		box.columns = COLS - 4;
	box.row = HEAD_ROWS + 1 + (rows_that_fit() - box.rows) / 2;
	box.column = (COLS - box.columns) / 2;
	for (int row = box.row - 1; row <= box.row + box.rows; row++)
		screen_text(row, box.column - 2, box.columns + 4, A_NORMAL, "");
	mvaddch(box.row - 1, box.column - 2, ACS_ULCORNER);
	mvaddch(box.row - 1, box.column + box.columns + 1, ACS_URCORNER);
	mvaddch(box.row + box.rows, box.column - 2, ACS_LLCORNER);
	mvaddch(box.row + box.rows, box.column + box.columns + 1, ACS_LRCORNER);
	mvhline(box.row - 1, box.column - 1, ACS_HLINE, box.columns + 2);
	mvhline(box.row + box.rows, box.column - 1, ACS_HLINE, box.columns + 2);
	mvvline(box.row, box.column - 2, ACS_VLINE, box.rows);
	mvvline(box.row, box.column + box.columns + 1, ACS_VLINE, box.rows);
	attrset(A_BOLD);
	mvprintw(box.row - 1, box.column, " %s ", title);
	attrset(A_NORMAL);
	return box;
}

void overlay_help(void)
{
	struct box box = box_draw((int)ARRAY_SIZE(keys), 56, "Keys");

	for (int i = 0; i < box.rows; i++) {
		screen_text(box.row + i, box.column, 9, A_BOLD, keys[i][0]);
		screen_text(box.row + i, box.column + 9, box.columns - 9, A_NORMAL, keys[i][1]);
	}
}

/* The account, line by line. On a small terminal, lines that say nothing are left out. */
struct ledger_lines {
	struct box box;
	const char *unit;
	bool brief;
	int used;
};

static void ledger_line(struct ledger_lines *lines, const char *name, const struct tprof_tally *tally,
			bool bad)
{
	attr_t attributes = screen_paint(!tally->samples ? PAINT_FAINT : bad ? PAINT_HOT : PAINT_PLAIN);
	struct units_text weight;
	char text[128];

	if (lines->used >= lines->box.rows || (lines->brief && !tally->samples))
		return;
	snprintf(text, sizeof(text), "%-16s %12llu %14s", name, (unsigned long long)tally->samples,
		 tally->weight ? units_weight(&weight, tally->weight, lines->unit) : "");
	screen_text(lines->box.row + lines->used++, lines->box.column, lines->box.columns, attributes, text);
}

void overlay_ledger(const struct tprof_profile *profile)
{
	const int rows = 1 + TPROF_NR_OUTCOMES + TPROF_NR_LOST_REASONS + 1 + TPROF_NR_COUNTINGS;
	struct ledger_lines lines = { .brief = rows > rows_that_fit(), .box = box_draw(rows, 44, "Ledger") };
	const struct tprof_ledger *ledger = profile ? tprof_profile__ledger(profile) : NULL;

	if (!ledger)
		return;
	lines.unit = tprof_profile__info(profile)->unit;
	ledger_line(&lines, "fired", &ledger->fired, false);
	for (int i = 0; i < TPROF_NR_OUTCOMES; i++)
		ledger_line(&lines, tprof_outcome__name(i), &ledger->outcomes[i], false);
	for (int i = 0; i < TPROF_NR_LOST_REASONS; i++)
		ledger_line(&lines, tprof_lost_reason__name(i), &ledger->lost[i],
			    i != TPROF_LOST_IDLE_MISSED);
	lines.used++;
	for (int i = 0; i < TPROF_NR_COUNTINGS; i++)
		ledger_line(&lines, tprof_counting__name(i), &ledger->countings[i],
			    i != TPROF_COUNTING_AGGREGATED);
}
