/* SPDX-License-Identifier: GPL-2.0-only */
/* Boxes that views draw over their tables. */
#ifndef TPROF_BOX_H
#define TPROF_BOX_H

#include <stddef.h>

#include "tprof.h"

enum { BOX_HEAD_ROWS = 2 };	/* top rows of the screen that boxes never cover */

/* The area inside a centered frame. */
struct box {
	int row;
	int column;
	int rows;
	int columns;
};

/* The maximum number of rows of a box. */
int box_rows_that_fit(void);

/* Draws a frame around @rows by @columns, or as much as fits; returns the area inside. */
struct box box_draw(int rows, int columns, const char *title);

struct box_key {
	const char *key;	/* at most eight columns */
	const char *what;
};

/* Draws a table of keys. */
void box_keys(const struct box_key *keys, size_t nr);

/* Draws wrapped text, with an ellipsis at the end if it does not fit. */
void box_text(const char *title, const char *text);

/* Draws a ledger, whose weights have @unit; NULL: an empty box. */
void box_ledger(const struct tprof_ledger *ledger, const char *unit);

#endif
