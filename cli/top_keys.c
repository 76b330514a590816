// SPDX-License-Identifier: GPL-2.0-only
/* What the keys of `tprof top` do. */
#include <curses.h>
#include <string.h>

#include "top_view.h"

enum { KEY_ESCAPE = 27, KEY_DELETE = 127 };

static void scroll_by(struct view *view, long rows)
{
	if (rows < 0 && view->first < (size_t)-rows)
		view->first = 0;
	else
		view->first += (size_t)rows;	/* the drawing knows the end */
}

/* Removes the last character, which may be of several bytes of UTF-8. */
static void needle_shorten(struct view *view)
{
	size_t length = strlen(view->needle);

	while (length && (view->needle[length - 1] & 0xc0) == 0x80)
		length--;
	view->needle[length ? length - 1 : 0] = 0;
}

static void needle_key(struct view *view, int key)
{
	size_t length = strlen(view->needle);

	if (key == KEY_ESCAPE)
		view->needle[0] = 0;
	if (key == KEY_ESCAPE || key == '\n' || key == '\r' || key == KEY_ENTER)
		view->typing = false;
	else if (key == KEY_BACKSPACE || key == KEY_DELETE || key == '\b')
		needle_shorten(view);
	else if (key >= ' ' && key <= 0xff && length + 1 < sizeof(view->needle))
		view->needle[length] = (char)key, view->needle[length + 1] = 0;
	view->first = 0;
	view->stale = true;
}

static void overlay_toggle(struct view *view, enum view_overlay overlay)
{
	view->overlay = view->overlay == overlay ? VIEW_OVERLAY_NONE : overlay;
}

/* Escape takes back one thing at a time, the topmost first. */
static void escape(struct view *view)
{
	if (view->overlay) {
		view->overlay = VIEW_OVERLAY_NONE;
		return;
	}
	view->needle[0] = 0;
	view->stale = true;
}

static bool scroll_key(struct view *view, int key)
{
	long page = view->page > 1 ? (long)view->page - 1 : 1;

	switch (key) {
	case KEY_UP:
	case 'k':
		scroll_by(view, -1);
		return true;
	case KEY_DOWN:
	case 'j':
		scroll_by(view, 1);
		return true;
	case KEY_PPAGE:
		scroll_by(view, -page);
		return true;
	case KEY_NPAGE:
		scroll_by(view, page);
		return true;
	case KEY_HOME:
		view->first = 0;
		return true;
	case KEY_END:
		view->first = (size_t)-1 / 2;
		return true;
	default:
		return false;
	}
}

enum view_action view_key(struct view *view, int key)
{
	view->message[0] = 0;
	if (view->typing) {
		needle_key(view, key);
		return VIEW_GO_ON;
	}
	if (scroll_key(view, key))
		return VIEW_GO_ON;
	switch (key) {
	case 'q':
		return VIEW_QUIT;
	case 'r':
		return VIEW_RESET;
	case ' ':
	case 'p':
		view->paused = !view->paused;
		break;
	case 'a':
		view->accumulate = !view->accumulate;
		break;
	case 's':
		view->sort = (view->sort + 1) % VIEW_NR_SORTS;
		view->stale = true;
		break;
	case 'g':
		view->group = (view->group + 1) % TPROF_NR_GROUPS;
		view->first = 0;
		view->stale = true;
		break;
	case '/':
		view->typing = true;
		break;
	case 'h':
	case '?':
		overlay_toggle(view, VIEW_OVERLAY_HELP);
		break;
	case 'l':
		overlay_toggle(view, VIEW_OVERLAY_LEDGER);
		break;
	case KEY_ESCAPE:
		escape(view);
		break;
	}
	return VIEW_GO_ON;
}
