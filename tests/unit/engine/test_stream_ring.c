// SPDX-License-Identifier: GPL-2.0-only
/* The ring of the stream of a CPU: records, wraparound, and invalid data. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/stream_ring.h"

#define RING_BYTES 4096
#define SAMPLE_BYTES (sizeof(struct tprof_record) + sizeof(struct tprof_sample))

/* Writes like the module; the memory is exactly as long as the ring, so that sanitizers detect reads beyond it. */
struct writer {
	unsigned char *data;
	uint64_t head;
};

static int make(void **state)
{
	struct writer *writer = calloc(1, sizeof(*writer));

	writer->data = calloc(1, RING_BYTES);
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

static struct stream_ring ring_of(const struct writer *writer, uint64_t tail)
{
	return (struct stream_ring){ .data = writer->data, .bytes = RING_BYTES, .tail = tail };
}

static void put_header(struct writer *writer, uint16_t type, uint32_t size)
{
	struct tprof_record record = { .type = type, .size = size };

	memcpy(writer->data + writer->head % RING_BYTES, &record, sizeof(record));
}

static void put(struct writer *writer, uint16_t type, const void *payload, uint32_t size)
{
	uint32_t left = RING_BYTES - writer->head % RING_BYTES, whole = (uint32_t)sizeof(struct tprof_record) + size;

	if (whole > left) {
		put_header(writer, TPROF_RECORD_PAD, left);
		writer->head += left;
	}
	put_header(writer, type, whole);
	memcpy(writer->data + writer->head % RING_BYTES + sizeof(struct tprof_record), payload, size);
	writer->head += whole;
}

static void put_sample(struct writer *writer, uint64_t time_ns)
{
	struct tprof_sample sample = { .time_ns = time_ns };

	put(writer, TPROF_RECORD_SAMPLE, &sample, sizeof(sample));
}

static void empty(void **state)
{
	struct stream_ring ring = ring_of(*state, 0);
	const struct tprof_sample *sample;

	assert_int_equal(stream_ring_advance(&ring, 0), 0);
	assert_int_equal(stream_ring_peek(&ring, &sample), 0);
	assert_null(sample);
}

static void samples_come_in_order(void **state)
{
	struct writer *writer = *state;
	struct stream_ring ring = ring_of(writer, 0);
	const struct tprof_sample *sample;

	for (uint64_t i = 1; i <= 5; i++)
		put_sample(writer, i);
	assert_int_equal(stream_ring_advance(&ring, writer->head), 0);
	for (uint64_t i = 1; i <= 5; i++) {
		/* A second peek returns the same. */
		assert_int_equal(stream_ring_peek(&ring, &sample), 0);
		assert_int_equal(stream_ring_peek(&ring, &sample), 0);
		assert_non_null(sample);
		assert_int_equal(sample->time_ns, i);
		stream_ring_take(&ring);
	}
	assert_int_equal(stream_ring_peek(&ring, &sample), 0);
	assert_null(sample);
	assert_int_equal(ring.tail, writer->head);
}

static void other_records_are_skipped(void **state)
{
	struct writer *writer = *state;
	struct stream_ring ring = ring_of(writer, 0);
	struct tprof_tally lost = { 3, 300 };
	uint64_t cookie = 7;
	const struct tprof_sample *sample;

	put(writer, TPROF_RECORD_LOST, &lost, sizeof(lost));
	put(writer, TPROF_RECORD_FLUSH, &cookie, sizeof(cookie));
	put(writer, 4711, &cookie, sizeof(cookie));
	/* A sample that is too short. */
	put(writer, TPROF_RECORD_SAMPLE, &cookie, sizeof(cookie));
	put_sample(writer, 42);
	put(writer, TPROF_RECORD_LOST, &lost, sizeof(lost));
	assert_int_equal(stream_ring_advance(&ring, writer->head), 0);
	assert_int_equal(stream_ring_peek(&ring, &sample), 0);
	assert_int_equal(sample->time_ns, 42);
	stream_ring_take(&ring);
	assert_int_equal(stream_ring_peek(&ring, &sample), 0);
	assert_null(sample);
	assert_int_equal(ring.tail, writer->head);
}

/* The sample of a newer module has additional members at its end. */
static void longer_samples_are_understood(void **state)
{
	struct writer *writer = *state;
	struct stream_ring ring = ring_of(writer, 0);
	struct { struct tprof_sample sample; uint64_t more[4]; } newer = { .sample.time_ns = 9 };
	const struct tprof_sample *sample;

	put(writer, TPROF_RECORD_SAMPLE, &newer, sizeof(newer));
	put_sample(writer, 10);
	assert_int_equal(stream_ring_advance(&ring, writer->head), 0);
	assert_int_equal(stream_ring_peek(&ring, &sample), 0);
	assert_int_equal(sample->time_ns, 9);
	stream_ring_take(&ring);
	assert_int_equal(stream_ring_peek(&ring, &sample), 0);
	assert_int_equal(sample->time_ns, 10);
}

static void it_wraps(void **state)
{
	struct writer *writer = *state;
	struct stream_ring ring = ring_of(writer, 0);
	const struct tprof_sample *sample;

	for (uint64_t i = 0; i < 10 * RING_BYTES / SAMPLE_BYTES; i++) {
		put_sample(writer, i);
		assert_int_equal(stream_ring_advance(&ring, writer->head), 0);
		assert_int_equal(stream_ring_peek(&ring, &sample), 0);
		assert_non_null(sample);
		assert_int_equal(sample->time_ns, i);
		stream_ring_take(&ring);
	}
	assert_true(writer->head > 9 * RING_BYTES);
}

/* Positions do not overflow in practice, but a session that starts near the maximum works too. */
static void positions_may_be_large(void **state)
{
	struct writer *writer = *state;
	struct stream_ring ring;
	const struct tprof_sample *sample;

	writer->head = UINT64_MAX - RING_BYTES + 1;
	ring = ring_of(writer, writer->head);
	put_sample(writer, 1);
	assert_int_equal(stream_ring_advance(&ring, writer->head), 0);
	assert_int_equal(stream_ring_peek(&ring, &sample), 0);
	assert_int_equal(sample->time_ns, 1);
}

/* Invalid data up to the head is skipped, and reading continues there. */
static void expect_nonsense(struct writer *writer, struct stream_ring *ring)
{
	const struct tprof_sample *sample;

	assert_int_equal(stream_ring_advance(ring, writer->head), 0);
	assert_int_equal(stream_ring_peek(ring, &sample), -EPROTO);
	assert_null(sample);
	assert_int_equal(ring->tail, writer->head);
	assert_int_equal(stream_ring_peek(ring, &sample), 0);
	assert_null(sample);
}

static void sizes_that_cannot_be(void **state)
{
	static const uint32_t sizes[] = { 0, 4, 7, 12, SAMPLE_BYTES + 8, RING_BYTES + 8, UINT32_MAX, UINT32_MAX - 7 };
	struct writer *writer = *state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct stream_ring ring = ring_of(writer, 0);

		writer->head = 0;
		put_header(writer, TPROF_RECORD_SAMPLE, sizes[i]);
		writer->head = SAMPLE_BYTES;
		expect_nonsense(writer, &ring);
	}
}

static void a_record_does_not_cross_the_end(void **state)
{
	struct writer *writer = *state;
	struct stream_ring ring = ring_of(writer, RING_BYTES - 16);

	writer->head = RING_BYTES - 16;
	put_header(writer, TPROF_RECORD_PAD, 24);
	writer->head += 24;
	expect_nonsense(writer, &ring);
}

static void heads_that_cannot_be(void **state)
{
	static const uint64_t heads[] = { RING_BYTES + 8, 4, 1, UINT64_MAX, UINT64_MAX - 7, 1ULL << 63 };
	struct writer *writer = *state;

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct stream_ring ring = ring_of(writer, 0);
		const struct tprof_sample *sample;

		assert_int_equal(stream_ring_advance(&ring, heads[i]), -EPROTO);
		assert_int_equal(stream_ring_peek(&ring, &sample), 0);
		assert_null(sample);
	}
	/* Backwards. */
	struct stream_ring ring = ring_of(writer, 4 * RING_BYTES);

	assert_int_equal(stream_ring_advance(&ring, 4 * RING_BYTES - 8), -EPROTO);
}

/* With random bytes in the ring, there is no access beyond it, and reading ends. */
static void noise(void **state)
{
	struct writer *writer = *state;
	uint64_t random = 88172645463325252ULL;

	for (int round = 0; round < 20000; round++) {
		struct stream_ring ring;
		const struct tprof_sample *sample;
		unsigned int nr = 0;

		for (size_t i = 0; i < RING_BYTES; i += 8) {
			struct tprof_record *record = (struct tprof_record *)(writer->data + i);

			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			record->type = random % 8;
			record->size = random >> 40 & (random & 0x800 ? 0x3f8 : 0xfffff);
		}
		ring = ring_of(writer, random >> 20 & ~7ULL);
		if (stream_ring_advance(&ring, ring.tail + (random >> 8) % (RING_BYTES + 64)))
			continue;
		while (stream_ring_peek(&ring, &sample) == 0 && sample) {
			assert_true((const unsigned char *)(sample + 1) <= writer->data + RING_BYTES);
			stream_ring_take(&ring);
			assert_true(++nr <= RING_BYTES / SAMPLE_BYTES);
		}
		assert_int_equal(ring.tail, ring.head);
	}
}

#define RING_TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		RING_TEST(empty),
		RING_TEST(samples_come_in_order),
		RING_TEST(other_records_are_skipped),
		RING_TEST(longer_samples_are_understood),
		RING_TEST(it_wraps),
		RING_TEST(positions_may_be_large),
		RING_TEST(sizes_that_cannot_be),
		RING_TEST(a_record_does_not_cross_the_end),
		RING_TEST(heads_that_cannot_be),
		RING_TEST(noise),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
