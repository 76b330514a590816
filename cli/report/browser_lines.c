// SPDX-License-Identifier: GPL-2.0-only
/* The lines of the browser: rows, and below each row the open part of its tree. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "browser.h"

/* Maximum number of lines to open at once; 100,000 stacks would open millions. */
#define MAX_OPENED 10000

static struct branch_way way_of(const struct browser *browser)
{
	const struct report *report = browser->report;

	return (struct branch_way){
		.step = report->calls_shown == REPORT_CALLERS ? 1 : -1,
		.limit = (uint64_t)(report->percent_limit / 100 * (double)report->calls.total.weight),
	};
}

static struct browser_tree *tree_of(const struct browser *browser, const struct report_row *row)
{
	return &browser->trees[browser->report->calls_shown][row->name];
}

bool browser_has_calls(const struct browser *browser)
{
	return tprof_profile__nr_call_stacks(browser->report->profile) && names_are_code(browser->report->group);
}

bool browser_goes_on(struct browser *browser, const struct browser_line *line)
{
	struct browser_tree *tree;

	if (!line->row)
		return false;
	if (line->branch)
		return line->branch->goes_on;
	tree = tree_of(browser, line->row);
	if (tree->goes_on == BROWSER_UNKNOWN)
		tree->goes_on = calls_go_on(&browser->report->calls, line->row->name, way_of(browser).step) ?
				BROWSER_GOES_ON : BROWSER_LEAF;
	return tree->goes_on == BROWSER_GOES_ON;
}

/* The branch of a line, or the root branch of its row; NULL: the row was never opened. */
static struct branch *branch_of(const struct browser *browser, const struct browser_line *line)
{
	if (line->branch || !line->row)
		return line->branch;
	return tree_of(browser, line->row)->root;
}

bool browser_is_open(const struct browser *browser, const struct browser_line *line)
{
	const struct branch *branch = branch_of(browser, line);

	return branch && branch->open;
}

static int plant(struct browser *browser, const struct report_row *row, struct branch **root)
{
	const struct branch_way way = way_of(browser);
	struct browser_tree *tree = tree_of(browser, row);
	int err;

	*root = tree->root;
	if (*root)
		return 0;
	*root = calloc(1, sizeof(**root));
	if (!*root)
		return -ENOMEM;
	err = branch_root(*root, &browser->report->calls, row->name, &way);
	if (err) {
		branch_fini(*root);
		free(*root);
		return err;
	}
	tree->root = *root;
	return 0;
}

int browser_open(struct browser *browser, const struct browser_line *line)
{
	const struct branch_way way = way_of(browser);
	struct branch *branch = line->branch;
	int err = 0;

	if (!browser_goes_on(browser, line))
		return 0;
	if (!branch)
		err = plant(browser, line->row, &branch);
	browser->stale = true;
	return err ? err : branch_open(branch, &way);
}

int browser_open_all(struct browser *browser, const struct browser_line *line)
{
	const struct branch_way way = way_of(browser);
	struct branch *branch = line->branch;
	size_t lines = MAX_OPENED;
	int err = 0;

	if (!browser_goes_on(browser, line))
		return 0;
	if (!branch)
		err = plant(browser, line->row, &branch);
	if (!err)
		err = branch_open_all(branch, &way, &lines);
	if (!lines)
		snprintf(browser->message, sizeof(browser->message), "%d lines are open; the rest stays closed",
			 MAX_OPENED);
	browser->stale = true;
	return err;
}

void browser_close(struct browser *browser, const struct browser_line *line)
{
	struct branch *branch = branch_of(browser, line);

	if (branch)
		branch->open = false;
	browser->stale = true;
}

void browser_close_all(struct browser *browser, const struct browser_line *line)
{
	struct branch *branch = branch_of(browser, line);

	if (branch)
		branch_close_all(branch);
	browser->stale = true;
}

static int add_line(struct browser *browser, const struct report_row *row, struct branch *branch)
{
	struct browser_line *lines = grow_array(browser->lines, browser->nr, &browser->capacity, sizeof(*lines));

	if (!lines)
		return -ENOMEM;
	browser->lines = lines;
	browser->lines[browser->nr++] = (struct browser_line){ row, branch };
	return 0;
}

static int add_tree(struct browser *browser, const struct report_row *row)
{
	struct branch *root = tree_of(browser, row)->root, *branch = root ? branch_next(root, root) : NULL;
	int err = 0;

	for (; branch && !err; branch = branch_next(root, branch))
		err = add_line(browser, row, branch);
	return err;
}

static int make_trees(struct browser *browser)
{
	browser->nr_trees = browser->report->names.nr;
	for (int way = REPORT_CALLERS; way < BROWSER_NR_WAYS; way++) {
		browser->trees[way] = calloc(browser->nr_trees + 1, sizeof(*browser->trees[way]));
		if (!browser->trees[way])
			return -ENOMEM;
	}
	return 0;
}

int browser_fill(struct browser *browser)
{
	struct report *report = browser->report;
	int err = browser->trees[REPORT_CALLERS] ? 0 : make_trees(browser);

	if (browser->other) {
		report_choose(report);
		browser->scroll.at = browser->scroll.first = 0;
	}
	browser->nr = 0;
	for (size_t i = 0; i < report->nr && !err; i++) {
		err = add_line(browser, &report->rows[i], NULL);
		if (!err)
			err = add_tree(browser, &report->rows[i]);
	}
	if (!err && report->nr_hidden)
		err = add_line(browser, NULL, NULL);
	browser->stale = browser->other = false;
	return err;
}

void browser_forget(struct browser *browser)
{
	for (int way = REPORT_CALLERS; way < BROWSER_NR_WAYS; way++) {
		for (size_t i = 0; browser->trees[way] && i < browser->nr_trees; i++) {
			struct branch *root = browser->trees[way][i].root;

			if (root)
				branch_fini(root);
			free(root);
		}
		free(browser->trees[way]);
		browser->trees[way] = NULL;
	}
	free(browser->lines);
	browser->lines = NULL;
	browser->nr = browser->capacity = 0;
}
