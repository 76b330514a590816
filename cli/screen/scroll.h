/* SPDX-License-Identifier: GPL-2.0-only */
/* The scroll position and the selected line of a list. */
#ifndef TPROF_SCROLL_H
#define TPROF_SCROLL_H

#include <stdbool.h>
#include <stddef.h>

struct scroll {
	size_t at;	/* the selected line */
	size_t first;	/* the line at the top of the screen */
	size_t page;	/* visible lines, set by scroll_fit() */
};

/*
 * Handles arrows, j, k, PgUp, PgDn, Home and End. Returns whether it was such a key; scroll_fit() limits the position.
 */
bool scroll_key(struct scroll *scroll, int key);

/* Limits the position to a list of @nr lines and a page of @page lines, so that the selected line is visible. */
void scroll_fit(struct scroll *scroll, size_t nr, size_t page);

#endif
