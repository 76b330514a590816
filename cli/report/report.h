/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of `tprof report`, and its text and JSON output. */
#ifndef TPROF_REPORT_H
#define TPROF_REPORT_H

#include "base/needle.h"
#include "calls/calls.h"
#include "calls/tree.h"
#include "tprof.h"

/* A function, object, process, cgroup or owner. */
struct report_row {
	uint32_t name;
	struct tprof_tally self, total;	/* see struct calls_sum */
};

/* An event that has a column, beside those of the first event of the profile. */
struct report_event {
	struct tprof_profile *profile;	/* of this event alone */
	struct tprof_tally total;
	struct calls_sum *sums;		/* by number of the name */
	size_t nr_sums;
};

enum report_calls { REPORT_NONE, REPORT_CALLERS, REPORT_CALLEES };

struct report {
	const char *input;
	struct tprof_read_opts read;	/* options for reading the profile */
	enum tprof_group group;		/* threads and CPUs are read as processes, see read.owner */
	bool by_total;			/* total instead of self, for sorting and percent_limit */
	enum report_calls calls_shown;
	const char *filter;		/* only rows whose name or object contains this, or NULL */
	const struct needle *needle;	/* additional filter, typed in the browser; or NULL */
	double percent_limit;
	uint64_t limit;			/* rows; 0: all */
	bool json;
	bool stdio;			/* text, even to a terminal */
	char *notes;			/* of a raw recording, as text; NULL: not shown */
	struct tprof_profile *profile;	/* of one event */
	struct report_event others[TPROF_EVENTS_MAX - 1];
	size_t nr_others;
	struct names names;
	struct calls calls;
	struct report_row *all;
	size_t nr_all;
	struct report_row *rows;	/* the shown rows, sorted */
	size_t nr;
	size_t nr_hidden;
	struct tprof_tally hidden;	/* self sum of the hidden rows */
};

/* Builds the rows from the profile. 0 or -ENOMEM; call report_fini() in any case. */
int report_make(struct report *report);
/* Filters and sorts the rows again, after any setting except the group has changed. */
void report_choose(struct report *report);
/* Frees what report_make() has built, so that it can be called again for another group. */
void report_fini(struct report *report);

/* The tree of callers or callees of a row, whose children are split while they are written: it may be very large. */
struct report_tree {
	struct tree root;
	struct tree_way way;
	struct calls_at *stacks;
};

/* Makes the root and its children. 0 or -ENOMEM; call report_tree_close() in any case. */
int report_tree_open(struct report_tree *tree, const struct report *report, const struct report_row *row);
void report_tree_close(struct report_tree *tree);

/*
 * The other events of the profile that report->profile is a part of: open once and add up for each group, after the
 * names of report->profile. 0 or -ENOMEM; forget and close in any case.
 */
int report_events_open(struct report *report, const struct tprof_profile *whole);
int report_events_add_up(struct report *report);
struct tprof_tally report_event_self(const struct report_event *other, uint32_t name);
/* Whether a name has samples of its own of another event. */
bool report_events_have(const struct report *report, uint32_t name);
/* Share of all samples of this event, by weight. */
double report_event_percent(const struct report_event *other, const struct tprof_tally *part);
void report_events_forget(struct report *report);
void report_events_close(struct report *report);

/* The kind of rows: "function", "thread", ... */
const char *report_group_name(const struct report *report);

/* Share of the whole profile, by weight. */
double report_percent(const struct report *report, const struct tprof_tally *part);

/* Write to stdout. Return 0 or -errno. */
int report_text(const struct report *report);
int report_json(const struct report *report);

#endif
