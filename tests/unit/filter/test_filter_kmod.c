// SPDX-License-Identifier: GPL-2.0-only
/* The flags of shipped filters for the module: which stacks the filter walks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "filter/filter.h"
#include "host/kmod_device.h"

static uint32_t flags_of(const char *name)
{
	const char *build = getenv("TPROF_BUILD");
	struct tprof_error error = { 0 };
	struct tprof_filter *filter;
	char path[512];
	uint32_t flags;

	snprintf(path, sizeof(path), "%s/filters/%s.bpf.o", build ? build : "build", name);
	filter = tprof_filter__open(path, &error);
	if (!filter)
		fail_msg("%s: %s", path, error.text);
	assert_int_equal(filter_use_kmod(filter, false, &error), 0);
	flags = filter_kmod_flags(filter);
	tprof_filter__free(filter);
	return flags;
}

static void those_that_it_walks(void **state)
{
	(void)state;
	assert_int_equal(flags_of("top"), 0);
	assert_int_equal(flags_of("pass"), 0);
	assert_int_equal(flags_of("ustacks"), TPROF_FILTER_USER_STACK);
	assert_int_equal(flags_of("kstacks"), TPROF_FILTER_KERNEL_STACK);
	assert_int_equal(flags_of("stacks"), TPROF_FILTER_KERNEL_STACK | TPROF_FILTER_USER_STACK);
	assert_int_equal(flags_of("owners"), TPROF_FILTER_OWNER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_it_walks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
