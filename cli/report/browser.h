/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `tprof report` on a terminal: rows that open into trees of their callers or callees.
 *
 *	browser_keys.c  keys -> browser    browser_lines.c  report, trees -> lines    browser_draw.c  lines -> screen
 */
#ifndef TPROF_BROWSER_H
#define TPROF_BROWSER_H

#include "calls/branch.h"
#include "report.h"
#include "screen/scroll.h"

/* One line of the browser: a row, or a branch of its tree. */
struct browser_line {
	const struct report_row *row;	/* NULL: the sum of the hidden rows */
	struct branch *branch;		/* NULL: the row itself */
};

/* The tree below a name. */
struct browser_tree {
	struct branch *root;		/* NULL: not opened yet */
	enum browser_goes_on { BROWSER_UNKNOWN, BROWSER_GOES_ON, BROWSER_LEAF } goes_on;
};

enum { BROWSER_NR_WAYS = REPORT_CALLEES + 1 };

enum browser_box { BROWSER_NO_BOX, BROWSER_HELP, BROWSER_LEDGER, BROWSER_WHOLE_LINE };

struct browser {
	struct report *report;
	struct needle needle;
	struct scroll scroll;
	enum browser_box box;
	bool was_covered;			/* a box was drawn before */
	char message[256];			/* shown in the last line until the next key */
	struct browser_tree *trees[BROWSER_NR_WAYS];	/* indexed by enum report_calls, then by name */
	size_t nr_trees;
	struct browser_line *lines;
	size_t nr, capacity;
	bool stale;				/* lines must be rebuilt */
	bool other;				/* rows and lines must be rebuilt, and the first line is selected */
};

/* Shows the report until the user quits. Returns the exit code. */
int browser_run(struct report *report);

/* Handles a key, as returned by getch(). Sets *@quit if the user quits. 0 or -ENOMEM. */
int browser_key(struct browser *browser, int key, bool *quit);

/* Builds the lines for the current settings. 0 or -ENOMEM. */
int browser_fill(struct browser *browser);
void browser_forget(struct browser *browser);		/* frees trees and lines */

/* Whether a line can be opened, whether it is open; and opening and closing it. */
bool browser_goes_on(struct browser *browser, const struct browser_line *line);
bool browser_is_open(const struct browser *browser, const struct browser_line *line);
int browser_open(struct browser *browser, const struct browser_line *line);
int browser_open_all(struct browser *browser, const struct browser_line *line);
void browser_close(struct browser *browser, const struct browser_line *line);
void browser_close_all(struct browser *browser, const struct browser_line *line);

/* Whether rows can have callers: functions, lines and objects in profiles with call stacks. */
bool browser_has_calls(const struct browser *browser);

void browser_draw(struct browser *browser);

#endif
