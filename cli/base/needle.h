/* SPDX-License-Identifier: GPL-2.0-only */
/* The search text of a view, which selects rows. */
#ifndef TPROF_NEEDLE_H
#define TPROF_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>

enum { NEEDLE_ESCAPE = 27 };	/* the Esc key, for which curses has no name */

struct needle {
	char text[64];
	bool typing;		/* key presses edit the text */
};

/* Handles a key press: Enter keeps the text, Esc clears it. */
void needle_key(struct needle *needle, int key);

/* Whether @text contains the search text, ignoring case. An empty search text matches everything. */
bool needle_is_in(const struct needle *needle, const char *text);

/* Formats the line that shows the search text during typing. */
void needle_line(const struct needle *needle, char *line, size_t size);

#endif
