// SPDX-License-Identifier: GPL-2.0-only
/* Lists of events are split at commas, but not at those of the terms of a PMU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../cli/sample/event_list.c"

static void begins_with(const char *list, const char *name)
{
	assert_int_equal(event_list_length(list), strlen(name));
	assert_memory_equal(list, name, strlen(name));
}

static void names(void **state)
{
	(void)state;
	begins_with("cycles", "cycles");
	begins_with("cycles,page-faults", "cycles");
	begins_with("", "");
	begins_with(",cycles", "");
	begins_with("sched:sched_switch,cycles", "sched:sched_switch");
	begins_with("kprobe:vfs_read,kretprobe:vfs_read", "kprobe:vfs_read");
}

static void terms(void **state)
{
	(void)state;
	begins_with("cpu/event=0x3c,umask=1/,cycles", "cpu/event=0x3c,umask=1/");
	begins_with("cpu/event=0x3c,umask=1/u,cycles", "cpu/event=0x3c,umask=1/u");
	begins_with("cpu/event=0x3c,umask=1", "cpu/event=0x3c");
	begins_with("cpu/cycles/", "cpu/cycles/");
	begins_with("cycles,cpu/event=1,umask=1/", "cycles");
}

/* Slashes of a path do not enclose terms. */
static void paths(void **state)
{
	(void)state;
	begins_with("uprobe:/bin/sh:main,cycles", "uprobe:/bin/sh:main");
	begins_with("uprobe:/sh:main,uprobe:/sh:exit", "uprobe:/sh:main");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(terms),
		cmocka_unit_test(paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
