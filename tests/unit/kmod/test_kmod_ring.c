// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic of the ring of the module (kmod/ring.h), with any tail that a client may write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../../../kmod/ring.h"

#define SIZE 4096U

static void an_empty_ring_has_space_for_all(void **state)
{
	(void)state;
	assert_int_equal(ring_used(0, 0, SIZE), 0);
	assert_true(ring_has_space(0, 0, SIZE, SIZE));
	assert_false(ring_has_space(0, 0, SIZE + 8, SIZE));
	assert_true(ring_has_space(3 * SIZE, 3 * SIZE, SIZE, SIZE));
}

static void a_full_ring_has_none(void **state)
{
	(void)state;
	assert_int_equal(ring_used(SIZE, 0, SIZE), SIZE);
	assert_false(ring_has_space(SIZE, 0, 8, SIZE));
	assert_true(ring_has_space(SIZE, 8, 8, SIZE));
	assert_false(ring_has_space(SIZE, 8, 16, SIZE));
}

static void a_tail_that_makes_no_sense_is_a_full_ring(void **state)
{
	static const uint64_t tails[] = {
		1000 * SIZE + 8, 1000 * SIZE + 1, 999 * SIZE - 8, 0, UINT64_MAX, 1ULL << 63, UINT32_MAX,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		assert_int_equal(ring_used(1000 * SIZE, tails[i], SIZE), SIZE);
		assert_false(ring_has_space(1000 * SIZE, tails[i], 8, SIZE));
	}
}

static void a_record_does_not_wrap(void **state)
{
	(void)state;
	assert_int_equal(ring_skip(0, SIZE, SIZE), 0);
	assert_int_equal(ring_skip(SIZE - 104, 104, SIZE), 0);
	assert_int_equal(ring_skip(SIZE - 96, 104, SIZE), 96);
	assert_int_equal(ring_skip(7 * SIZE - 8, 16, SIZE), 8);
}

static void skipped_bytes_take_space(void **state)
{
	(void)state;
	/* 96 bytes before the end of the ring, 104 after it, and a reader that is 192 or 200 bytes behind. */
	assert_false(ring_has_space(2 * SIZE - 96, SIZE + 96, 104, SIZE));
	assert_true(ring_has_space(2 * SIZE - 96, SIZE + 104, 104, SIZE));
}

/* Beyond 2^64 bytes: a record that fits does not overwrite unread data. */
static void positions_may_overflow(void **state)
{
	uint64_t head = UINT64_MAX - 3 * SIZE + 1, tail = head;
	unsigned char unread[SIZE] = { 0 };
	uint32_t seed = 1;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint32_t length, skip;

		seed = seed * 1664525 + 1013904223;
		length = 8 + (seed >> 16) % 32 * 8;
		skip = ring_skip(head, length, SIZE);
		if (!ring_has_space(head, tail, length, SIZE)) {
			assert_true(head - tail + skip + length > SIZE);
			for (; tail != head; tail += 8)
				unread[tail % SIZE] = 0;
			continue;
		}
		assert_true((head + skip) % SIZE + length <= SIZE);
		for (uint32_t at = 0; at < skip + length; at += 8) {
			assert_int_equal(unread[(head + at) % SIZE], 0);
			unread[(head + at) % SIZE] = 1;
		}
		head += skip + length;
	}
	assert_true(head < UINT64_MAX / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_ring_has_space_for_all),
		cmocka_unit_test(a_full_ring_has_none),
		cmocka_unit_test(a_tail_that_makes_no_sense_is_a_full_ring),
		cmocka_unit_test(a_record_does_not_wrap),
		cmocka_unit_test(skipped_bytes_take_space),
		cmocka_unit_test(positions_may_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
