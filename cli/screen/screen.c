// SPDX-License-Identifier: GPL-2.0-only
/* Curses: sets up and restores the terminal, and maps colors. */
#include "screen.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cell.h"
#include "base/exit_code.h"
#include "base/out.h"
#include "term.h"
#include "wait/ending.h"

static SCREEN *screen;		/* curses allows only one active screen per process */

static void start_colours(void)
{
	if (!term_wants_colour() || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	init_pair(PAINT_HOT, COLOR_RED, -1);
	init_pair(PAINT_WARM, COLOR_YELLOW, -1);
	init_pair(PAINT_KERNEL, COLOR_CYAN, -1);
	init_pair(PAINT_GOOD, COLOR_GREEN, -1);
}

int screen_open(const char *without)
{
	int rows, columns;
	char hint[96];

	term_size(&rows, &columns);
	if (rows < SCREEN_MIN_ROWS || columns < SCREEN_MIN_COLUMNS) {
		snprintf(hint, sizeof(hint), "make it larger, or use %s", without);
		return out_usage(hint, "the terminal is too small: it is %dx%d, the view needs %dx%d", columns, rows,
				 SCREEN_MIN_COLUMNS, SCREEN_MIN_ROWS);
	}
	/* Checked first, because a failing newterm() leaks memory. */
	if (term_is_known()) {
		term_remember();
		screen = newterm(NULL, stdout, stdin);
	}
	if (!screen) {
		snprintf(hint, sizeof(hint), "set TERM to the type of the terminal, or use %s", without);
		out_error(hint, "this terminal cannot show the view: its type is not in the terminfo database");
		return EXIT_CANNOT;
	}
	ending_prepare(term_give_back);
	start_colours();
	cbreak();
	noecho();
	curs_set(0);
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	return EXIT_OK;
}

void screen_close(void)
{
	if (!screen)
		return;
	endwin();
	ending_prepare(NULL);
	term_forget();
	delscreen(screen);
	screen = NULL;
}

void screen_resize(void)
{
	int rows, columns;

	term_size(&rows, &columns);
	resizeterm(rows, columns);
	clearok(curscr, TRUE);
}

bool screen_begin(void)
{
	erase();
	if (LINES >= SCREEN_MIN_ROWS && COLS >= SCREEN_MIN_COLUMNS)
		return true;
	screen_text(0, 0, COLS, A_NORMAL, "The terminal is too small.");
	refresh();
	return false;
}

int screen_key(void)
{
	int key = getch();

	return key == ERR ? -1 : key;
}

attr_t screen_paint(enum paint paint)
{
	if (paint == PAINT_FAINT)
		return A_DIM;
	if (!has_colors() || !term_wants_colour() || paint == PAINT_PLAIN)
		return A_NORMAL;
	return COLOR_PAIR(paint) | (paint == PAINT_HOT ? A_BOLD : A_NORMAL);
}

attr_t screen_share_paint(double percent)
{
	return screen_paint(percent >= 10 ? PAINT_HOT : percent >= 3 ? PAINT_WARM : PAINT_PLAIN);
}

int screen_text(int row, int column, int columns, attr_t attributes, const char *text)
{
	struct cell cell;

	if (columns <= 0)
		return column;
	attrset(attributes);
	mvaddstr(row, column, cell_fit(&cell, text, columns));
	attrset(A_NORMAL);
	return column + columns;
}
