// SPDX-License-Identifier: GPL-2.0-only
/* The keys of the browser. */
#include <curses.h>
#include <stdio.h>

#include "base/group.h"
#include "browser.h"

static void say(struct browser *browser, const char *text)
{
	snprintf(browser->message, sizeof(browser->message), "%s", text);
}

/* Shows why nothing can be opened, unless it is obvious. */
static void say_why_not(struct browser *browser)
{
	if (!tprof_profile__nr_call_stacks(browser->report->profile))
		say(browser, "this profile has no call stacks; record one without --call-graph none");
	else if (!browser_has_calls(browser))
		say(browser, "only functions, lines and objects have callers: press o");
}

static const struct browser_line *chosen(const struct browser *browser)
{
	static const struct browser_line none;

	return browser->scroll.at < browser->nr ? &browser->lines[browser->scroll.at] : &none;
}

static int open_one(struct browser *browser, int (*open)(struct browser *, const struct browser_line *))
{
	if (!browser_goes_on(browser, chosen(browser)))
		say_why_not(browser);
	return open(browser, chosen(browser));
}

static int toggle(struct browser *browser)
{
	if (!browser_is_open(browser, chosen(browser)))
		return open_one(browser, browser_open);
	browser_close(browser, chosen(browser));
	return 0;
}

/* Closes the line, or selects its parent. */
static void close_or_leave(struct browser *browser)
{
	const struct browser_line *line = chosen(browser);
	const struct branch *parent = line->branch ? line->branch->parent : NULL;

	if (browser_is_open(browser, line)) {
		browser_close(browser, line);
		return;
	}
	if (!parent)
		return;
	do
		browser->scroll.at--;
	while (chosen(browser)->branch && chosen(browser)->branch != parent);
}

/* Switches the direction. The same row stays selected; the other direction has its own open branches. */
static int turn(struct browser *browser)
{
	const struct report_row *row = chosen(browser)->row;
	enum report_calls *shown = &browser->report->calls_shown;
	int err;

	if (!browser_has_calls(browser)) {
		say_why_not(browser);
		return 0;
	}
	*shown = *shown == REPORT_CALLERS ? REPORT_CALLEES : REPORT_CALLERS;
	err = browser_fill(browser);
	for (size_t i = 0; i < browser->nr && row; i++)
		if (browser->lines[i].row == row && !browser->lines[i].branch)
			browser->scroll.at = i;
	return err;
}

static int regroup(struct browser *browser)
{
	struct report *report = browser->report;

	browser_forget(browser);
	report_fini(report);
	report->group = group_next(report->group, true, group_has_owners(report->profile));
	browser->other = true;
	return report_make(report);
}

static void toggle_box(struct browser *browser, enum browser_box box)
{
	browser->box = browser->box == box ? BROWSER_NO_BOX : box;
}

/* Esc undoes one thing at a time, the topmost first. */
static void escape(struct browser *browser)
{
	if (browser->box) {
		browser->box = BROWSER_NO_BOX;
		return;
	}
	browser->other |= browser->needle.text[0] != 0;
	browser->needle.text[0] = 0;
}

static int view_key(struct browser *browser, int key, bool *quit)
{
	switch (key) {
	case 'q':
		*quit = true;
		break;
	case 's':
		browser->report->by_total = !browser->report->by_total;
		browser->other = true;
		break;
	case 'o':
		return regroup(browser);
	case '/':
		browser->needle.typing = true;
		break;
	case 'h':
	case '?':
		toggle_box(browser, BROWSER_HELP);
		break;
	case 'i':
		toggle_box(browser, BROWSER_WHOLE_LINE);
		break;
	case 'l':
		toggle_box(browser, BROWSER_LEDGER);
		break;
	case NEEDLE_ESCAPE:
		escape(browser);
		break;
	}
	return 0;
}

int browser_key(struct browser *browser, int key, bool *quit)
{
	browser->message[0] = 0;
	if (browser->needle.typing) {
		needle_key(&browser->needle, key);
		browser->other = true;
		return 0;
	}
	if (scroll_key(&browser->scroll, key)) {
		/* Another key may arrive before the next drawing. */
		scroll_fit(&browser->scroll, browser->nr, browser->scroll.page);
		return 0;
	}
	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		return toggle(browser);
	case '+':
	case KEY_RIGHT:
		return open_one(browser, browser_open);
	case '-':
	case KEY_LEFT:
		close_or_leave(browser);
		return 0;
	case 'e':
		return open_one(browser, browser_open_all);
	case 'E':
		browser_close_all(browser, chosen(browser));
		return 0;
	case 'c':
		return turn(browser);
	default:
		return view_key(browser, key, quit);
	}
}
