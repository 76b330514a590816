/* SPDX-License-Identifier: GPL-2.0-only */
/* A text that is typed into a view, and which of its rows have it. */
#ifndef TPROF_NEEDLE_H
#define TPROF_NEEDLE_H

#include <stdbool.h>
#include <stddef.h>

enum { NEEDLE_ESCAPE = 27 };	/* the key, for which curses has no name */

struct needle {
	char text[64];
	bool typing;		/* keys go to it */
};

/* A key that was typed: Enter keeps the text, Escape clears it. */
void needle_key(struct needle *needle, int key);

/* Without regard to case; everything has an empty one. */
bool needle_is_in(const struct needle *needle, const char *text);

/* The line that shows it while it is typed. */
void needle_line(const struct needle *needle, char *line, size_t size);

#endif
