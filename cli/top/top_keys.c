// SPDX-License-Identifier: GPL-2.0-only
/* The keys of `tprof top`. */
#include <curses.h>

#include "base/group.h"
#include "top_view.h"

static void overlay_toggle(struct view *view, enum view_overlay overlay)
{
	view->overlay = view->overlay == overlay ? VIEW_OVERLAY_NONE : overlay;
}

/* Esc undoes one thing at a time, the topmost first. */
static void escape(struct view *view)
{
	if (view->overlay) {
		view->overlay = VIEW_OVERLAY_NONE;
		return;
	}
	if (view->calls) {
		view->calls = VIEW_NO_CALLS;
		return;
	}
	view->needle.text[0] = 0;
	view->stale = true;
}

static void sort_next(struct view *view)
{
	if (view->threads)
		view->threads_sort = (view->threads_sort + 1) % THREADS_NR_SORTS;
	else
		view->sort = (view->sort + 1) % VIEW_NR_SORTS;
	view->stale = true;
}

/* Threads have no groups and no call stacks. */
static bool is_for_functions(int key)
{
	return key == 'g' || key == 'G' || key == 'c' || key == 'e';
}

static void calls_toggle(struct view *view, enum view_calls calls)
{
	view->calls = view->calls == calls ? VIEW_NO_CALLS : calls;
}

enum view_action view_key(struct view *view, int key)
{
	view->message[0] = 0;
	if (view->needle.typing) {
		needle_key(&view->needle, key);
		view->scroll.at = 0;
		view->stale = true;
		return VIEW_GO_ON;
	}
	if (scroll_key(&view->scroll, key)) {
		view->moved = true;
		return VIEW_GO_ON;
	}
	if (view->threads && is_for_functions(key))
		return VIEW_GO_ON;
	switch (key) {
	case 'q':
		return VIEW_QUIT;
	case 'r':
		return VIEW_RESET;
	case 'G':
		return VIEW_SWITCH;
	case ' ':
	case 'p':
		view->paused = !view->paused;
		break;
	case 'a':
		view->accumulate = !view->accumulate;
		break;
	case 's':
		sort_next(view);
		break;
	case 'v':
		view->event = (view->event + 1) % view->nr_events;
		view->stale = true;
		break;
	case 'g':
		view->group = group_next(view->group, view->lines, view->owners);
		view->scroll.at = 0;
		view->stale = true;
		break;
	case 'c':
		calls_toggle(view, VIEW_CALLERS);
		break;
	case 'e':
		calls_toggle(view, VIEW_CALLEES);
		break;
	case '/':
		view->needle.typing = true;
		break;
	case 'h':
	case '?':
		overlay_toggle(view, VIEW_OVERLAY_HELP);
		break;
	case 'l':
		overlay_toggle(view, VIEW_OVERLAY_LEDGER);
		break;
	case NEEDLE_ESCAPE:
		escape(view);
		break;
	}
	return VIEW_GO_ON;
}
