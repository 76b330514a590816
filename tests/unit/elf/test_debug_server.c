// SPDX-License-Identifier: GPL-2.0-only
/* The client library of debuginfod servers, which each session with debuginfod_ms opens and closes. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/log.h"
#include "elf/debug_server.h"

static void open_and_close(void)
{
	const struct log log = { 0 };
	struct tprof_error error = { 0 };
	struct debug_server *server = debug_server_new(1000, &log, &error);

	if (!server)
		fail_msg("%s", error.text);
	debug_server_free(server);
}

/* The library allocates memory that it never frees, so it must not be loaded again for each session. */
static void nothing_is_left(void **state)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW);
	size_t before;

	(void)state;
	if (!library)
		skip();
	dlclose(library);
	setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1/", 1);
	for (int i = 0; i < 3; i++)
		open_and_close();
	before = mallinfo2().uordblks;
	for (int i = 0; i < 20; i++)
		open_and_close();
	assert_true(mallinfo2().uordblks < before + 20 * 1024);
}

static void without_servers(void **state)
{
	const struct log log = { 0 };
	struct tprof_error error = { 0 };

	(void)state;
	unsetenv("DEBUGINFOD_URLS");
	assert_null(debug_server_new(1000, &log, &error));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(error.text, "debuginfod: DEBUGINFOD_URLS is not set");
	assert_true(error.hint[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(without_servers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
