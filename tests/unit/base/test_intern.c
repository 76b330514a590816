// SPDX-License-Identifier: GPL-2.0-only
/* A set of strings: each is stored once, also if it is asked for again at an address whose content has changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/intern.h"

#define NR 2000

static char texts[NR][32];
static unsigned long nr_hashed;

/* The linker redirects the calls of the library to this function (--wrap). */
uint64_t __wrap_hash_text(const char *text);
uint64_t __real_hash_text(const char *text);

uint64_t __wrap_hash_text(const char *text)
{
	nr_hashed++;
	return __real_hash_text(text);
}

static struct intern *filled(const char *kept[NR])
{
	struct intern *intern = intern_new();

	assert_non_null(intern);
	for (size_t i = 0; i < NR; i++) {
		snprintf(texts[i], sizeof(texts[i]), "name %zu", i);
		kept[i] = intern_name(intern, texts[i]);
		assert_string_equal(kept[i], texts[i]);
		assert_ptr_not_equal(kept[i], texts[i]);
	}
	return intern;
}

/* As functions of many samples are. Several addresses share a place, and then some of them are forgotten. */
static void asked_again_it_is_rarely_hashed(void **state)
{
	const char *kept[NR];
	struct intern *intern = filled(kept);

	(void)state;
	nr_hashed = 0;
	for (size_t i = 0; i < NR; i++) {
		assert_ptr_equal(intern_name(intern, texts[i]), kept[i]);
		for (int again = 0; again < 10; again++)
			assert_ptr_equal(intern_string(intern, texts[i]), kept[i]);
		assert_ptr_equal(intern_name(intern, kept[i]), kept[i]);
	}
	assert_true(nr_hashed < 3 * NR);
	intern_free(intern);
}

static void another_text_at_the_same_address(void **state)
{
	const char *kept[NR];
	struct intern *intern = filled(kept);

	(void)state;
	for (size_t i = 0; i < NR; i++) {
		char text[32];

		snprintf(text, sizeof(text), "name %zu", (i + 1) % NR);
		memcpy(texts[i], text, sizeof(text));
		assert_ptr_equal(intern_string(intern, texts[i]), kept[(i + 1) % NR]);
		assert_ptr_equal(intern_name(intern, texts[i]), kept[(i + 1) % NR]);
	}
	intern_free(intern);
}

static void names_that_are_cleaned(void **state)
{
	const char *kept[NR], *clean;
	struct intern *intern = filled(kept);
	char name[] = "a\nb";

	(void)state;
	clean = intern_name(intern, name);
	assert_string_not_equal(clean, name);
	for (int again = 0; again < 3; again++) {
		assert_ptr_equal(intern_name(intern, name), clean);
		assert_ptr_equal(intern_name(intern, clean), clean);
	}
	intern_free(intern);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(asked_again_it_is_rarely_hashed),
		cmocka_unit_test(another_text_at_the_same_address),
		cmocka_unit_test(names_that_are_cleaned),
	};

	return cmocka_run_group_tests_name("intern", tests, NULL, NULL);
}
