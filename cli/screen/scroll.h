/* SPDX-License-Identifier: GPL-2.0-only */
/* A list of which a screen shows a part, and the line of it that is chosen. */
#ifndef TPROF_SCROLL_H
#define TPROF_SCROLL_H

#include <stdbool.h>
#include <stddef.h>

struct scroll {
	size_t at;	/* the line that is chosen */
	size_t first;	/* the one at the top */
	size_t page;	/* lines that fit, set by the drawing */
};

/* Arrows, j, k, and the keys for pages and ends. True if it was one of them; the drawing knows the end of the list. */
bool scroll_key(struct scroll *scroll, int key);

/* For a list and a page of so many lines: the line that is chosen is in the list, and on the page. */
void scroll_fit(struct scroll *scroll, size_t nr, size_t page);

#endif
