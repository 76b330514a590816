// SPDX-License-Identifier: GPL-2.0-only
/* Numbers with units, and text that is cut to columns. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <locale.h>
#include <string.h>
#include <cmocka.h>

#include "../../../cli/base/cell.c"
#include "../../../cli/base/units.c"

static void counts(void **state)
{
	struct units_text text;

	(void)state;
	assert_string_equal(units_count(&text, 0), "0");
	assert_string_equal(units_count(&text, 9999), "9999");
	assert_string_equal(units_count(&text, 10000), "10.0k");
	assert_string_equal(units_count(&text, 99949), "99.9k");
	assert_string_equal(units_count(&text, 99950), "100k");
	assert_string_equal(units_count(&text, 999499), "999k");
	assert_string_equal(units_count(&text, 999500), "1.0M");
	assert_string_equal(units_count(&text, 1234567), "1.2M");
	assert_string_equal(units_count(&text, UINT64_MAX), "18.4E");
}

static void durations(void **state)
{
	struct units_text text;

	(void)state;
	assert_string_equal(units_duration(&text, 0), "0 ns");
	assert_string_equal(units_duration(&text, 999), "999 ns");
	assert_string_equal(units_duration(&text, 1000), "1.0 us");
	assert_string_equal(units_duration(&text, 3400000), "3.4 ms");
	assert_string_equal(units_duration(&text, 999499999), "999 ms");
	assert_string_equal(units_duration(&text, 999500000), "1.0 s");
	assert_string_equal(units_duration(&text, 99900000000), "99.9 s");
	assert_string_equal(units_duration(&text, 100000000000), "1 min 40 s");
	assert_string_equal(units_duration(&text, 3599600000000), "1 h 0 min");
	assert_string_equal(units_duration(&text, 7500000000000), "2 h 5 min");
}

static void sizes(void **state)
{
	struct units_text text;

	(void)state;
	assert_string_equal(units_bytes(&text, 0), "0 bytes");
	assert_string_equal(units_bytes(&text, 1023), "1023 bytes");
	assert_string_equal(units_bytes(&text, 1024), "1.0 KiB");
	assert_string_equal(units_bytes(&text, 1048524), "1023.9 KiB");
	assert_string_equal(units_bytes(&text, 1048525), "1.0 MiB");
	assert_string_equal(units_bytes(&text, 9001370), "8.6 MiB");
}

static void weights(void **state)
{
	struct units_text text;

	(void)state;
	assert_string_equal(units_weight(&text, 10101010, "ns"), "10.1 ms");
	assert_string_equal(units_weight(&text, 10101010, "cycles"), "10.1M cycles");
	units_weight(&text, 10101010, "a unit with a name that is much too long");
	assert_true(strlen(text.text) < sizeof(text.text));
}

static void text_is_padded_or_cut(void **state)
{
	struct cell cell;

	(void)state;
	assert_string_equal(cell_fit(&cell, "main", 6), "main  ");
	assert_string_equal(cell_fit(&cell, "main", 4), "main");
	assert_string_equal(cell_fit(&cell, "main", 3), "ma…");
	assert_string_equal(cell_fit(&cell, "main", 1), "…");
	assert_string_equal(cell_fit(&cell, "main", 0), "");
	assert_string_equal(cell_fit(&cell, "", 2), "  ");
}

static void wide_characters_take_two_columns(void **state)
{
	struct cell cell;

	(void)state;
	assert_int_equal(cell_width("漢字"), 4);
	assert_string_equal(cell_fit(&cell, "漢字", 5), "漢字 ");
	/* A wide character that does not fit leaves a blank column. */
	assert_string_equal(cell_fit(&cell, "漢字", 3), "漢…");
	assert_string_equal(cell_fit(&cell, "a漢字", 3), "a… ");
}

static void nothing_controls_the_terminal(void **state)
{
	struct cell cell;

	(void)state;
	assert_string_equal(cell_fit(&cell, "a\033[31mb\n", 8), "a?[31mb?");
	assert_string_equal(cell_fit(&cell, "a\xff\xc3", 4), "a?? ");
}

static void long_text_stays_in_the_cell(void **state)
{
	struct cell cell;
	char text[4096];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	cell_fit(&cell, text, 3000);
	assert_true(strlen(cell.text) < sizeof(cell.text));
	cell_fit(&cell, "", 3000);
	assert_true(strlen(cell.text) < sizeof(cell.text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts),
		cmocka_unit_test(durations),
		cmocka_unit_test(sizes),
		cmocka_unit_test(weights),
		cmocka_unit_test(text_is_padded_or_cut),
		cmocka_unit_test(wide_characters_take_two_columns),
		cmocka_unit_test(nothing_controls_the_terminal),
		cmocka_unit_test(long_text_stays_in_the_cell),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
