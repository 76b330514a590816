/* SPDX-License-Identifier: GPL-2.0-only */
/* Terminal views with curses: setup and restore, keys, text, colors. */
#ifndef TPROF_SCREEN_H
#define TPROF_SCREEN_H

#include <curses.h>

/* Minimum size of the terminal for a view. */
enum { SCREEN_MIN_ROWS = 6, SCREEN_MIN_COLUMNS = 40 };

/*
 * Sets up the terminal. @without: the option to suggest if there is no view. 0, or the exit code after reporting an
 * error.
 */
int screen_open(const char *without);
void screen_close(void);
/* Call it after SIGWINCH. */
void screen_resize(void);
/* Clears the screen for drawing. Returns false after showing a message if the terminal is too small. */
bool screen_begin(void);
/* The next key, as returned by getch(); -1: none. */
int screen_key(void);

/* Colors by meaning. */
enum paint {
	PAINT_PLAIN,
	PAINT_HOT,		/* a large share; loss */
	PAINT_WARM,		/* a medium share; warnings */
	PAINT_KERNEL,		/* kernel code */
	PAINT_GOOD,		/* nothing was lost */
	PAINT_FAINT,		/* secondary text */
	PAINT_NR,
};

attr_t screen_paint(enum paint paint);
/* The color of a share. */
attr_t screen_share_paint(double percent);

/* Draws text, truncated or padded to @columns columns. Returns the column after it. */
int screen_text(int row, int column, int columns, attr_t attributes, const char *text);

#endif
