// SPDX-License-Identifier: GPL-2.0-only
/* `tprof report` on a terminal: the main loop of the browser. */
#include "browser.h"

#include <string.h>

#include "base/exit_code.h"
#include "base/out.h"
#include "screen/screen.h"
#include "wait/watch.h"

/* Handles all pending keys. */
static int read_keys(struct browser *browser, bool *quit)
{
	int key, err = 0;

	while (!err && !*quit && (key = screen_key()) >= 0) {
		err = browser_key(browser, key, quit);
		if (!err && (browser->stale || browser->other))
			err = browser_fill(browser);
	}
	return err;
}

static int loop(struct browser *browser, struct watch *watch)
{
	int err = browser_fill(browser), events = 0;
	bool quit = false;

	while (!err && !quit && !(events & WATCH_END)) {
		browser_draw(browser);
		events = watch_wait(watch);
		if (events < 0)
			return events;
		if (events & WATCH_RESIZE)
			screen_resize();
		if (events & WATCH_KEY)
			err = read_keys(browser, &quit);
	}
	return err;
}

int browser_run(struct report *report)
{
	struct browser browser = { .report = report };
	struct watch watch;
	int code = watch_open(&watch), err;

	if (code)
		return code;
	code = screen_open("--stdio");
	if (!code) {
		report->needle = &browser.needle;
		err = watch_keyboard(&watch);
		if (!err)
			err = loop(&browser, &watch);
		screen_close();
		if (err) {
			out_error(NULL, "%s", strerror(-err));
			code = EXIT_FAIL;
		}
		browser_forget(&browser);
		report->needle = NULL;
	}
	watch_close(&watch);
	return code;
}
