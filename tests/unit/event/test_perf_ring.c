// SPDX-License-Identifier: GPL-2.0-only
/* Reads records from a ring that this test fills like the kernel. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "event/perf_ring.h"

#define SIZE 256

static struct perf_event_mmap_page page;
static uint8_t data[SIZE] __attribute__((aligned(8)));
static uint8_t scratch[PERF_RECORD_SIZE_MAX] __attribute__((aligned(8)));

/* Writes a record whose bytes after the header are all @fill. Returns false if it does not fit. */
static bool put(uint16_t size, uint8_t fill)
{
	struct perf_event_header header = { .type = fill, .size = size };
	uint8_t record[SIZE];

	if (page.data_head + size - page.data_tail > SIZE)
		return false;
	memset(record, fill, size);
	memcpy(record, &header, sizeof(header));
	for (uint16_t i = 0; i < size; i++)
		data[(page.data_head + i) % SIZE] = record[i];
	page.data_head += size;
	return true;
}

static void check(const struct perf_event_header *header, uint16_t size, uint8_t fill)
{
	assert_non_null(header);
	assert_int_equal(header->type, fill);
	assert_int_equal(header->size, size);
	for (uint16_t i = sizeof(*header); i < size; i++)
		assert_int_equal(((const uint8_t *)header)[i], fill);
}

static struct perf_ring ring_at(uint64_t place)
{
	struct perf_ring ring;

	memset(data, 0xee, sizeof(data));
	page.data_head = page.data_tail = place;
	perf_ring_init(&ring, &page, data, SIZE);
	return ring;
}

/* The maximum fill level includes records that arrive during a read, because space is released at its end. */
static void test_used(void **state)
{
	struct perf_ring ring = ring_at(SIZE - 64);

	(void)state;
	assert_true(put(64, 1));
	assert_true(put(64, 2));
	perf_ring_begin(&ring);
	check(perf_ring_peek(&ring, scratch), 64, 1);
	perf_ring_pop(&ring);
	assert_true(put(64, 3));
	perf_ring_end(&ring);
	assert_int_equal(ring.used, 192);
	perf_ring_begin(&ring);
	perf_ring_end(&ring);
	assert_int_equal(ring.used, 128);
}

static void test_empty(void **state)
{
	struct perf_ring ring = ring_at(0);

	(void)state;
	perf_ring_begin(&ring);
	assert_null(perf_ring_peek(&ring, scratch));
	perf_ring_end(&ring);
	assert_int_equal(page.data_tail, 0);
	assert_false(ring.corrupt);
}

/* Records at every position of the ring, and overflow of the position itself, many times. */
static void test_wrap_around(void **state)
{
	struct perf_ring ring = ring_at(UINT64_MAX - 8 * SIZE + 1);
	uint8_t next_put = 0, next_get = 0;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		while (put((uint16_t)(8 + 8 * (next_put % 13)), next_put))
			next_put++;
		perf_ring_begin(&ring);
		while (next_get != next_put) {
			check(perf_ring_peek(&ring, scratch), (uint16_t)(8 + 8 * (next_get % 13)), next_get);
			perf_ring_pop(&ring);
			next_get++;
		}
		assert_null(perf_ring_peek(&ring, scratch));
		perf_ring_end(&ring);
		assert_true(page.data_tail == page.data_head);
		assert_false(ring.corrupt);
	}
}

static void test_what_is_left_comes_again(void **state)
{
	struct perf_ring ring = ring_at(SIZE - 16);

	(void)state;
	put(32, 1);
	put(24, 2);
	perf_ring_begin(&ring);
	check(perf_ring_peek(&ring, scratch), 32, 1);
	check(perf_ring_peek(&ring, scratch), 32, 1);
	perf_ring_pop(&ring);
	check(perf_ring_peek(&ring, scratch), 24, 2);
	perf_ring_end(&ring);
	assert_int_equal(page.data_tail, SIZE + 16);
	put(16, 3);
	perf_ring_begin(&ring);
	check(perf_ring_peek(&ring, scratch), 24, 2);
	perf_ring_pop(&ring);
	check(perf_ring_peek(&ring, scratch), 16, 3);
	perf_ring_end(&ring);
}

static void test_written_after_begin(void **state)
{
	struct perf_ring ring = ring_at(0);

	(void)state;
	perf_ring_begin(&ring);
	put(16, 1);
	assert_null(perf_ring_peek(&ring, scratch));
	perf_ring_end(&ring);
	assert_int_equal(page.data_tail, 0);
}

static void test_corrupt(void **state)
{
	static const uint16_t sizes[] = { 0, 7, 9, 12, 40, 65535 };
	struct perf_event_header *header = (struct perf_event_header *)data;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct perf_ring ring = ring_at(0);

		put(32, 1);
		header->size = sizes[i];
		perf_ring_begin(&ring);
		assert_null(perf_ring_peek(&ring, scratch));
		assert_true(ring.corrupt);
		perf_ring_end(&ring);
		assert_int_equal(page.data_tail, 32);
	}
}

static void test_corrupt_head(void **state)
{
	struct perf_ring ring = ring_at(0);

	(void)state;
	page.data_head = SIZE + 8;
	perf_ring_begin(&ring);
	assert_null(perf_ring_peek(&ring, scratch));
	assert_true(ring.corrupt);
	page.data_head = 4;
	perf_ring_begin(&ring);
	assert_null(perf_ring_peek(&ring, scratch));
	assert_true(ring.corrupt);
	ring = ring_at(4);
	put(16, 1);
	perf_ring_begin(&ring);
	assert_null(perf_ring_peek(&ring, scratch));
	assert_true(ring.corrupt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_used),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_wrap_around),
		cmocka_unit_test(test_what_is_left_comes_again),
		cmocka_unit_test(test_written_after_begin),
		cmocka_unit_test(test_corrupt),
		cmocka_unit_test(test_corrupt_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
