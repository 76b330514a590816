// SPDX-License-Identifier: GPL-2.0-only
/*
 * The frames that are kept of a stack walk (kmod/frames.h): all, both ends, or the leaf's end; and what a walk costs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../kmod/frames.h"

#define CUT TPROF_FRAME_CUT
#define UNTOUCHED 77

/* Records of the frames are that far apart; in one place: frames that are not from records. */
#define IN_ONE_PLACE 0
#define ON_PAGES TPROF_WALK_PAGE

static unsigned int nr_added;

/* Walks a stack with the frames 1 (leaf) to @depth (root) into a buffer of @capacity frames. */
static __u32 walk(__u64 *ip, __u32 capacity, __u32 depth, __u64 apart)
{
	struct tprof_frames frames = { .ip = ip, .capacity = capacity };

	ip[capacity] = UNTOUCHED;
	nr_added = 0;
	do {
		for (__u32 i = 1; i <= depth; i++) {
			nr_added++;
			if (!frames_add(&frames, i, apart ? TPROF_WALK_PAGE + i * apart : 0))
				break;
		}
	} while (frames_again(&frames));
	capacity = frames_end(&frames);
	assert_int_equal(ip[frames.capacity], UNTOUCHED);
	return capacity;
}

#define EXPECT_APART(apart, capacity, depth, ...)						\
	do {										\
		const __u64 expected[] = { __VA_ARGS__ };				\
		__u64 got[64];								\
											\
		assert_int_equal(walk(got, capacity, depth, apart), sizeof(expected) / 8);	\
		assert_memory_equal(got, expected, sizeof(expected));			\
	} while (0)
#define EXPECT(capacity, depth, ...) EXPECT_APART(IN_ONE_PLACE, capacity, depth, __VA_ARGS__)

static void what_fits_is_there(void **state)
{
	__u64 ip[64];

	(void)state;
	assert_int_equal(walk(ip, 8, 0, ON_PAGES), 0);
	EXPECT(8, 1, 1);
	EXPECT(8, 7, 1, 2, 3, 4, 5, 6, 7);
	EXPECT(8, 8, 1, 2, 3, 4, 5, 6, 7, 8);
}

static void of_what_is_deeper_both_ends_are(void **state)
{
	(void)state;
	EXPECT(8, 9, 1, 2, 3, 4, CUT, 7, 8, 9);
	EXPECT(8, 10, 1, 2, 3, 4, CUT, 8, 9, 10);
	EXPECT(8, 11, 1, 2, 3, 4, CUT, 9, 10, 11);
	EXPECT(7, 9, 1, 2, 3, CUT, 7, 8, 9);
	EXPECT(7, 20, 1, 2, 3, CUT, 18, 19, 20);
	EXPECT(4, 5, 1, 2, CUT, 5);
	EXPECT(5, 6, 1, 2, CUT, 5, 6);
}

static void small_capacities_keep_the_leaf(void **state)
{
	__u64 ip[64];

	(void)state;
	assert_int_equal(walk(ip, 0, 5, ON_PAGES), 0);
	EXPECT(1, 5, 1);
	EXPECT(2, 5, 1, 2);
	EXPECT(3, 5, 1, 2, 3);
	EXPECT(3, 5000, 1, 2, 3);
}

static void the_root_is_kept_while_it_is_near(void **state)
{
	(void)state;
	EXPECT(6, 24, 1, 2, 3, CUT, 23, 24);
	EXPECT(6, 25, 1, 2, 3, 4, 5, CUT);
	EXPECT(6, 1 << 20, 1, 2, 3, 4, 5, CUT);
	EXPECT(4, 17, 1, 2, 3, CUT);
}

static void a_page_costs_as_much_as_several_frames(void **state)
{
	(void)state;
	EXPECT_APART(16, 6, 12, 1, 2, 3, CUT, 11, 12);
	EXPECT_APART(ON_PAGES, 6, 6, 1, 2, 3, 4, 5, 6);
	EXPECT_APART(ON_PAGES, 6, 7, 1, 2, 3, 4, 5, CUT);
	EXPECT_APART(ON_PAGES / 2, 6, 9, 1, 2, 3, CUT, 8, 9);
	EXPECT_APART(ON_PAGES / 2, 6, 10, 1, 2, 3, 4, 5, CUT);
}

/* A walk is no longer for a deeper stack, and no page is read that is not for a frame that is kept, but one. */
static void no_depth_costs_more_than_the_capacity(void **state)
{
	__u64 ip[128];

	(void)state;
	for (__u32 capacity = TPROF_FRAMES_ENDS_MIN; capacity < 128; capacity++) {
		walk(ip, capacity, 1 << 20, IN_ONE_PLACE);
		assert_true(nr_added <= TPROF_WALK_LIMIT(capacity) + 1 + capacity);
		walk(ip, capacity, 1 << 20, ON_PAGES);
		assert_int_equal(nr_added, capacity + 1);
	}
}

/* Other threads may write to the stack between the two walks. */
static void the_second_walk_may_be_shorter(void **state)
{
	__u64 ip[6];
	struct tprof_frames frames = { .ip = ip, .capacity = 6 };

	(void)state;
	for (__u32 i = 1; frames_add(&frames, i, 0); i++)
		;
	assert_true(frames_again(&frames));
	frames_add(&frames, 1, 0);
	frames_add(&frames, 2, 0);
	assert_false(frames_again(&frames));
	assert_int_equal(frames_end(&frames), 3);
	assert_int_equal(ip[1], 2);
	assert_int_equal(ip[2], CUT);
}

/* Frames may be written without frames_add() as far as there is space; the result is the same. */
static void frames_in_the_space_are_as_if_added(void **state)
{
	(void)state;
	for (__u32 depth = 0; depth < 40; depth++) {
		__u64 got[16], expected[16];
		struct tprof_frames frames = { .ip = got, .capacity = 7 };
		__u32 nr = walk(expected, 7, depth, IN_ONE_PLACE), i;

		do {
			for (i = 1; i <= depth && frames_space(&frames); i++)
				got[frames.nr++] = i;
			assert_true(i > depth || frames.nr == frames.capacity - frames.leaf_only);
			while (i <= depth && frames_add(&frames, i, 0))
				i++;
		} while (frames_again(&frames));
		assert_int_equal(frames_end(&frames), nr);
		assert_memory_equal(got, expected, nr * sizeof(got[0]));
	}
}

static void every_depth_in_every_capacity(void **state)
{
	(void)state;
	for (__u32 capacity = TPROF_FRAMES_ENDS_MIN; capacity < 40; capacity++)
		for (__u32 depth = capacity + 1; depth < 200; depth++) {
			__u32 whole = depth <= TPROF_WALK_LIMIT(capacity), mark = whole ? capacity / 2 : capacity - 1;
			__u64 ip[64];

			assert_int_equal(walk(ip, capacity, depth, IN_ONE_PLACE), capacity);
			for (__u32 i = 0; i < capacity; i++) {
				__u64 expected = i < mark ? i + 1 : depth - capacity + i + 1;

				assert_int_equal(ip[i], i == mark ? CUT : expected);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_there),
		cmocka_unit_test(of_what_is_deeper_both_ends_are),
		cmocka_unit_test(small_capacities_keep_the_leaf),
		cmocka_unit_test(the_root_is_kept_while_it_is_near),
		cmocka_unit_test(a_page_costs_as_much_as_several_frames),
		cmocka_unit_test(no_depth_costs_more_than_the_capacity),
		cmocka_unit_test(the_second_walk_may_be_shorter),
		cmocka_unit_test(frames_in_the_space_are_as_if_added),
		cmocka_unit_test(every_depth_in_every_capacity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
