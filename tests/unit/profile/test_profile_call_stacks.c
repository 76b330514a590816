// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks of profiles: equal ones are merged, frames are stored once, nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/profile.h"

#define USER(name, at) { .symbol = name, .object = "app", .path = "/bin/app", .build_id = "ab", .address = at, \
			 .mode = TPROF_MODE_USER }

static const struct tprof_frame leaf = USER("leaf", 0x100), other_leaf = USER("leaf", 0x104),
	middle = USER("middle", 0x200), root = USER("main", 0x300);

static void add(struct tprof_profile *profile, pid_t pid, uint64_t samples, const struct tprof_frame *const *frames,
		size_t nr)
{
	const struct tprof_call_stack call_stack = {
		.frames = frames, .nr_frames = nr, .comm = "app", .cgroup = "/a", .pid = pid, .samples = samples,
		.weight = samples * 10,
	};

	assert_int_equal(profile_add_call_stack(profile, &call_stack), 0);
}

#define ADD(profile, pid, samples, ...) do {					\
	const struct tprof_frame *const frames[] = { __VA_ARGS__ };		\
										\
	add(profile, pid, samples, frames, sizeof(frames) / sizeof(*frames));	\
} while (0)

static struct tprof_profile *new_profile(void)
{
	const struct tprof_info info = { .sz = sizeof(info), .engine = "perf", .event = "cpu-clock", .unit = "ns" };
	struct tprof_profile *profile = profile_new();

	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	return profile;
}

static uint64_t weight_of(const struct tprof_profile *profile)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile); i++)
		weight += tprof_profile__call_stack(profile, i)->weight;
	return weight;
}

static void test_equal_call_stacks_add_up(void **state)
{
	struct tprof_frame copy = leaf;
	char name[] = "leaf";
	struct tprof_profile *profile = new_profile();

	(void)state;
	copy.symbol = name;
	ADD(profile, 7, 1, &leaf, &middle, &root);
	ADD(profile, 7, 2, &copy, &middle, &root);
	name[0] = 'L';
	profile_finish(profile);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 1);
	assert_int_equal(tprof_profile__call_stack(profile, 0)->samples, 3);
	assert_int_equal(tprof_profile__call_stack(profile, 0)->weight, 30);
	assert_string_equal(tprof_profile__call_stack(profile, 0)->frames[0]->symbol, "leaf");
	assert_string_equal(tprof_profile__call_stack(profile, 0)->frames[2]->symbol, "main");
	assert_string_equal(tprof_profile__call_stack(profile, 0)->comm, "app");
	assert_string_equal(tprof_profile__call_stack(profile, 0)->cgroup, "/a");
	assert_null(tprof_profile__call_stack(profile, 1));
	tprof_profile__free(profile);
}

/* A call stack counts once, for any number of frames that were found by the frame pointer. */
static void test_by_frame_pointer(void **state)
{
	const struct tprof_frame found = USER("middle" TPROF_BY_FRAME_POINTER, 0x200),
		root_found = USER("main" TPROF_BY_FRAME_POINTER, 0x300), alike = USER("middle (frame pointers)", 0x210);
	struct tprof_profile *profile = new_profile();
	struct tprof_tally tally = tprof_profile__by_frame_pointer(profile);

	(void)state;
	assert_int_equal(tally.samples, 0);
	ADD(profile, 7, 1, &leaf, &middle, &root);
	ADD(profile, 7, 2, &leaf, &alike, &root);
	tally = tprof_profile__by_frame_pointer(profile);
	assert_int_equal(tally.samples, 0);
	ADD(profile, 7, 4, &leaf, &found, &root);
	ADD(profile, 7, 8, &leaf, &found, &root_found);
	profile_finish(profile);
	tally = tprof_profile__by_frame_pointer(profile);
	assert_int_equal(tally.samples, 12);
	assert_int_equal(tally.weight, 120);
	tprof_profile__free(profile);
}

/* Call stacks differ by process, by address within a function, by depth, and by order. */
static void test_different_call_stacks_stay_apart(void **state)
{
	struct tprof_profile *profile = new_profile();

	(void)state;
	ADD(profile, 7, 6, &leaf, &middle, &root);
	ADD(profile, 8, 5, &leaf, &middle, &root);
	ADD(profile, 7, 4, &other_leaf, &middle, &root);
	ADD(profile, 7, 3, &leaf, &middle);
	ADD(profile, 7, 2, &middle, &leaf, &root);
	ADD(profile, 7, 1, &leaf, &middle, &middle, &root);
	profile_finish(profile);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 6);
	assert_int_equal(weight_of(profile), 210);
	/* The heaviest first. */
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(tprof_profile__call_stack(profile, i)->samples, 6 - i);
	tprof_profile__free(profile);
}

static void test_a_frame_is_kept_once(void **state)
{
	struct tprof_profile *profile = new_profile();
	const struct tprof_call_stack *first, *second;

	(void)state;
	ADD(profile, 7, 2, &leaf, &middle, &root);
	ADD(profile, 8, 1, &middle, &root);
	profile_finish(profile);
	first = tprof_profile__call_stack(profile, 0);
	second = tprof_profile__call_stack(profile, 1);
	assert_ptr_equal(first->frames[1], second->frames[0]);
	assert_ptr_equal(first->frames[2], second->frames[1]);
	tprof_profile__free(profile);
}

/* Equal frames of different processes are stored once: a program that runs repeatedly has a new PID each time. */
static void test_frames_of_equal_call_stacks_are_kept_once(void **state)
{
	struct tprof_profile *profile = new_profile();

	(void)state;
	for (pid_t pid = 1; pid <= 100; pid++)
		ADD(profile, pid, 1, &leaf, &other_leaf);
	ADD(profile, 1, 1, &leaf);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 101);
	assert_int_equal(profile->calls.stacks.nr, 2);
	profile_finish(profile);
	for (size_t i = 0; i < 101; i++) {
		const struct tprof_call_stack *call_stack = tprof_profile__call_stack(profile, i);

		assert_string_equal(call_stack->frames[0]->symbol, "leaf");
		assert_int_equal(call_stack->frames[0]->address, 0x100);
		assert_true(call_stack->nr_frames == 1 || call_stack->frames[1]->address == 0x104);
	}
	tprof_profile__free(profile);
}

static void test_marks(void **state)
{
	const struct tprof_frame mark = { .symbol = "[stack table full]" };
	struct tprof_profile *profile = new_profile();

	(void)state;
	ADD(profile, 7, 1, &mark);
	ADD(profile, 7, 1, &mark, &root);
	ADD(profile, 7, 1, &mark);
	profile_finish(profile);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 2);
	assert_string_equal(tprof_profile__call_stack(profile, 0)->frames[0]->path, "");
	assert_string_equal(tprof_profile__call_stack(profile, 0)->frames[0]->build_id, "");
	assert_int_equal(tprof_profile__call_stack(profile, 0)->frames[0]->mode, TPROF_MODE_UNKNOWN);
	tprof_profile__free(profile);
}

static void test_merging(void **state)
{
	struct tprof_profile *into = new_profile(), *from = new_profile();

	(void)state;
	ADD(into, 7, 1, &leaf, &middle, &root);
	ADD(into, 8, 2, &leaf, &root);
	ADD(from, 7, 10, &leaf, &middle, &root);
	ADD(from, 9, 3, &root);
	profile_finish(into);
	profile_finish(from);
	assert_int_equal(tprof_profile__merge(into, from), 0);
	assert_int_equal(tprof_profile__nr_call_stacks(from), 2);
	assert_int_equal(weight_of(from), 130);
	tprof_profile__free(from);
	assert_int_equal(tprof_profile__nr_call_stacks(into), 3);
	assert_int_equal(weight_of(into), 160);
	assert_int_equal(tprof_profile__call_stack(into, 0)->samples, 11);
	assert_string_equal(tprof_profile__call_stack(into, 1)->frames[0]->path, "/bin/app");
	tprof_profile__free(into);
}

static void test_many(void **state)
{
	struct tprof_profile *profile = new_profile();
	struct tprof_frame frame = root;

	(void)state;
	for (int round = 0; round < 2; round++) {
		for (uint64_t i = 0; i < 10000; i++) {
			frame.address = i % 5000;
			ADD(profile, (pid_t)(i / 5000), 1, &frame, &middle, &root);
		}
	}
	profile_finish(profile);
	assert_int_equal(tprof_profile__nr_call_stacks(profile), 10000);
	assert_int_equal(weight_of(profile), 200000);
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_call_stacks_add_up),
		cmocka_unit_test(test_by_frame_pointer),
		cmocka_unit_test(test_different_call_stacks_stay_apart),
		cmocka_unit_test(test_a_frame_is_kept_once),
		cmocka_unit_test(test_frames_of_equal_call_stacks_are_kept_once),
		cmocka_unit_test(test_marks),
		cmocka_unit_test(test_merging),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
