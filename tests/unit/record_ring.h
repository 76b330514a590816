/* SPDX-License-Identifier: GPL-2.0-only */
/* Side-band records in a ring, as the kernel writes them, which the side-band code processes. */
#ifndef TPROF_TESTS_RECORD_RING_H
#define TPROF_TESTS_RECORD_RING_H

#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <cmocka.h>

#include "event/perf_ring.h"
#include "process/sideband_processes.h"
#include "process/sideband_record.h"

#define RING_BYTES 4096

static struct perf_event_mmap_page page;
static uint8_t data[RING_BYTES] __attribute__((aligned(8)));
static struct perf_ring ring;
static struct sideband_processes processes;

static void ring_reset(struct aspaces *aspaces)
{
	processes = (struct sideband_processes){ .aspaces = aspaces };
	memset(&page, 0, sizeof(page));
	perf_ring_init(&ring, &page, data, sizeof(data));
}

struct record {
	uint8_t bytes[512];
	size_t size;
};

static void put(struct record *record, const void *bytes, size_t size)
{
	memcpy(record->bytes + record->size, bytes, size);
	record->size += size;
}

static void put32(struct record *record, uint32_t value)
{
	put(record, &value, sizeof(value));
}

static void put64(struct record *record, uint64_t value)
{
	put(record, &value, sizeof(value));
}

/* Writes a text, padded like in the kernel. */
static void put_text(struct record *record, const char *text)
{
	put(record, text, strlen(text) + 1);
	while (record->size % 8)
		record->bytes[record->size++] = 0;
}

/* Reserves space for the header, which is written last. */
static struct record record_begin(void)
{
	return (struct record){ .size = sizeof(struct perf_event_header) };
}

/* Writes the record after the others; it may wrap around. */
static void ring_write(const struct record *record)
{
	for (size_t i = 0; i < record->size; i++)
		data[(page.data_head + i) % sizeof(data)] = record->bytes[i];
	page.data_head += record->size;
}

/* Adds the sample_id fields of all records, and processes the record like the side-band code. */
static void record_tell(struct record *record, uint32_t type, uint16_t misc, uint64_t time_ns)
{
	static uint8_t scratch[PERF_RECORD_SIZE_MAX] __attribute__((aligned(8)));
	struct perf_event_header header = { .type = type, .misc = misc };
	const struct perf_event_header *read;
	struct sideband_record parsed;

	put64(record, 0);		/* pid and tid of the task */
	put64(record, time_ns);
	put64(record, 0);		/* cpu */
	header.size = (uint16_t)record->size;
	memcpy(record->bytes, &header, sizeof(header));
	ring_write(record);
	perf_ring_begin(&ring);
	read = perf_ring_peek(&ring, scratch);
	assert_non_null(read);
	assert_int_equal(sideband_parse(read, read->size, &parsed), 0);
	sideband_processes_handle(&processes, &parsed);
	perf_ring_pop(&ring);
	perf_ring_end(&ring);
	assert_int_equal(page.data_tail, page.data_head);
}

#endif
