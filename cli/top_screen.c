// SPDX-License-Identifier: GPL-2.0-only
/* Curses: takes over the terminal, gives it back, knows the colours. */
#include "top_screen.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cell.h"
#include "cmd.h"
#include "out.h"
#include "term.h"
#include "top_view.h"

static SCREEN *screen;		/* curses itself is one per process */

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

int screen_open(void)
{
	int rows, columns;

	term_size(&rows, &columns);
	if (rows < VIEW_MIN_ROWS || columns < VIEW_MIN_COLUMNS)
		return out_usage("make it larger, or use --batch",
				 "the terminal is too small: %dx%d, and the view needs %dx%d", columns, rows,
				 VIEW_MIN_COLUMNS, VIEW_MIN_ROWS);
	/* Asked before, because a newterm() that fails leaks. */
	screen = term_is_known() ? newterm(NULL, stdout, stdin) : NULL;
	if (!screen) {
		out_error("set TERM to what the terminal is, or use --batch",
			  "this terminal cannot show the view: nothing is known about its type");
		return EXIT_CANNOT;
	}
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
