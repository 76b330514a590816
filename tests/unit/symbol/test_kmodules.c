// SPDX-License-Identifier: GPL-2.0-only
/* Modules that were loaded or unloaded between two reads of /proc/modules; and the list of this kernel. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "symbol/kmodules.h"

#define MAX_MODULES 4

static const char earlier[] =
	"snd 8192 0 - Live 0xffffffffc0300000 (OE)\n"
	"ext4 8192 2 jbd2,mbcache, Live 0xffffffffc0200000\n"
	"nonsense\n"
	"jbd2 4096 1 ext4, Live 0xffffffffc0100000\n";

static const uint64_t earlier_loads[MAX_MODULES] = { 30, 20, 10 };

static const struct {
	const char *list;
	uint64_t loads[MAX_MODULES];
	bool are_same;
	enum kmodules_change change;
} looks[] = {
	/* Changes of reference counts and states do not matter. */
	{ "snd 8192 7 - Live 0xffffffffc0300000 (OE)\next4 8192 0 - Unloading 0xffffffffc0200000\n"
	  "jbd2 4096 0 - Live 0xffffffffc0100000\n", { 30, 20, 10 }, true, KMODULES_SAME },
	/* Another name at the same address */
	{ "sound 8192 0 - Live 0xffffffffc0300000\next4 8192 2 - Live 0xffffffffc0200000\n"
	  "jbd2 4096 1 - Live 0xffffffffc0100000\n", { 31, 20, 10 }, false, KMODULES_WENT },
	{ "snd 8192 0 - Live 0xffffffffc0300000\nfat 8192 2 - Live 0xffffffffc0200000\n"
	  "jbd2 4096 1 - Live 0xffffffffc0100000\n", { 30, 20, 10 }, false, KMODULES_WENT },
	/* Reloaded modules: the first one stays first, another becomes first, several may keep their order. */
	{ "snd 8192 0 - Live 0xffffffffc0300000\next4 8192 2 - Live 0xffffffffc0200000\n"
	  "jbd2 4096 1 - Live 0xffffffffc0100000\n", { 31, 20, 10 }, false, KMODULES_WENT },
	{ "ext4 8192 2 - Live 0xffffffffc0200000\nsnd 8192 0 - Live 0xffffffffc0300000\n"
	  "jbd2 4096 1 - Live 0xffffffffc0100000\n", { 31, 30, 10 }, false, KMODULES_WENT },
	{ "snd 8192 0 - Live 0xffffffffc0300000\next4 8192 2 - Live 0xffffffffc0200000\n"
	  "jbd2 4096 1 - Live 0xffffffffc0100000\n", { 32, 31, 10 }, false, KMODULES_WENT },
	/* Loaded, unloaded, both */
	{ "fat 4096 0 - Live 0xffffffffc0400000\nsnd 8192 0 - Live 0xffffffffc0300000\n"
	  "ext4 8192 2 - Live 0xffffffffc0200000\njbd2 4096 1 - Live 0xffffffffc0100000\n", { 31, 30, 20, 10 }, false,
	  KMODULES_CAME },
	{ "snd 8192 0 - Live 0xffffffffc0300000\njbd2 4096 1 - Live 0xffffffffc0100000\n", { 30, 10 }, false,
	  KMODULES_WENT },
	{ "fat 4096 0 - Live 0xffffffffc0400000\nsnd 8192 0 - Live 0xffffffffc0300000\n"
	  "jbd2 4096 1 - Live 0xffffffffc0100000\n", { 31, 30, 10 }, false, KMODULES_WENT },
	{ "", { 0 }, false, KMODULES_WENT },
};

static void test_looks(void **state)
{
	struct kmodules modules = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		assert_int_equal(kmodules_parse(&modules.earlier, earlier, earlier_loads), 0);
		assert_int_equal(modules.earlier.nr, 3);
		assert_int_equal(kmodules_parse(&modules.later, looks[i].list, looks[i].loads), 0);
		if (kmodules_are_same(&modules) != looks[i].are_same || kmodules_compare(&modules) != looks[i].change)
			fail_msg("look %zu: %s", i, looks[i].list);
	}
	kmodules_fini(&modules);
}

/* Only addresses that belonged to an unloaded module and now belong to a new one are ambiguous. */
static void test_replaced(void **state)
{
	static const uint64_t loads[] = { 32, 31, 30, 10 };
	struct kmodules modules = { 0 };

	(void)state;
	assert_int_equal(kmodules_parse(&modules.earlier, earlier, earlier_loads), 0);
	assert_false(kmodules_replaced(&modules, "[ext4]", 0xffffffffc0200000));
	assert_int_equal(kmodules_parse(&modules.later, "fat 8192 0 - Live 0xffffffffc0201000\n"
					"xfs 8192 0 - Live 0xffffffffc0301000\nsnd 8192 0 - Live 0xffffffffc0300000\n"
					"jbd2 4096 0 - Live 0xffffffffc0100000\n", loads), 0);
	assert_int_equal(kmodules_compare(&modules), KMODULES_WENT);
	assert_false(kmodules_replaced(&modules, "[ext4]", 0xffffffffc0200fff));
	assert_true(kmodules_replaced(&modules, "[ext4]", 0xffffffffc0201000));
	assert_false(kmodules_replaced(&modules, "[snd]", 0xffffffffc0301000));
	assert_false(kmodules_replaced(&modules, "[jbd2]", 0xffffffffc0100000));
	assert_false(kmodules_replaced(&modules, "[kernel]", 0xffffffffc0201000));
	assert_true(kmodules_changed_at(&modules, 0xffffffffc0200000));
	assert_true(kmodules_changed_at(&modules, 0xffffffffc0201000));
	assert_false(kmodules_changed_at(&modules, 0xffffffffc0100000));
	kmodules_fini(&modules);
}

/* Modules may change on a busy machine, but not between all reads. */
static void test_this_kernel(void **state)
{
	enum kmodules_change change = KMODULES_WENT;
	struct kmodules modules = { 0 };

	(void)state;
	for (int i = 0; i < 100 && change != KMODULES_SAME; i++) {
		assert_int_equal(kmodules_read(&modules), 0);
		change = kmodules_look(&modules);
	}
	assert_int_equal(change, KMODULES_SAME);
	kmodules_fini(&modules);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_this_kernel),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
