/* SPDX-License-Identifier: GPL-2.0-only */
/* The colours of `tprof top`, by what they mean. Each is 0 where there is no colour. */
#ifndef TPROF_TOP_SCREEN_H
#define TPROF_TOP_SCREEN_H

#include <curses.h>

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

/* Text at a place, cut and padded to that many columns, in that paint. Returns the column behind it. */
int screen_text(int row, int column, int columns, attr_t attributes, const char *text);

#endif
