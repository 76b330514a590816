/* SPDX-License-Identifier: GPL-2.0-only */
/* Boxes that views draw over their tables. */
#ifndef TPROF_BOX_H
#define TPROF_BOX_H

#include <stddef.h>

#include "tprof.h"

enum { BOX_HEAD_ROWS = 2 };	/* of the screen, which stay visible whatever lies over the table */

/* The inside of a frame in the middle of the screen. */
struct box {
	int row;
	int column;
	int rows;
	int columns;
};

/* How many rows a box can have. */
int box_rows_that_fit(void);

/* Draws a frame with room for so much text, or for as much of it as fits. */
struct box box_draw(int rows, int columns, const char *title);

struct box_key {
	const char *key;	/* at most eight columns */
	const char *what;
};

/* What keys do. */
void box_keys(const struct box_key *keys, size_t nr);

/* Lines of text, each on as many lines of the screen as it takes; with an ellipsis at the end where not all fits. */
void box_text(const char *title, const char *text);

/* The account of a profile, which may be NULL. */
void box_ledger(const struct tprof_profile *profile);

#endif
