// SPDX-License-Identifier: GPL-2.0-only
/* Stacks by ID: kept for two drains; and IDs without a stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "stack/stacks.h"

static void test_two_drains(void **state)
{
	struct tprof_stack stack = { .nr_frames = 2, .flags = TPROF_STACK_USER, .ip = { 0x10, 0x20 } };
	struct stacks *stacks = stacks_new();

	(void)state;
	assert_null(stacks_find(stacks, 77));
	assert_int_equal(stacks_add(stacks, 77, &stack, sizeof(stack)), 0);
	assert_int_equal(stacks_find(stacks, 77)->nr_frames, 2);
	assert_int_equal(stacks_find(stacks, 77)->ip[1], 0x20);
	assert_int_equal(stacks_find(stacks, 77)->flags, TPROF_STACK_USER);
	/* A stack is referenced at the latest in the next generation. */
	stacks_age(stacks);
	assert_non_null(stacks_find(stacks, 77));
	stacks_age(stacks);
	assert_null(stacks_find(stacks, 77));
	stacks_free(stacks);
}

static void test_seen_again(void **state)
{
	struct tprof_stack stack = { .nr_frames = 1, .ip = { 0x10 } };
	struct stacks *stacks = stacks_new();

	(void)state;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(stacks_add(stacks, 77, &stack, sizeof(stack)), 0);
		stacks_age(stacks);
		assert_non_null(stacks_find(stacks, 77));
	}
	stacks_free(stacks);
	stacks_free(NULL);
}

/* The number of frames comes from an untrusted filter. */
static void test_too_many_frames(void **state)
{
	struct tprof_stack stack = { .nr_frames = UINT32_MAX };
	struct stacks *stacks = stacks_new();

	(void)state;
	memset(stack.ip, 0x11, sizeof(stack.ip));
	assert_int_equal(stacks_add(stacks, 77, &stack, sizeof(stack)), 0);
	assert_int_equal(stacks_find(stacks, 77)->nr_frames, TPROF_STACK_FRAMES);
	stacks_free(stacks);
}

static void test_as_deep_as_can_be(void **state)
{
	struct tprof_deep_stack stack = { .nr_frames = TPROF_STACK_MAX_FRAMES };
	struct stacks *stacks = stacks_new();

	(void)state;
	memset(stack.ip, 0x11, sizeof(stack.ip));
	stack.ip[511] = TPROF_FRAME_CUT;
	assert_int_equal(stacks_add(stacks, 77, &stack, sizeof(stack)), 0);
	assert_int_equal(stacks_find(stacks, 77)->nr_frames, TPROF_STACK_MAX_FRAMES);
	assert_non_null(stacks_frame_mark(stacks_find(stacks, 77), 511));
	assert_null(stacks_frame_mark(stacks_find(stacks, 77), 512));
	stacks_free(stacks);
}

/* The zero at the root of a stack is not a caller. */
static void test_ends_with_zero(void **state)
{
	struct tprof_stack stack = { .nr_frames = 4, .ip = { 0x10, 0x20, 0, 0x30 } };
	struct stacks *stacks = stacks_new();

	(void)state;
	assert_int_equal(stacks_add(stacks, 77, &stack, sizeof(stack)), 0);
	assert_int_equal(stacks_find(stacks, 77)->nr_frames, 2);
	stacks_free(stacks);
}

/* A waker has words instead of frames, which may be 0; one of other length is not used. */
static void test_waker(void **state)
{
	struct tprof_stack words = {
		.nr_frames = TPROF_WAKER_WORDS, .flags = TPROF_STACK_WAKER,
		.ip = { [TPROF_WAKER_USER] = 0x77, [TPROF_WAKER_PROCESS] = 5 | 6ULL << 32 },
	};
	struct stacks *stacks = stacks_new();
	struct kept_waker waker;

	(void)state;
	memcpy(&words.ip[TPROF_WAKER_COMM], "0123456789abcde", 16);
	assert_int_equal(stacks_add(stacks, 77, &words, sizeof(words)), 0);
	assert_true(stacks_find_waker(stacks, 77, &waker));
	assert_int_equal(waker.kernel, 0);
	assert_int_equal(waker.user, 0x77);
	assert_int_equal(waker.tgid, 5);
	assert_int_equal(waker.exec, 6);
	assert_string_equal(waker.comm, "0123456789abcde");
	assert_false(stacks_find_waker(stacks, 78, &waker));
	assert_int_equal(stacks_add(stacks, 78, &words, offsetof(struct tprof_stack, ip[TPROF_WAKER_COMM])), 0);
	assert_false(stacks_find_waker(stacks, 78, &waker));
	words.flags = TPROF_STACK_USER;
	assert_int_equal(stacks_add(stacks, 79, &words, sizeof(words)), 0);
	assert_false(stacks_find_waker(stacks, 79, &waker));
	stacks_free(stacks);
}

/* As many as are to be kept stay, whatever their age. */
static void test_keeps(void **state)
{
	const struct tprof_stack stack = { .nr_frames = 1, .flags = TPROF_STACK_USER, .ip = { 0x10 } };
	struct stacks *stacks = stacks_new();

	(void)state;
	stacks_keep(stacks, 2);
	assert_int_equal(stacks_add(stacks, 77, &stack, sizeof(stack)), 0);
	for (int i = 0; i < 5; i++)
		stacks_age(stacks);
	assert_int_equal(stacks_add(stacks, 78, &stack, sizeof(stack)), 0);
	stacks_age(stacks);
	assert_non_null(stacks_find(stacks, 77));
	assert_int_equal(stacks_add(stacks, 79, &stack, sizeof(stack)), 0);
	stacks_age(stacks);
	assert_null(stacks_find(stacks, 77));
	assert_non_null(stacks_find(stacks, 79));
	stacks_free(stacks);
}

static void test_marks_for_frames(void **state)
{
	const struct tprof_stack stack = {
		.nr_frames = 3, .flags = TPROF_STACK_USER, .ip = { 0x10, TPROF_FRAME_CUT, STACKS_BROKEN },
	};
	struct stacks *stacks = stacks_new();
	const struct kept_stack *kept;

	(void)state;
	assert_int_equal(stacks_add(stacks, 77, &stack, sizeof(stack)), 0);
	kept = stacks_find(stacks, 77);
	assert_null(stacks_frame_mark(kept, 0));
	assert_string_equal(stacks_frame_mark(kept, 1), "[stack cut off]");
	assert_string_equal(stacks_frame_mark(kept, 2), "[cannot unwind]");
	stacks_free(stacks);
}

static void test_both_ends(void **state)
{
	const __u64 shorter[] = { 1, 2, 3, TPROF_FRAME_CUT, 7, 8, 9 };
	__u64 ip[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };

	(void)state;
	assert_int_equal(stacks_shorten(ip, 9, 9), 9);
	assert_int_equal(ip[4], 5);
	assert_int_equal(stacks_shorten(ip, 9, 7), 7);
	assert_memory_equal(ip, shorter, sizeof(shorter));
	assert_int_equal(stacks_shorten(ip, 7, 4), 4);
	assert_int_equal(ip[2], TPROF_FRAME_CUT);
	assert_int_equal(ip[3], 9);
}

static void test_marks(void **state)
{
	const uint64_t full = TPROF_STACK_ID_FULL(TPROF_STACK_KERNEL), unread = TPROF_STACK_ID_UNREAD(TPROF_STACK_USER);

	(void)state;
	assert_string_equal(stacks_mark(0), "[no stack]");
	assert_string_equal(stacks_mark(full), "[stack table full]");
	assert_string_equal(stacks_mark(TPROF_STACK_ID_FULL(TPROF_STACK_USER)), "[stack table full]");
	assert_string_equal(stacks_mark(unread), "[stack not read]");
	assert_string_equal(stacks_mark(0x123456789), "[stack not known]");
	assert_string_equal(stacks_mark(TPROF_STACK_ID_UNREAD(TPROF_STACK_WAKER)), "[waker not known]");
	assert_true(TPROF_STACK_ID_UNREAD(TPROF_STACK_WAKER) < TPROF_STACK_ID_MIN);
	assert_true(full < TPROF_STACK_ID_MIN && unread < TPROF_STACK_ID_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_drains),
		cmocka_unit_test(test_seen_again),
		cmocka_unit_test(test_too_many_frames),
		cmocka_unit_test(test_as_deep_as_can_be),
		cmocka_unit_test(test_ends_with_zero),
		cmocka_unit_test(test_waker),
		cmocka_unit_test(test_keeps),
		cmocka_unit_test(test_marks_for_frames),
		cmocka_unit_test(test_both_ends),
		cmocka_unit_test(test_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
