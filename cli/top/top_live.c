// SPDX-License-Identifier: GPL-2.0-only
/* `tprof top` on a terminal: connects the session and the view. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_code.h"
#include "base/group.h"
#include "base/out.h"
#include "base/units.h"
#include "sample/launch.h"
#include "screen/screen.h"
#include "top.h"
#include "top_view.h"

#define TOTAL_ROWS 10		/* rows of the total that stay on the terminal */

struct live {
	struct top *top;
	struct view view;
	struct rows rows;
	struct threads threads;
	struct top_calls calls;
	struct tprof_profile *shown;	/* the last interval, or all since the last reset; NULL: none yet */
	struct tprof_profile *one;	/* what is shown of one of several events, for its callers; NULL: not made */
	size_t one_event;
	struct tprof_profile *total;	/* NULL: not wanted */
	bool restart;			/* the next interval replaces the shown profile */
};

/* Shows messages of the library in the footer, because stderr is the screen. */
static void say_in_view(void *ctx, const char *message)
{
	struct view *view = ctx;

	snprintf(view->message, sizeof(view->message), "%s", message);
}

static int rows_refresh(struct live *live)
{
	live->view.stale = false;
	if (live->shown && live->view.threads)
		return threads_fill(&live->threads, live->shown, live->view.threads_sort, &live->view.needle);
	return live->shown ? rows_fill(&live->rows, live->shown, &live->view) : 0;
}

static void refuse_calls(struct live *live, const char *why)
{
	live->view.calls = VIEW_NO_CALLS;
	snprintf(live->view.message, sizeof(live->view.message), "%s", why);
}

/* Whether the selected row is the function whose calls are shown. */
static bool is_chosen(const struct live *live)
{
	size_t at = live->view.scroll.at;

	return at < live->rows.nr && top_calls_is(&live->calls, live->rows.rows[at].entry);
}

/* The function whose calls are shown stays selected wherever its row moves, until the user selects another row. */
static int follow(struct live *live)
{
	struct scroll *scroll = &live->view.scroll;
	bool chosen;

	scroll_fit(scroll, live->rows.nr, scroll->page);
	chosen = is_chosen(live);
	if (live->calls.symbol && !live->view.moved) {
		/* By line, a function has several rows: keep the selected one, otherwise use the heaviest. */
		for (size_t i = live->rows.nr; i > 0 && !chosen; i--)
			if (top_calls_is(&live->calls, live->rows.rows[i - 1].entry))
				scroll->at = i - 1;
		return 0;
	}
	return live->rows.nr ? top_calls_choose(&live->calls, live->rows.rows[scroll->at].entry) : 0;
}

/* The names of calls point into the profile. */
static void forget_calls(struct live *live)
{
	top_calls_forget(&live->calls);
	tprof_profile__free(live->one);
	live->one = NULL;
}

static int make_calls(struct live *live)
{
	int step = live->view.calls == VIEW_CALLERS ? 1 : -1;

	if (live->view.nr_events == 1)
		return top_calls_make(&live->calls, live->shown, step);
	if (!live->one || live->one_event != live->view.event) {
		forget_calls(live);
		live->one = tprof_profile__of_event(live->shown, live->view.event);
		live->one_event = live->view.event;
	}
	return live->one ? top_calls_make(&live->calls, live->one, step) : -errno;
}

static int calls_refresh(struct live *live)
{
	int err;

	if (!live->view.calls || !live->shown || live->view.threads) {
		top_calls_free(&live->calls);
	} else if (live->view.group != TPROF_GROUP_FUNCTION && live->view.group != TPROF_GROUP_LINE) {
		refuse_calls(live, "only functions have callers: press g");
	} else if (!live->view.call_stacks && !tprof_profile__nr_call_stacks(live->shown) &&
		   tprof_profile__nr_entries(live->shown)) {
		refuse_calls(live, live->top->spare.name ? "callers need call stacks: press G" :
						      "callers need call stacks, which the filter does not count");
	} else {
		err = follow(live);
		live->view.moved = false;
		return err ? err : make_calls(live);
	}
	live->view.moved = false;
	return 0;
}

/* Takes the profile since the last call. It replaces the shown profile, or is added to it. */
static int take(struct live *live)
{
	struct tprof_profile *profile = tprof_session__snapshot(live->top->session);
	int err = 0;

	if (!profile)
		return -errno;
	if (live->total)
		err = tprof_profile__merge(live->total, profile);
	/* The rows point into the shown profile, too. */
	rows_free(&live->rows);
	threads_free(&live->threads);
	forget_calls(live);
	live->view.stale = true;
	if (!err && live->view.accumulate && live->shown && !live->restart) {
		err = tprof_profile__merge(live->shown, profile);
		tprof_profile__free(profile);
	} else {
		tprof_profile__free(live->shown);
		live->shown = profile;
	}
	live->restart = false;
	live->view.owners = group_has_owners(live->shown);
	return err;
}

static void draw(struct live *live)
{
	struct tprof_info *info = &live->top->info;
	struct tprof_event_info event = { .sz = sizeof(event) };

	info->sz = sizeof(*info);
	if (tprof_session__info(live->top->session, info) ||
	    tprof_session__event(live->top->session, live->view.event, &event))
		return;
	info->event = event.event;
	info->unit = event.unit;
	info->rate_hz = event.rate_hz;
	info->period = event.period;
	if (live->view.threads)
		threads_draw(&live->view, info, live->shown, &live->threads);
	else
		view_draw(&live->view, info, live->shown, &live->rows, &live->calls);
}

/*
 * Replaces the filter: the ledger goes on. The interval ends here, so that the next one has only what the other filter
 * counts.
 */
static int switch_filter(struct live *live)
{
	struct sampling_spare *spare = &live->top->spare;
	struct tprof_session *session = live->top->session;
	struct tprof_filter *old = tprof_session__filter(session, 0);
	struct view *view = &live->view;

	if (!spare->filter) {
		snprintf(view->message, sizeof(view->message), "%.255s",
			 spare->name ? spare->why : "the filter decides whether call stacks are counted");
		return 0;
	}
	if (tprof_session__replace_filter(session, old, spare->filter)) {
		snprintf(view->message, sizeof(view->message), "%s", tprof_session__error(session));
		return 0;
	}
	spare->filter = old;
	live->top->call_stacks = view->call_stacks = !view->call_stacks;
	if (!view->call_stacks)
		view->calls = VIEW_NO_CALLS;
	snprintf(view->message, sizeof(view->message), "%s",
		 view->call_stacks ? "call stacks are counted from now on: c callers, e callees, G functions only" :
				     "functions are counted from now on, without call stacks");
	return view->paused ? 0 : take(live);
}

/* Handles all pending keys. Returns false on quit, or after an error. */
static bool read_keys(struct live *live, int *err)
{
	int key;

	while ((key = screen_key()) >= 0) {
		enum view_action action = view_key(&live->view, key);

		if (action == VIEW_QUIT)
			return false;
		if (action == VIEW_RESET)
			live->restart = true;
		if (action == VIEW_SWITCH)
			*err = switch_filter(live);
		if (*err)
			return false;
	}
	return true;
}

static int loop(struct live *live)
{
	struct top *top = live->top;
	int events = 0, err = 0;

	while (!err && !(events & WATCH_END)) {
		if (live->view.stale)
			err = rows_refresh(live);
		if (!err)
			err = calls_refresh(live);
		if (!err)
			draw(live);
		events = watch_wait(&top->watch);
		if (events < 0)
			return events;
		top_note_command(top, events);
		if (events & WATCH_RESIZE)
			screen_resize();
		if ((events & WATCH_KEY) && !read_keys(live, &err))
			break;
		if (!err && (events & WATCH_TICK) && !live->view.paused)
			err = take(live);
	}
	return err;
}

static int show_output(const struct top *top, struct tail *output)
{
	uint64_t left_out = tail_take(output);
	struct units_text bytes;

	if (left_out)
		out_note("%s: the first %s of its output were dropped", top->spawn.name, units_bytes(&bytes, left_out));
	return tail_write(output, STDOUT_FILENO);
}

/* After closing the view: prints the output of the command and, if the run has an end condition, the total. */
static int leave(struct live *live, struct tail *output)
{
	int err = output ? show_output(live->top, output) : 0;

	if (err)
		return err;
	if (!live->total)
		return 0;
	launch_stop(live->top->session);
	live->view.accumulate = false;
	if (take(live))
		return 0;
	return top_export(live->top, live->total, live->top->limit ? live->top->limit : TOTAL_ROWS);
}

static int prepare(struct live *live)
{
	struct top *top = live->top;
	const struct tprof_session_opts *session = &top->sampling.session;
	bool ends = top->launched || top->sampling.duration_ns || session->nr_pids || session->nr_tids;
	int err;

	err = watch_interval(&top->watch, top->delay_ns ? top->delay_ns : TOP_DELAY_NS);
	if (!err && isatty(STDIN_FILENO))
		err = watch_keyboard(&top->watch);
	if (err || !ends)
		return err;
	live->total = tprof_session__snapshot(top->session);
	return live->total ? 0 : -errno;
}

int top_live(struct top *top, struct tail *output)
{
	bool lines = top->sampling.session.lines;
	struct live live = {
		.top = top,
		.view = {
			.limit = top->limit, .lines = lines, .nr_events = tprof_session__nr_events(top->session),
			.threads = top->threads, .threads_sort = top->threads_sort,
			.call_stacks = top->call_stacks, .group = lines && !top->by_given ? TPROF_GROUP_LINE : top->by,
		},
	};
	int code, err;

	code = screen_open("--batch");
	if (code)
		return code;
	top->sampling.say_ctx = &live.view;
	top->sampling.say = say_in_view;
	err = prepare(&live);
	if (!err)
		err = loop(&live);
	screen_close();
	top->sampling.say = NULL;
	if (err)
		code = out_error_of_session(top->session, err);
	else
		code = out_written(leave(&live, output));
	rows_free(&live.rows);
	threads_free(&live.threads);
	forget_calls(&live);
	top_calls_free(&live.calls);
	tprof_profile__free(live.shown);
	tprof_profile__free(live.total);
	return code;
}
