// SPDX-License-Identifier: GPL-2.0-only
/* Exporters: their list, what JSON and text contain, and errors. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile_fixture.h"

/* Returns the output of an exporter; the caller frees it. */
static char *exported(const struct tprof_profile *profile, const char *format)
{
	int fd = memfd_create("export", MFD_CLOEXEC);
	char *text = calloc(1, 65536);

	assert_true(fd >= 0 && text);
	assert_int_equal(tprof_profile__export(profile, format, fd, NULL), 0);
	assert_true(pread(fd, text, 65535, 0) > 0);
	close(fd);
	return text;
}

static json_t *member(const json_t *object, const char *name)
{
	json_t *found = json_object_get(object, name);

	assert_non_null(found);
	return found;
}

static json_int_t number(const json_t *object, const char *name)
{
	return json_integer_value(member(object, name));
}

static void writes_json(void **state)
{
	struct tprof_profile *profile = sample_profile();
	char *text = exported(profile, "json");
	json_t *object = json_loads(text, 0, NULL), *functions, *ledger;

	(void)state;
	assert_non_null(object);
	assert_int_equal(number(object, "version"), 1);
	assert_true(json_is_null(member(object, "fallback")));
	ledger = member(object, "ledger");
	assert_int_equal(number(ledger, "fired"), 12);
	assert_int_equal(number(member(ledger, "lost"), "throttled"), 2);
	assert_int_equal(number(member(ledger, "weight"), "fired"), 120);
	functions = member(object, "functions");
	assert_int_equal(json_array_size(functions), 3);
	assert_string_equal(json_string_value(member(json_array_get(functions, 0), "symbol")), "hot");
	json_decref(object);
	free(text);
	tprof_profile__free(profile);
}

static void writes_text(void **state)
{
	struct tprof_profile *profile = sample_profile();
	char *text = exported(profile, "text");

	(void)state;
	assert_non_null(strstr(text, "# engine perf, event cpu-clock, 99 Hz, 2 CPUs, 1.0 s\n"));
	assert_non_null(strstr(text, "loss 2 (16.7% of 12 in scope)"));
	assert_non_null(strstr(text, "# lost 2 throttled: "));
	assert_non_null(strstr(text, " 60.00%        6  user     hot       app     app (7)\n"));
	free(text);
	tprof_profile__free(profile);
}

struct formats {
	const struct tprof_profile *profile;
	char suffixes[256];
};

static int try_format(void *ctx, const struct tprof_format *format)
{
	struct formats *formats = ctx;
	char suffix[32];

	free(exported(formats->profile, format->name));
	snprintf(suffix, sizeof(suffix), " %s ", format->suffix);
	assert_int_equal(format->suffix[0], '.');
	assert_null(strstr(formats->suffixes, suffix));
	strcat(formats->suffixes, suffix);
	assert_true(format->about[0]);
	return 0;
}

static int stop_at_text(void *ctx, const struct tprof_format *format)
{
	(void)ctx;
	return strcmp(format->name, "text") == 0 ? 17 : 0;
}

/* Each format can be written, and is recognized by the suffix of file names. */
static void lists_formats(void **state)
{
	struct tprof_profile *profile = sample_profile();
	struct formats formats = { .profile = profile };

	(void)state;
	assert_int_equal(tprof_format__each(try_format, &formats), 0);
	assert_int_equal(tprof_format__each(stop_at_text, NULL), 17);
	assert_non_null(strstr(formats.suffixes, " .json "));
	tprof_profile__free(profile);
}

static void export_errors(void **state)
{
	struct tprof_profile *profile = sample_profile();
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(tprof_profile__export(profile, "xml", 1, NULL), -EINVAL);
	assert_int_equal(tprof_profile__export(profile, "json", -1, NULL), -EBADF);
	assert_true(full >= 0);
	assert_int_equal(tprof_profile__export(profile, "json", full, NULL), -ENOSPC);
	assert_int_equal(tprof_profile__export(profile, "text", full, NULL), -ENOSPC);
	close(full);
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_json),
		cmocka_unit_test(writes_text),
		cmocka_unit_test(lists_formats),
		cmocka_unit_test(export_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
