/* SPDX-License-Identifier: GPL-2.0-only */
/* Views on a terminal by curses: taking it over and giving it back, keys, text in its place, colours. */
#ifndef TPROF_SCREEN_H
#define TPROF_SCREEN_H

#include <curses.h>

/* Smaller ones show nothing of use. */
enum { SCREEN_MIN_ROWS = 6, SCREEN_MIN_COLUMNS = 40 };

/* Takes over the terminal. @without is the option that does without. 0, or the exit code after having said why. */
int screen_open(const char *without);
void screen_close(void);
/* After SIGWINCH. */
void screen_resize(void);
/* Clears it for the next picture; false after having said so there: it is too small for one. */
bool screen_begin(void);
/* A key, as getch() returns it, or -1 when there is no more. */
int screen_key(void);

/* Colours by what they mean. Each is 0 where there is no colour. */
enum paint {
	PAINT_PLAIN,
	PAINT_HOT,		/* a large share; loss */
	PAINT_WARM,		/* a share worth a look; warnings */
	PAINT_KERNEL,		/* code of the kernel */
	PAINT_GOOD,		/* nothing was lost */
	PAINT_FAINT,		/* there for reference */
	PAINT_NR,
};

attr_t screen_paint(enum paint paint);
/* Of a share of the whole. */
attr_t screen_share_paint(double percent);

/* Text at a place, cut and padded to that many columns, in that paint. Returns the column behind it. */
int screen_text(int row, int column, int columns, attr_t attributes, const char *text);

#endif
