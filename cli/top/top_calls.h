/* SPDX-License-Identifier: GPL-2.0-only */
/* Callers or callees of a function, below the table of `tprof top`. */
#ifndef TPROF_TOP_CALLS_H
#define TPROF_TOP_CALLS_H

#include "calls/tree.h"

/* A zeroed struct has none. */
struct top_calls {
	char *symbol, *object;	/* of the function; NULL: none was chosen */
	bool inlined;
	int step;		/* as in calls_split() */
	struct names names;	/* point into the profile */
	struct calls calls;
	struct tree tree;
};

/* Whose calls are wanted; stays so while profiles come and go. 0 or -ENOMEM. */
int top_calls_choose(struct top_calls *calls, const struct tprof_entry *entry);
bool top_calls_is(const struct top_calls *calls, const struct tprof_entry *entry);

/* Makes the tree; forget it before the profile is freed. 0 or -ENOMEM. */
int top_calls_make(struct top_calls *calls, const struct tprof_profile *profile, int step);
void top_calls_forget(struct top_calls *calls);
void top_calls_free(struct top_calls *calls);

/* Draws a title and the tree on so many rows of the screen, from that one on. */
void top_calls_draw(const struct top_calls *calls, int row, int rows);

#endif
