/* SPDX-License-Identifier: GPL-2.0-only */
/* What `tprof report` shows, and the two ways to write it. */
#ifndef TPROF_REPORT_H
#define TPROF_REPORT_H

#include "base/needle.h"
#include "calls/calls.h"
#include "calls/tree.h"

/* A function, object, process or cgroup. */
struct report_row {
	uint32_t name;
	struct tprof_tally self, total;	/* as in calls_sum */
};

enum report_calls { REPORT_NONE, REPORT_CALLERS, REPORT_CALLEES };

struct report {
	const char *input;
	struct tprof_read_opts read;	/* which part of a raw recording */
	enum tprof_group group;		/* of threads and CPUs: of processes, which these are read as */
	bool by_total;			/* sorted by, and limited to */
	enum report_calls calls_shown;
	const char *filter;		/* only what has this in its name, or NULL */
	const struct needle *needle;	/* that too, as it is typed into the browser; or NULL */
	double percent_limit;
	uint64_t limit;			/* rows; 0: all */
	bool json;
	bool stdio;			/* text, also to a terminal */
	struct tprof_profile *profile;
	struct names names;
	struct calls calls;
	struct report_row *all;
	size_t nr_all;
	struct report_row *rows;	/* those to be shown, in order */
	size_t nr;
	size_t nr_hidden;
	struct tprof_tally hidden;	/* self, of rows that are not shown */
};

/* Fills rows from the profile. Returns 0 or -ENOMEM; to be freed in any case. */
int report_make(struct report *report);
/* Chooses and sorts them again, after what was asked for has changed: all but the group. */
void report_choose(struct report *report);
/* Frees what was made of the profile, so that it can be made for another group. */
void report_fini(struct report *report);

/* The tree of callers or callees of a row. Returns 0 or -ENOMEM; the tree is to be freed in any case. */
int report_tree(const struct report *report, const struct report_row *row, struct tree *tree);

/* What its rows are: "function", "thread", ... */
const char *report_group_name(const struct report *report);

/* Share of the whole profile, by weight. */
double report_percent(const struct report *report, const struct tprof_tally *part);

/* Write to stdout. Return 0 or -errno. */
int report_text(const struct report *report);
int report_json(const struct report *report);

#endif
