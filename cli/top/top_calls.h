/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of callers or callees of a function, below the table of `tprof top`. */
#ifndef TPROF_TOP_CALLS_H
#define TPROF_TOP_CALLS_H

#include "calls/tree.h"

/* A zeroed struct has no function. */
struct top_calls {
	char *symbol, *object;	/* of the function; NULL: none */
	bool inlined;
	int step;		/* as in calls_split() */
	struct names names;	/* point into the profile */
	struct calls calls;
	struct tree tree;
};

/* Selects the function of an entry, for all following profiles. 0 or -ENOMEM. */
int top_calls_choose(struct top_calls *calls, const struct tprof_entry *entry);
bool top_calls_is(const struct top_calls *calls, const struct tprof_entry *entry);

/* Builds the tree. Call top_calls_forget() before freeing the profile. 0 or -ENOMEM. */
int top_calls_make(struct top_calls *calls, const struct tprof_profile *profile, int step);
void top_calls_forget(struct top_calls *calls);
void top_calls_free(struct top_calls *calls);

/* Draws a title and the tree on @rows rows of the screen, starting at @row. */
void top_calls_draw(const struct top_calls *calls, int row, int rows);

#endif
