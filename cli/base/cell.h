/* SPDX-License-Identifier: GPL-2.0-only */
/* Text cut to a number of columns of the terminal. */
#ifndef TPROF_CELL_H
#define TPROF_CELL_H

struct cell {
	char text[1024];
};

/*
 * The text in exactly that many columns, or fewer if the cell runs out of bytes: padded with blanks, or cut
 * with an ellipsis. What cannot be printed (control characters, broken UTF-8) becomes a question mark.
 */
const char *cell_fit(struct cell *cell, const char *text, int columns);

/* How many columns the text takes. */
int cell_width(const char *text);

/* Stands for what was cut off, in one column. */
const char *cell_ellipsis(void);

#endif
