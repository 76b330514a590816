/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The view of `tprof top`: the settings of the user (struct view), the resulting rows (struct rows), and drawing. This
 * part uses profiles only, not the session.
 *
 *	top_keys.c  keys -> view      top_rows.c  profile, view -> rows      top_view.c  rows -> screen
 */
#ifndef TPROF_TOP_VIEW_H
#define TPROF_TOP_VIEW_H

#include <stdbool.h>

#include "base/needle.h"
#include "screen/scroll.h"
#include "threads/threads.h"
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
	bool threads;		/* show what each thread does, instead of functions */
	enum threads_sort threads_sort;
	enum tprof_group group;
	bool owners;		/* the profile has owners, by which rows can be grouped */
	enum view_sort sort;
	enum view_overlay overlay;
	bool lines;		/* the session has source lines */
	bool call_stacks;	/* they are counted */
	bool paused;
	bool accumulate;	/* show all since the last reset instead of the last interval */
	bool stale;		/* rows must be rebuilt */
	size_t event;		/* whose samples determine the order, the bars, the ledger and the callers */
	size_t nr_events;
	struct needle needle;	/* only rows that contain this text */
	struct scroll scroll;	/* position in the rows */
	bool moved;		/* the user moved the selection since the last refresh */
	enum view_calls calls;	/* tree shown below the table, for the selected row */
	bool was_covered;	/* an overlay was drawn before */
	size_t limit;		/* maximum number of rows; 0: all */
	char message[256];	/* shown in the last line until the next key */
};

/* Requests of a key to the main loop. */
enum view_action {
	VIEW_GO_ON,
	VIEW_QUIT,
	VIEW_RESET,		/* discard the accumulated profile */
	VIEW_SWITCH,		/* count call stacks, or functions only */
};

/* Handles a key, as returned by getch(). */
enum view_action view_key(struct view *view, int key);

struct row {
	const struct tprof_entry *entry;	/* owned by the grouped profile */
	size_t index;				/* of the entry in it */
};

struct rows {
	struct row *rows;
	size_t nr;
	size_t capacity;
	struct tprof_profile *grouped;
	uint64_t whole[TPROF_EVENTS_MAX];	/* weight of all entries, by event */
};

/* Fills the rows from a profile, which must outlive them. 0 or -errno. */
int rows_fill(struct rows *rows, const struct tprof_profile *profile, const struct view *view);
void rows_free(struct rows *rows);
/* The samples of an event in a row, and their share of the weight in percent. */
struct tprof_tally row_value(const struct rows *rows, size_t row, size_t event);
double row_percent(const struct rows *rows, size_t row, size_t event);
const char *view_sort_name(enum view_sort sort);
/* The name of an entry for a group: function, process, object, cgroup or owner. */
const char *row_name(const struct tprof_entry *entry, enum tprof_group group);
/* The same with process id or source line, and a mark for inlined functions. */
const char *row_text(const struct tprof_entry *entry, enum tprof_group group, char *text, size_t size);

/* Draws everything. @info is that of the view's event; profile is NULL until the first interval is over. */
void view_draw(struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
	       const struct rows *rows, const struct top_calls *calls);

/* The same for threads. @info and @profile are as above, @threads those of the profile. */
void threads_draw(struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
		  const struct threads *threads);
/* The second line: the interval, and the CPUs. */
void view_draw_interval(const struct view *view, const struct tprof_info *info, const struct tprof_profile *profile,
			const struct tprof_ledger *ledger);
/* The last line: the search text, a message, lost samples, or @keys. */
void view_draw_foot(const struct view *view, const struct tprof_ledger *ledger, const char *keys);
/* The overlay, and the end of drawing. */
void view_finish(struct view *view, const struct tprof_ledger *ledger, const char *unit);

#endif
