// SPDX-License-Identifier: GPL-2.0-only
/* BPF programs that are loaded and unloaded: named as long as samples of them can arrive, never with a wrong name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "symbol/kprograms.h"

#define A 0xffffffffc0100000

/* "name+delta", "" or "several" */
static const char *find(const struct kprograms *programs, uint64_t ip)
{
	static char text[256];
	const char *name;
	uint64_t delta;

	switch (kprograms_find(programs, ip, &name, &delta)) {
	case KPROGRAMS_NONE:
		return "";
	case KPROGRAMS_SEVERAL:
		return "several";
	case KPROGRAMS_FOUND:
		break;
	}
	snprintf(text, sizeof(text), "%s+%u", name, (unsigned int)delta);
	return text;
}

static void test_places(void **state)
{
	struct kprograms programs = { 0 };

	(void)state;
	assert_string_equal(find(&programs, A), "");
	kprograms_note(&programs, "one", A, 0x100, false);
	kprograms_note(&programs, "two", A + 0x200, 0x10, false);
	assert_string_equal(find(&programs, A - 2), "");
	assert_string_equal(find(&programs, A - 1), "one+0");
	assert_string_equal(find(&programs, A), "one+0");
	assert_string_equal(find(&programs, A + 0xff), "one+255");
	assert_string_equal(find(&programs, A + 0x100), "");
	assert_string_equal(find(&programs, A + 0x20f), "two+15");
	for (int age = 0; age < 10; age++)
		kprograms_age(&programs);
	assert_string_equal(find(&programs, A), "one+0");
	kprograms_fini(&programs);
}

/* Samples of an unloaded program are named for one more drain; an older program is known from its unload record. */
static void test_gone(void **state)
{
	struct kprograms programs = { 0 };

	(void)state;
	kprograms_note(&programs, "one", A, 0x100, false);
	kprograms_note(&programs, "one", A, 0x100, true);
	kprograms_note(&programs, "old", A + 0x1000, 0x100, true);
	assert_string_equal(find(&programs, A + 1), "one+1");
	assert_string_equal(find(&programs, A + 0x1001), "old+1");
	kprograms_age(&programs);
	assert_string_equal(find(&programs, A + 1), "one+1");
	kprograms_age(&programs);
	assert_string_equal(find(&programs, A + 1), "");
	assert_string_equal(find(&programs, A + 0x1001), "");
	kprograms_fini(&programs);
}

static void test_replaced(void **state)
{
	struct kprograms programs = { 0 };

	(void)state;
	kprograms_note(&programs, "one", A, 0x100, false);
	kprograms_note(&programs, "one", A, 0x100, true);
	kprograms_note(&programs, "two", A + 0x80, 0x100, false);
	assert_string_equal(find(&programs, A + 0x7e), "one+126");
	assert_string_equal(find(&programs, A + 0x7f), "several");
	assert_string_equal(find(&programs, A + 0x80), "several");
	assert_string_equal(find(&programs, A + 0x100), "two+128");
	kprograms_age(&programs);
	kprograms_age(&programs);
	assert_string_equal(find(&programs, A + 0x80), "two+0");
	/* The unload record was lost. */
	kprograms_note(&programs, "three", A + 0x80, 0x100, false);
	assert_string_equal(find(&programs, A + 0x80), "several");
	kprograms_age(&programs);
	kprograms_age(&programs);
	assert_string_equal(find(&programs, A + 0x80), "three+0");
	kprograms_fini(&programs);
}

/* Too many programs, and impossible sizes. */
static void test_limits(void **state)
{
	struct kprograms programs = { 0 };

	(void)state;
	kprograms_note(&programs, "none", A, 0, false);
	kprograms_note(&programs, "far", UINT64_MAX - 5, 100, false);
	assert_string_equal(find(&programs, A), "");
	assert_string_equal(find(&programs, UINT64_MAX - 1), "");
	for (uint64_t i = 0; i < 10000; i++)
		kprograms_note(&programs, "many", A + i * 16, 16, false);
	assert_string_equal(find(&programs, A + 16 * 4095), "many+0");
	assert_string_equal(find(&programs, A + 16 * 4096), "");
	kprograms_fini(&programs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_gone),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
