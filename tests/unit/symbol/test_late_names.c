// SPDX-License-Identifier: GPL-2.0-only
/* Addresses whose names arrive later, and profiles with a placeholder until then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"
#include "symbol/late_names.h"

#define TGID 1234

static const struct perfmaps_moment moment;

static void name_one(void *ctx, struct late_name *name)
{
	++*(int *)ctx;
	if (name->ip == 0x1000)
		name->name = "came";
	else
		name->is_over = true;
}

static void test_texts(void **state)
{
	const struct perfmaps_moment other_life = { .life = 1 };
	struct late_names names = { 0 };
	const char *text, *other;
	int nr = 0;

	(void)state;
	text = late_names_add(&names, TGID, 0x1000, &moment, "[jit]");
	assert_ptr_equal(late_names_add(&names, TGID, 0x1000, &moment, "[jit]"), text);
	other = late_names_add(&names, TGID + 1, 0x1000, &moment, "[jit]");
	assert_string_not_equal(text, other);
	assert_int_equal(late_names_find(&names, text)->tgid, TGID);
	assert_int_equal(late_names_find(&names, other)->tgid, TGID + 1);
	assert_non_null(late_names_add(&names, TGID, 0x2000, &moment, "[jit]"));
	assert_null(late_names_add(&names, TGID, 0x2000, &other_life, "[jit]"));
	assert_null(late_names_find(&names, "[jit 1234+0x1000 #77]"));
	assert_null(late_names_find(&names, "[jit 1234+0x1000"));
	assert_null(late_names_find(&names, "main"));
	late_names_ask(&names, name_one, &nr);
	assert_int_equal(nr, 3);
	/* Each address is queried until it has a name. */
	late_names_ask(&names, name_one, &nr);
	assert_int_equal(nr, 3);
	/* A new sample at this address would already have the name. */
	assert_null(late_names_add(&names, TGID, 0x1000, &moment, "[jit]"));
	late_names_forget(&names);
}

/* A process that always runs code at new addresses. */
static void test_too_many(void **state)
{
	struct late_names names = { 0 };

	(void)state;
	for (uint64_t ip = 0; ip < LATE_NAMES_MAX; ip++)
		assert_non_null(late_names_add(&names, TGID, ip, &moment, "[jit]"));
	assert_null(late_names_add(&names, TGID, LATE_NAMES_MAX, &moment, "[jit]"));
	assert_non_null(late_names_add(&names, TGID, 0, &moment, "[jit]"));
	late_names_forget(&names);
}

static void rename_one(void *ctx, const char **symbol, const char **object, uint64_t *address)
{
	(void)ctx;
	if (**symbol != '[')
		return;
	*symbol = *object = strchr(*symbol, '1') ? "came" : "[jit]";
	if (**symbol == '[')
		*address = 0;
}

static void add(struct tprof_profile *profile, const char *symbol, uint64_t address, uint64_t samples)
{
	const struct tprof_frame leaf = { .symbol = symbol, .object = "[jit]", .path = "", .build_id = "", .file = "",
					  .address = address, .mode = TPROF_MODE_USER };
	const struct tprof_frame root = { .symbol = "main", .object = "a", .path = "", .build_id = "", .file = "",
					  .mode = TPROF_MODE_USER };
	const struct tprof_frame *frames[] = { &leaf, &root };
	const struct tprof_call_stack stack = { .frames = frames, .nr_frames = 2, .comm = "a", .cgroup = "",
						.pid = TGID, .samples = samples, .weight = samples };
	struct tprof_entry entry = { .comm = "a", .pid = TGID, .cpu = -1, .samples = samples, .weight = samples };

	profile_set_place(&entry, &leaf);
	assert_int_equal(profile_add(profile, &entry), 0);
	assert_int_equal(profile_add_call_stack(profile, &stack), 0);
}

/* Rows that become equal are merged, with their sums. */
static void test_rename(void **state)
{
	const struct profile_renaming by = { rename_one, NULL };
	struct tprof_profile *profile = profile_new();
	const struct tprof_entry *entry;

	(void)state;
	add(profile, "[1]", 0x1000, 1);
	add(profile, "[1 too]", 0x1000, 2);
	add(profile, "[2]", 0x2000, 40);
	add(profile, "[3]", 0x3000, 80);
	add(profile, "[jit]", 0, 160);
	add(profile, "named", 0x4000, 1000);
	assert_int_equal(profile_rename(profile, &by), 0);
	profile_finish(profile);
	assert_int_equal(tprof_profile__nr_entries(profile), 3);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 3);
	for (size_t i = 0; i < 3; i++) {
		static const struct { const char *symbol; uint64_t samples; } wanted[] = {
			{ "named", 1000 }, { "[jit]", 280 }, { "came", 3 },
		};
		const struct tprof_call_stack *stack = tprof_profile__call_stack(profile, i);

		entry = tprof_profile__entry(profile, i);
		assert_string_equal(entry->symbol, wanted[i].symbol);
		assert_int_equal(entry->samples, wanted[i].samples);
		assert_string_equal(stack->frames[0]->symbol, wanted[i].symbol);
		assert_string_equal(stack->frames[1]->symbol, "main");
		assert_int_equal(stack->samples, wanted[i].samples);
	}
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_rename),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
