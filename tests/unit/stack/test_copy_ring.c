// SPDX-License-Identifier: GPL-2.0-only
/* Copies of stacks in a BPF ring buffer: complete, discarded and unfinished ones, and invalid data. */
#include <errno.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stack/copy_ring.h"

#define RING_BYTES 4096
#define DATA 128
#define COPY_BYTES (sizeof(struct tprof_copy) + DATA)
/* Of the second mapping: one record, and more that is not aligned to records. */
#define AGAIN_BYTES (RECORD_BYTES + 16)
#define RECORD_BYTES (8 + (COPY_BYTES + 7) / 8 * 8)

/* Writes like the kernel; the memory is exactly the mapping, so that sanitizers detect reads beyond it. */
struct writer {
	unsigned char *data;
	uint64_t head;
};

static int make(void **state)
{
	struct writer *writer = calloc(1, sizeof(*writer));

	writer->data = calloc(1, RING_BYTES + AGAIN_BYTES);
	*state = writer;
	return 0;
}

static int unmake(void **state)
{
	struct writer *writer = *state;

	free(writer->data);
	free(writer);
	return 0;
}

static struct copy_ring ring_of(const struct writer *writer)
{
	return (struct copy_ring){ .data = writer->data, .size = RING_BYTES, .again = AGAIN_BYTES };
}

/* The first pages of the data are mapped again behind its end, so writes go to both mappings. */
static void write_at(struct writer *writer, uint64_t position, const void *from, size_t bytes)
{
	const unsigned char *bytes_of = from;

	for (size_t i = 0; i < bytes; i++) {
		uint64_t at = (position + i) % RING_BYTES;

		writer->data[at] = bytes_of[i];
		if (at < AGAIN_BYTES)
			writer->data[at + RING_BYTES] = bytes_of[i];
	}
}

static void put_header(struct writer *writer, uint32_t length)
{
	const uint32_t header[2] = { length, 0 };

	write_at(writer, writer->head, header, sizeof(header));
}

static void put(struct writer *writer, uint32_t flags, uint32_t length, const struct tprof_copy *copy)
{
	put_header(writer, length | flags);
	write_at(writer, writer->head + 8, copy, sizeof(*copy));
	writer->head += 8 + (length + 7) / 8 * 8;
}

static struct tprof_copy copy_with(uint64_t id)
{
	return (struct tprof_copy){ .id = id, .start = 8, .end = DATA };
}

/* Reads the next copy and advances; returns its ID, or 0 or -errno without a copy. */
static int64_t next(struct copy_ring *ring, const struct writer *writer)
{
	const struct tprof_copy *copy;
	uint64_t behind;
	int found = copy_ring_peek(ring, writer->head, &copy, &behind);

	if (found <= 0)
		return found;
	ring->tail = behind;
	return (int64_t)copy->id;
}

static void test_in_order(void **state)
{
	struct writer *writer = *state;
	struct copy_ring ring = ring_of(writer);

	assert_int_equal(next(&ring, writer), 0);
	/* Enough records for several wraparounds, with records across the end. */
	for (int64_t id = 1; id < 50; id++) {
		struct tprof_copy first = copy_with((uint64_t)id), second = copy_with((uint64_t)id + 1000);

		put(writer, 0, COPY_BYTES, &first);
		put(writer, 0, COPY_BYTES, &second);
		assert_int_equal(next(&ring, writer), id);
		assert_int_equal(next(&ring, writer), id + 1000);
		assert_int_equal(next(&ring, writer), 0);
	}
}

static void test_peeked_is_left(void **state)
{
	struct writer *writer = *state;
	struct copy_ring ring = ring_of(writer);
	struct tprof_copy one = copy_with(1);
	const struct tprof_copy *copy;
	uint64_t behind;

	put(writer, 0, COPY_BYTES, &one);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(copy_ring_peek(&ring, writer->head, &copy, &behind), 1);
		assert_int_equal(copy->id, 1);
	}
	assert_int_equal(behind, RECORD_BYTES);
}

static void test_given_up(void **state)
{
	struct writer *writer = *state;
	struct copy_ring ring = ring_of(writer);
	struct tprof_copy one = copy_with(1);

	put(writer, BPF_RINGBUF_DISCARD_BIT, COPY_BYTES, &one);
	put(writer, BPF_RINGBUF_DISCARD_BIT, 3, &one);
	put(writer, 0, COPY_BYTES, &one);
	assert_int_equal(next(&ring, writer), 1);
	put(writer, BPF_RINGBUF_DISCARD_BIT, COPY_BYTES, &one);
	assert_int_equal(next(&ring, writer), 0);
	assert_int_equal(ring.tail, writer->head);
}

/* Records after an unfinished one are not read. */
static void test_not_finished(void **state)
{
	struct writer *writer = *state;
	struct copy_ring ring = ring_of(writer);
	struct tprof_copy one = copy_with(1), two = copy_with(2);

	put(writer, BPF_RINGBUF_BUSY_BIT, COPY_BYTES, &one);
	put(writer, 0, COPY_BYTES, &two);
	assert_int_equal(next(&ring, writer), 0);
	assert_int_equal(ring.tail, 0);
	writer->head = 0;
	put(writer, 0, COPY_BYTES, &one);
	writer->head = 2 * RECORD_BYTES;
	assert_int_equal(next(&ring, writer), 1);
	assert_int_equal(next(&ring, writer), 2);
}

static void expect_nonsense(struct writer *writer, uint32_t length, uint32_t start, uint32_t end)
{
	struct copy_ring ring = ring_of(writer);
	struct tprof_copy copy = { .id = 1, .start = start, .end = end };

	writer->head = 0;
	put(writer, 0, length, &copy);
	assert_int_equal(next(&ring, writer), -EPROTO);
}

static void test_nonsense(void **state)
{
	struct writer *writer = *state;

	expect_nonsense(writer, 0, 0, 0);
	expect_nonsense(writer, offsetof(struct tprof_copy, data) - 1, 0, 8);
	expect_nonsense(writer, offsetof(struct tprof_copy, data), 0, 8);
	expect_nonsense(writer, COPY_BYTES, 8, 8);
	expect_nonsense(writer, COPY_BYTES, 16, 8);
	expect_nonsense(writer, COPY_BYTES, 0, DATA + 1);
	expect_nonsense(writer, COPY_BYTES, 0, UINT32_MAX);
	expect_nonsense(writer, COPY_BYTES, UINT32_MAX, UINT32_MAX);
}

/* A length beyond the written data, positions further apart than the ring, or a position that is not aligned. */
static void test_nonsense_positions(void **state)
{
	struct writer *writer = *state;
	struct copy_ring ring = ring_of(writer);
	struct tprof_copy one = copy_with(1);

	put(writer, 0, COPY_BYTES, &one);
	writer->head -= 8;
	assert_int_equal(next(&ring, writer), -EPROTO);
	writer->head = 0;
	put_header(writer, 0x3fffffff);
	writer->head = RING_BYTES;
	assert_int_equal(next(&ring, writer), -EPROTO);
	writer->head = RING_BYTES + 8;
	assert_int_equal(next(&ring, writer), -EPROTO);
	ring.tail = 4;
	writer->head = 64;
	assert_int_equal(next(&ring, writer), -EPROTO);
	ring.tail = 128;
	assert_int_equal(next(&ring, writer), -EPROTO);
}

/* A record that would end beyond the second mapping is not readable, even if the writer has passed its end. */
static void test_beyond_the_mapping(void **state)
{
	struct writer *writer = *state;
	struct copy_ring ring = ring_of(writer);
	struct tprof_copy one = copy_with(1);

	/* The last record begins 8 bytes before the end of the ring. */
	ring.tail = writer->head = RING_BYTES - 8;
	put(writer, 0, AGAIN_BYTES, &one);
	assert_int_equal(next(&ring, writer), 1);
	ring.tail = writer->head = RING_BYTES - 8;
	put(writer, 0, AGAIN_BYTES + 8, &one);
	assert_int_equal(next(&ring, writer), -EPROTO);
}

/* With random bytes in the ring, reading ends, and there is no access beyond the ring. */
static void test_garbage(void **state)
{
	struct writer *writer = *state;
	unsigned int seed = 1;

	for (int round = 0; round < 2000; round++) {
		struct copy_ring ring = ring_of(writer);
		unsigned int sum = 0;
		const struct tprof_copy *copy;
		uint64_t behind;

		for (uint64_t at = 0; at < RING_BYTES; at += 4) {
			/* Also lengths that are nearly valid. */
			uint32_t word = (uint32_t)rand_r(&seed) >> (rand_r(&seed) % 31);

			write_at(writer, at, &word, sizeof(word));
		}
		while (copy_ring_peek(&ring, RING_BYTES, &copy, &behind) > 0) {
			assert_true(behind > ring.tail && behind <= RING_BYTES);
			for (uint32_t i = copy->start; i < copy->end; i++)
				sum += copy->data[i];
			ring.tail = behind;
		}
		assert_true(sum + 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_in_order, make, unmake),
		cmocka_unit_test_setup_teardown(test_peeked_is_left, make, unmake),
		cmocka_unit_test_setup_teardown(test_given_up, make, unmake),
		cmocka_unit_test_setup_teardown(test_not_finished, make, unmake),
		cmocka_unit_test_setup_teardown(test_nonsense, make, unmake),
		cmocka_unit_test_setup_teardown(test_nonsense_positions, make, unmake),
		cmocka_unit_test_setup_teardown(test_beyond_the_mapping, make, unmake),
		cmocka_unit_test_setup_teardown(test_garbage, make, unmake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
