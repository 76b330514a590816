// SPDX-License-Identifier: GPL-2.0-only
/* A text stream contains exactly the text since the last begin, nothing from before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text_stream.h"

static void text_is_what_was_written(void **state)
{
	struct text_stream stream = { 0 };
	FILE *out = text_stream_begin(&stream);

	(void)state;
	assert_non_null(out);
	assert_string_equal(text_stream_text(&stream), "");
	fprintf(out, "%d and", 1);
	assert_string_equal(text_stream_text(&stream), "1 and");
	fputs(" 2", out);
	assert_string_equal(text_stream_text(&stream), "1 and 2");
	text_stream_close(&stream);
	text_stream_close(&stream);
	assert_null(stream.text);
}

/* Lengths around the sizes of the buffer and of the first allocation, and far beyond. */
static void grows(void **state)
{
	static const size_t lengths[] = { 1, 254, 255, 256, 257, 511, 512, 513, 4096, 100000 };
	struct text_stream stream = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		FILE *out = text_stream_begin(&stream);
		const char *text;

		assert_non_null(out);
		for (size_t n = 0; n < lengths[i]; n++)
			putc('a' + (int)(n % 26), out);
		text = text_stream_text(&stream);
		assert_non_null(text);
		assert_int_equal(strlen(text), lengths[i]);
		for (size_t n = 0; n < lengths[i]; n++)
			assert_int_equal(text[n], 'a' + (int)(n % 26));
	}
	text_stream_close(&stream);
}

static void begins_anew(void **state)
{
	struct text_stream stream = { 0 };

	(void)state;
	fputs("never asked for", text_stream_begin(&stream));
	fputs("short", text_stream_begin(&stream));
	assert_string_equal(text_stream_text(&stream), "short");
	text_stream_begin(&stream);
	assert_string_equal(text_stream_text(&stream), "");
	text_stream_close(&stream);
}

/* A failed write leaves nothing in the next text. */
static void forgets_a_failure(void **state)
{
	struct text_stream stream = { 0 };

	(void)state;
	fputs("lost", text_stream_begin(&stream));
	stream.cut = true;
	assert_null(text_stream_text(&stream));
	assert_null(text_stream_text(&stream));
	fputs("kept", text_stream_begin(&stream));
	assert_string_equal(text_stream_text(&stream), "kept");
	text_stream_close(&stream);
}

static void is_taken(void **state)
{
	struct text_stream stream = { 0 };
	char *text;

	(void)state;
	fputs("mine", text_stream_begin(&stream));
	text = text_stream_take(&stream);
	assert_null(stream.out);
	assert_string_equal(text, "mine");
	free(text);
	fputs("lost", text_stream_begin(&stream));
	stream.cut = true;
	assert_null(text_stream_take(&stream));
	assert_null(stream.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_what_was_written),
		cmocka_unit_test(grows),
		cmocka_unit_test(begins_anew),
		cmocka_unit_test(forgets_a_failure),
		cmocka_unit_test(is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
