/* SPDX-License-Identifier: GPL-2.0-only */
/* Text that is fitted to a number of terminal columns. */
#ifndef TPROF_CELL_H
#define TPROF_CELL_H

struct cell {
	char text[1024];
};

/*
 * Writes the text into the cell in exactly @columns columns, or fewer if the cell runs out of bytes: padded with
 * blanks, or truncated with an ellipsis. Unprintable characters (control characters, invalid UTF-8) become question
 * marks. Returns cell->text.
 */
const char *cell_fit(struct cell *cell, const char *text, int columns);

/* The number of columns that the text takes. */
int cell_width(const char *text);

/* The mark for truncated text, one column wide. */
const char *cell_ellipsis(void);

#endif
