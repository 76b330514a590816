// SPDX-License-Identifier: GPL-2.0-only
/* The frames that are kept of a stack walk (kmod/frames.h): all, or both ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../kmod/frames.h"

#define CUT TPROF_FRAME_CUT
#define UNTOUCHED 77

/* Walks a stack with the frames 1 (leaf) to @depth (root) into a buffer of @room frames. */
static __u32 walk(__u64 *ip, __u32 room, __u32 depth)
{
	struct tprof_frames frames = { .ip = ip, .room = room };

	ip[room] = UNTOUCHED;
	for (__u32 i = 1; i <= depth && frames_want(&frames); i++)
		frames_add(&frames, i);
	room = frames_end(&frames);
	assert_int_equal(ip[frames.room], UNTOUCHED);
	return room;
}

#define EXPECT(room, depth, ...)							\
	do {										\
		const __u64 expected[] = { __VA_ARGS__ };				\
		__u64 got[64];								\
											\
		assert_int_equal(walk(got, room, depth), sizeof(expected) / 8);		\
		assert_memory_equal(got, expected, sizeof(expected));			\
	} while (0)

static void what_fits_is_there(void **state)
{
	__u64 ip[64];

	(void)state;
	assert_int_equal(walk(ip, 8, 0), 0);
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
	EXPECT(7, 5000, 1, 2, 3, CUT, 4998, 4999, 5000);
	EXPECT(4, 5, 1, 2, CUT, 5);
	EXPECT(5, 6, 1, 2, CUT, 5, 6);
}

static void without_room_for_both_there_is_the_leaf(void **state)
{
	__u64 ip[64];

	(void)state;
	assert_int_equal(walk(ip, 0, 5), 0);
	EXPECT(1, 5, 1);
	EXPECT(2, 5, 1, 2);
	EXPECT(3, 5, 1, 2, 3);
}

static void a_walk_without_end_is_given_up(void **state)
{
	(void)state;
	EXPECT(6, TPROF_WALK_MAX - 1, 1, 2, 3, CUT, TPROF_WALK_MAX - 2, TPROF_WALK_MAX - 1);
	EXPECT(6, 1 << 20, 1, 2, 3, CUT, TPROF_WALK_MAX - 1, CUT);
}

static void every_depth_in_every_room(void **state)
{
	(void)state;
	for (__u32 room = TPROF_FRAMES_ENDS_MIN; room < 40; room++)
		for (__u32 depth = room + 1; depth < 200; depth++) {
			__u64 ip[64];

			assert_int_equal(walk(ip, room, depth), room);
			for (__u32 i = 0; i < room; i++) {
				__u64 expected = i < room / 2 ? i + 1 : depth - room + i + 1;

				assert_int_equal(ip[i], i == room / 2 ? CUT : expected);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_there),
		cmocka_unit_test(of_what_is_deeper_both_ends_are),
		cmocka_unit_test(without_room_for_both_there_is_the_leaf),
		cmocka_unit_test(a_walk_without_end_is_given_up),
		cmocka_unit_test(every_depth_in_every_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
