/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the user of `tprof top` has chosen to see (struct view), the rows that come of it (struct rows), and
 * how they are drawn. The session is not known here: only profiles are.
 *
 *	top_keys.c  keys -> view      top_rows.c  profile, view -> rows      top_view.c  rows -> screen
 */
#ifndef TPROF_TOP_VIEW_H
#define TPROF_TOP_VIEW_H

#include <stdbool.h>

#include "base/needle.h"
#include "screen/scroll.h"
#include "top_calls.h"
#include "tprof.h"

/* X(NAME, name) in the order in which the key cycles through them. */
#define VIEW_SORTS(X)		\
	X(WEIGHT, "weight")	\
	X(SAMPLES, "samples")	\
	X(NAME, "name")		\
	X(PID, "pid")

enum view_sort {
#define X(NAME, name) VIEW_SORT_##NAME,
	VIEW_SORTS(X)
#undef X
	VIEW_NR_SORTS
};

enum view_overlay {
	VIEW_OVERLAY_NONE,
	VIEW_OVERLAY_HELP,
	VIEW_OVERLAY_LEDGER,
};

enum view_calls {
	VIEW_NO_CALLS,
	VIEW_CALLERS,
	VIEW_CALLEES,
};

struct view {
	enum tprof_group group;
	enum view_sort sort;
	enum view_overlay overlay;
	bool lines;		/* the session tells them */
	bool paused;
	bool accumulate;	/* show all since the last reset instead of the last interval */
	bool stale;		/* rows have to be made again */
	struct needle needle;	/* only rows that contain it */
	struct scroll scroll;	/* in the rows */
	bool moved;		/* by hand, since the last time */
	enum view_calls calls;	/* of the row that is chosen, below the table */
	bool was_covered;	/* an overlay was drawn last time */
	size_t limit;		/* at most so many rows; 0: all */
	char message[256];	/* said below until the next key */
};

/* What a key asks of the session's side. */
enum view_action {
	VIEW_GO_ON,
	VIEW_QUIT,
	VIEW_RESET,		/* forget what was accumulated */
};

/* One key, as getch() returns it. */
enum view_action view_key(struct view *view, int key);

struct rows {
	const struct tprof_entry **entries;	/* belong to the profile */
	size_t nr;
	size_t room;
	struct tprof_profile *grouped;		/* NULL: the profile itself is shown */
};

/* Fills the rows from a profile, which must outlive them. 0 or -errno. */
int rows_fill(struct rows *rows, const struct tprof_profile *profile, const struct view *view);
void rows_free(struct rows *rows);
const char *view_sort_name(enum view_sort sort);
/* The first column of text of an entry: what the group is about. */
const char *row_name(const struct tprof_entry *entry, enum tprof_group group);
/* The same with all that is known: process id, source line, a mark if it is inlined. */
const char *row_text(const struct tprof_entry *entry, enum tprof_group group, char *text, size_t size);

/* Draws everything. profile is NULL until the first interval is over. */
void view_draw(struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
	       const struct rows *rows, const struct top_calls *calls);

#endif
