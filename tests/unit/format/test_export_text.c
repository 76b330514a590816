// SPDX-License-Identifier: GPL-2.0-only
/* Text: empty profiles and tables say that they are empty. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/profile.h"

#define EMPTY "\n# empty: no sample was counted\n"

static struct tprof_profile *empty_profile(void)
{
	const struct tprof_info info = { .sz = sizeof(info), .engine = "perf", .event = "cpu-clock", .unit = "ns" };
	struct tprof_profile *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	return profile;
}

/* Returns the text, which the next call overwrites. */
static const char *text_of(struct tprof_profile *profile, bool tables)
{
	static char text[4096];
	TPROF_OPTS(tprof_export_opts, opts, .tables = tables);
	int fd = memfd_create("text", 0);

	assert_true(fd >= 0);
	profile_finish(profile);
	assert_int_equal(tprof_profile__export(profile, "text", fd, &opts), 0);
	memset(text, 0, sizeof(text));
	assert_true(pread(fd, text, sizeof(text) - 1, 0) > 0);
	close(fd);
	return text;
}

static void entries(void **state)
{
	const struct tprof_entry entry = {
		.symbol = "hot", .object = "app", .comm = "app", .cgroup = "", .pid = 7, .cpu = -1,
		.mode = TPROF_MODE_USER, .samples = 1, .weight = 10, .file = "",
	};
	struct tprof_profile *profile = empty_profile();

	(void)state;
	assert_non_null(strstr(text_of(profile, false), "function  object  process" EMPTY));
	tprof_profile__free(profile);
	profile = empty_profile();
	assert_int_equal(profile_add(profile, &entry), 0);
	assert_null(strstr(text_of(profile, false), EMPTY));
	tprof_profile__free(profile);
}

static void tables(void **state)
{
	const struct tprof_row row = { .key = "k", .samples = 1, .weight = 1 };
	struct tprof_profile *profile = empty_profile();
	const char *text;

	(void)state;
	/* A filter that keeps samples has no table. */
	assert_null(strstr(text_of(profile, true), "empty"));
	tprof_profile__free(profile);
	profile = empty_profile();
	assert_int_equal(profile_add_table(profile, "none"), 0);
	assert_int_equal(profile_add_table(profile, "some"), 1);
	assert_int_equal(profile_add_row(profile, 1, &row, NULL, 0), 0);
	text = text_of(profile, true);
	assert_non_null(strstr(text, "\nnone (0 keys)\n"));
	text = strstr(text, EMPTY);
	assert_non_null(text);
	assert_non_null(strstr(text, "\nsome (1 key)\n"));
	assert_null(strstr(text + 1, EMPTY));
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
