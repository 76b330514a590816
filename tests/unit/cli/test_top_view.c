// SPDX-License-Identifier: GPL-2.0-only
/* The view of `tprof top` without a terminal: the effect of keys, and the resulting rows. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>

#include "../../../cli/base/group.c"
#include "../../../cli/base/grow.c"
#include "../../../cli/base/needle.c"
#include "../../../cli/screen/scroll.c"
#include "../../../cli/top/top_keys.c"
#include "../../../cli/top/top_rows.c"
#include "profile/profile.h"

static const struct tprof_entry functions[] = {
	{ .symbol = "hot", .object = "prog", .comm = "prog", .pid = 30, .samples = 5, .weight = 500 },
	{ .symbol = "copy_page", .object = "[kernel]", .comm = "cp", .pid = 10, .samples = 9, .weight = 90 },
	{ .symbol = "Alloc", .object = "libc.so.6", .comm = "prog", .pid = 20, .samples = 1, .weight = 10 },
};

static struct tprof_profile *profile_of_functions(void)
{
	struct tprof_profile *profile = profile_new();

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		assert_int_equal(profile_add(profile, &functions[i]), 0);
	profile_finish(profile);
	return profile;
}

static void type(struct view *view, const char *keys)
{
	for (; *keys; keys++)
		assert_int_equal(view_key(view, (unsigned char)*keys), VIEW_GO_ON);
}

static void expect(struct view *view, const char *a, const char *b, const char *c)
{
	const char *const names[] = { a, b, c };
	struct tprof_profile *profile = profile_of_functions();
	struct rows rows = { 0 };

	assert_int_equal(rows_fill(&rows, profile, view), 0);
	for (size_t i = 0; i < 3 && names[i]; i++) {
		assert_true(i < rows.nr);
		assert_string_equal(row_name(rows.rows[i].entry, view->group), names[i]);
	}
	assert_true(rows.nr == 3 || !names[rows.nr]);
	rows_free(&rows);
	tprof_profile__free(profile);
}

static void sorts_in_turn(void **state)
{
	struct view view = { 0 };

	(void)state;
	expect(&view, "hot", "copy_page", "Alloc");
	type(&view, "s");
	expect(&view, "copy_page", "hot", "Alloc");
	type(&view, "s");
	expect(&view, "Alloc", "copy_page", "hot");
	type(&view, "s");
	expect(&view, "copy_page", "Alloc", "hot");
	type(&view, "s");
	assert_int_equal(view.sort, VIEW_SORT_WEIGHT);
}

/* The key v chooses the event whose samples give the order and the shares. */
static void events_in_turn(void **state)
{
	const struct tprof_event_info events[] = {
		{ .sz = sizeof(events[0]), .event = "cpu-clock", .unit = "ns" },
		{ .sz = sizeof(events[0]), .event = "page-faults", .unit = "events" },
	};
	struct tprof_entry faults = { .symbol = "Alloc", .object = "libc.so.6", .comm = "prog", .pid = 20,
				      .samples = 3, .weight = 6 };
	struct tprof_profile *profile = profile_new();
	struct view view = { .nr_events = 2 };
	struct rows rows = { 0 };

	(void)state;
	assert_int_equal(profile_set_events(profile, events, 2), 0);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		assert_int_equal(profile_add_of(profile, &functions[i], 0), 0);
	assert_int_equal(profile_add_of(profile, &faults, 1), 0);
	faults = functions[1];
	faults.samples = faults.weight = 2;
	assert_int_equal(profile_add_of(profile, &faults, 1), 0);
	profile_finish(profile);

	assert_int_equal(rows_fill(&rows, profile, &view), 0);
	assert_string_equal(rows.rows[0].entry->symbol, "hot");
	assert_int_equal(row_value(&rows, 0, 0).weight, 500);
	assert_int_equal(row_value(&rows, 0, 1).weight, 0);
	type(&view, "v");
	assert_true(view.stale);
	assert_int_equal(rows_fill(&rows, profile, &view), 0);
	assert_string_equal(rows.rows[0].entry->symbol, "Alloc");
	assert_string_equal(rows.rows[1].entry->symbol, "copy_page");
	assert_string_equal(rows.rows[2].entry->symbol, "hot");
	assert_int_equal(row_value(&rows, 0, 1).samples, 3);
	assert_true(row_percent(&rows, 0, 1) == 75);
	assert_true(row_percent(&rows, 2, 1) == 0);
	type(&view, "v");
	assert_int_equal(view.event, 0);
	rows_free(&rows);
	tprof_profile__free(profile);
}

static void finds_while_typing(void **state)
{
	struct view view = { 0 };

	(void)state;
	type(&view, "/prq");
	expect(&view, NULL, NULL, NULL);
	type(&view, "\bo");
	expect(&view, "hot", "Alloc", NULL);
	/* Kept after Enter, when q means quit again; Escape shows everything. */
	type(&view, "\n");
	expect(&view, "hot", "Alloc", NULL);
	assert_int_equal(view_key(&view, 'q'), VIEW_QUIT);
	type(&view, "\033");
	expect(&view, "hot", "copy_page", "Alloc");
}

static void backspace_takes_whole_characters(void **state)
{
	struct view view = { 0 };

	(void)state;
	type(&view, "/aé漢\177");
	assert_string_equal(view.needle.text, "aé");
	type(&view, "\177\177\177\177");
	assert_string_equal(view.needle.text, "");
	assert_true(view.needle.typing);
}

static void needle_has_an_end(void **state)
{
	struct view view = { 0 };

	(void)state;
	type(&view, "/");
	for (int i = 0; i < 200; i++)
		type(&view, "x");
	assert_int_equal(strlen(view.needle.text), sizeof(view.needle.text) - 1);
}

static void groups(void **state)
{
	struct view view = { 0 };

	(void)state;
	type(&view, "g");
	expect(&view, "prog", "cp", "prog");
}

static void scrolls(void **state)
{
	struct view view = { .scroll.page = 10 };

	(void)state;
	view_key(&view, KEY_UP);
	assert_int_equal(view.scroll.at, 0);
	view_key(&view, KEY_DOWN);
	view_key(&view, KEY_NPAGE);
	assert_int_equal(view.scroll.at, 10);
	scroll_fit(&view.scroll, 100, 10);
	assert_int_equal(view.scroll.first, 1);
	view_key(&view, KEY_PPAGE);
	assert_int_equal(view.scroll.at, 1);
	view_key(&view, KEY_END);
	view_key(&view, KEY_DOWN);
	scroll_fit(&view.scroll, 100, 10);
	assert_int_equal(view.scroll.at, 99);
	assert_int_equal(view.scroll.first, 90);
	/* Fewer rows, a smaller page, no rows at all */
	scroll_fit(&view.scroll, 95, 4);
	assert_int_equal(view.scroll.at, 94);
	assert_int_equal(view.scroll.first, 91);
	scroll_fit(&view.scroll, 0, 4);
	assert_int_equal(view.scroll.at, 0);
	assert_int_equal(view.scroll.first, 0);
	view_key(&view, KEY_DOWN);
	view_key(&view, KEY_HOME);
	assert_int_equal(view.scroll.at, 0);
}

/* Callers or callees, neither if the key is repeated; Escape first closes a box that is open. */
static void calls(void **state)
{
	struct view view = { 0 };

	(void)state;
	type(&view, "c");
	assert_int_equal(view.calls, VIEW_CALLERS);
	type(&view, "e");
	assert_int_equal(view.calls, VIEW_CALLEES);
	type(&view, "e");
	assert_int_equal(view.calls, VIEW_NO_CALLS);
	type(&view, "ch\033");
	assert_int_equal(view.calls, VIEW_CALLERS);
	type(&view, "\033");
	assert_int_equal(view.calls, VIEW_NO_CALLS);
}

static void overlays_and_switches(void **state)
{
	struct view view = { 0 };

	(void)state;
	type(&view, "h");
	assert_int_equal(view.overlay, VIEW_OVERLAY_HELP);
	type(&view, "l");
	assert_int_equal(view.overlay, VIEW_OVERLAY_LEDGER);
	type(&view, "\033");
	assert_int_equal(view.overlay, VIEW_OVERLAY_NONE);
	type(&view, " ");
	assert_true(view.paused);
	type(&view, "pa");
	assert_false(view.paused);
	assert_true(view.accumulate);
	assert_int_equal(view_key(&view, 'r'), VIEW_RESET);
}

static void limit_holds(void **state)
{
	struct view view = { .limit = 2 };

	(void)state;
	expect(&view, "hot", "copy_page", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_in_turn),
		cmocka_unit_test(events_in_turn),
		cmocka_unit_test(finds_while_typing),
		cmocka_unit_test(backspace_takes_whole_characters),
		cmocka_unit_test(needle_has_an_end),
		cmocka_unit_test(groups),
		cmocka_unit_test(scrolls),
		cmocka_unit_test(calls),
		cmocka_unit_test(overlays_and_switches),
		cmocka_unit_test(limit_holds),
	};

	return cmocka_run_group_tests_name("top view", tests, NULL, NULL);
}
