// SPDX-License-Identifier: GPL-2.0-only
/* Words for a value of an enum of the library are the library's names, in its order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../cli/base/nearest.c"
#include "../../../cli/base/words.c"

/* In place of cli/base/opt.c, which reports a word that is not known. */
int opt_refuse(const struct opt *opt, const char *value, const char *why, const char *hint)
{
	(void)opt;
	(void)value;
	(void)why;
	(void)hint;
	return -1;
}

static void groups(void **state)
{
	const struct opt opt = { .name = "by" };
	size_t length = 0;

	(void)state;
	for (int group = 0; group < TPROF_NR_GROUPS; group++) {
		const char *name = tprof_group__name((enum tprof_group)group);
		enum tprof_group chosen = TPROF_NR_GROUPS;

		assert_int_equal(words_set_group(&chosen, &opt, name), 0);
		assert_int_equal(chosen, group);
		length += strlen(name) + 1;
	}
	assert_int_equal(strlen(WORDS_GROUP), length - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
