// SPDX-License-Identifier: GPL-2.0-only
/* Parsing of side-band records: valid, truncated and random ones. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/mman.h>
#include <cmocka.h>

#include "process/sideband_record.h"

/* A record under construction. */
static union {
	struct perf_event_header header;
	uint8_t bytes[8192];
} r;

static void begin(uint32_t type, uint16_t misc)
{
	memset(&r, 0, sizeof(r));
	r.header = (struct perf_event_header){ .type = type, .misc = misc, .size = sizeof(r.header) };
}

static void add(const void *data, size_t size)
{
	memcpy(r.bytes + r.header.size, data, size);
	r.header.size = (uint16_t)(r.header.size + size);
}

static void add_u32(uint32_t value)
{
	add(&value, sizeof(value));
}

static void add_u64(uint64_t value)
{
	add(&value, sizeof(value));
}

/* Adds a text with its NUL, padded to 8 bytes. */
static void add_text(const char *text)
{
	char padded[4096] = "";

	strcpy(padded, text);
	add(padded, (strlen(text) + 8) / 8 * 8);
}

static void add_trailer(uint64_t time_ns)
{
	add_u32(1);
	add_u32(2);
	add_u64(time_ns);
	add_u64(0);
}

static void add_task(uint32_t pid, uint32_t ppid, uint32_t tid, uint32_t ptid)
{
	add_u32(pid);
	add_u32(ppid);
	add_u32(tid);
	add_u32(ptid);
	add_u64(1);
	add_trailer(1000);
}

static void add_mmap(uint32_t pid, uint64_t start, uint64_t length, uint64_t pgoff)
{
	add_u32(pid);
	add_u32(pid);
	add_u64(start);
	add_u64(length);
	add_u64(pgoff);
}

static struct sideband_record parsed(int err)
{
	struct sideband_record record;

	assert_int_equal(sideband_parse(&r.header, r.header.size, &record), err);
	return record;
}

static void test_tasks(void **state)
{
	struct sideband_record record;

	(void)state;
	begin(PERF_RECORD_FORK, 0);
	add_task(20, 10, 20, 11);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_FORK);
	assert_int_equal(record.time_ns, 1000);
	assert_int_equal(record.pid, 20);
	assert_int_equal(record.ppid, 10);
	assert_int_equal(record.ptid, 11);
	begin(PERF_RECORD_FORK, 0);
	add_task(10, 10, 21, 11);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_THREAD);
	assert_int_equal(record.tid, 21);
	begin(PERF_RECORD_EXIT, 0);
	add_task(10, 1, 21, 1);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_EXIT);
	assert_int_equal(record.tid, 21);
}

static void test_comms(void **state)
{
	static const char *const names[] = { "cat", "", "two words", "12345678", "a\nb (c)" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct sideband_record record;

		begin(PERF_RECORD_COMM, i % 2 ? PERF_RECORD_MISC_COMM_EXEC : 0);
		add_u32(10);
		add_u32(11);
		add_text(names[i]);
		add_trailer(5);
		record = parsed(0);
		assert_int_equal(record.kind, i % 2 ? SIDEBAND_EXEC : SIDEBAND_COMM);
		assert_int_equal(record.tid, 11);
		assert_string_equal(record.comm, names[i]);
	}
}

static void mmap2_record(uint16_t misc, uint32_t prot)
{
	begin(PERF_RECORD_MMAP2, misc);
	add_mmap(10, 0x1000, 0x2000, 0x3000);
	add_u32(259);
	add_u32(1);
	add_u64(12345);
	add_u64(0x89abcdef);
	add_u32(prot);
	add_u32(MAP_PRIVATE);
	add_text("/opt/with space/x (deleted)");
	add_trailer(7);
}

/* The kernel marks records without a build ID as having one if another event requests build IDs. */
static void check_mmap2(uint16_t misc)
{
	struct sideband_record record;

	mmap2_record(misc, PROT_READ | PROT_EXEC);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_MMAP);
	assert_int_equal(record.start, 0x1000);
	assert_int_equal(record.length, 0x2000);
	assert_int_equal(record.pgoff, 0x3000);
	assert_int_equal(record.id.maj, 259);
	assert_int_equal(record.id.min, 1);
	assert_int_equal(record.id.ino, 12345);
	assert_int_equal(record.id.generation, 0x89abcdef);
	assert_true(record.id.has_generation);
	assert_string_equal(record.id.path, "/opt/with space/x (deleted)");
	mmap2_record(misc, PROT_READ);
	assert_int_equal(parsed(0).kind, SIDEBAND_OTHER);
}

static void test_mmap2(void **state)
{
	(void)state;
	check_mmap2(PERF_RECORD_MISC_USER);
	check_mmap2(PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
}

static void test_programs(void **state)
{
	struct sideband_record record;

	(void)state;
	for (uint64_t flags = 0; flags < 2; flags++) {
		begin(PERF_RECORD_KSYMBOL, 0);
		add_u64(0xffffffffc0001000);
		add_u32(0x123);
		add_u32((uint32_t)(PERF_RECORD_KSYMBOL_TYPE_BPF | flags << 16));
		add_text("bpf_prog_0123456789abcdef_top");
		add_trailer(9);
		record = parsed(0);
		assert_int_equal(record.kind, SIDEBAND_PROGRAM);
		assert_int_equal(record.start, 0xffffffffc0001000);
		assert_int_equal(record.length, 0x123);
		assert_string_equal(record.comm, "bpf_prog_0123456789abcdef_top");
		assert_int_equal(record.gone, flags);
	}
	/* Trampolines. */
	begin(PERF_RECORD_KSYMBOL, 0);
	add_u64(0xffffffffc0001000);
	add_u32(0x123);
	add_u32(PERF_RECORD_KSYMBOL_TYPE_OOL);
	add_text("ftrace_trampoline");
	add_trailer(9);
	assert_int_equal(parsed(0).kind, SIDEBAND_OTHER);
	/* Truncated, and with a name that is not terminated. */
	begin(PERF_RECORD_KSYMBOL, 0);
	add_u64(0xffffffffc0001000);
	add_trailer(9);
	parsed(-EINVAL);
	begin(PERF_RECORD_KSYMBOL, 0);
	add_u64(0xffffffffc0001000);
	add_u32(0x123);
	add_u32(PERF_RECORD_KSYMBOL_TYPE_BPF);
	add_u64(0x6161616161616161);
	add_trailer(9);
	parsed(-EINVAL);
}

static void test_others(void **state)
{
	struct sideband_record record;

	(void)state;
	begin(PERF_RECORD_LOST, 0);
	add_u64(3);
	add_u64(77);
	add_trailer(9);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_LOST);
	assert_int_equal(record.nr_lost, 77);
	begin(PERF_RECORD_THROTTLE, 0);
	add_u64(3);
	add_trailer(9);
	record = parsed(0);
	assert_int_equal(record.kind, SIDEBAND_OTHER);
	assert_int_equal(record.time_ns, 9);
	begin(9999, 0xffff);
	add_trailer(9);
	assert_int_equal(parsed(0).kind, SIDEBAND_OTHER);
}

/* With any bytes, texts end within the record. */
static void check_texts(const uint8_t *bytes, size_t size, const struct sideband_record *record)
{
	const char *texts[] = { record->comm, record->id.path };

	for (int i = 0; i < 2; i++) {
		const uint8_t *text = (const uint8_t *)texts[i];

		if (!text)
			continue;
		assert_true(text >= bytes && text < bytes + size);
		assert_non_null(memchr(text, '\0', (size_t)(bytes + size - text)));
	}
}

static void test_truncated(void **state)
{
	uint16_t whole;

	(void)state;
	mmap2_record(0, PROT_EXEC);
	whole = r.header.size;
	for (uint16_t size = 0; size < whole; size++) {
		/* A heap copy of exactly this size, so that sanitizers detect reads beyond it. */
		struct perf_event_header *copy = malloc(size ? size : 1);
		struct sideband_record record;

		memcpy(copy, &r, size);
		assert_int_equal(sideband_parse(copy, size, &record), -EINVAL);
		if (size >= sizeof(*copy)) {
			copy->size = size;
			if (!sideband_parse(copy, size, &record))
				check_texts((uint8_t *)copy, size, &record);
		}
		free(copy);
	}
}

static void test_garbage(void **state)
{
	(void)state;
	srand(1);
	for (int round = 0; round < 200000; round++) {
		size_t size = (size_t)(rand() % 160);
		uint8_t *bytes = malloc(size + 1);
		struct perf_event_header *header = (struct perf_event_header *)bytes;
		struct sideband_record record;

		for (size_t i = 0; i < size; i++)
			bytes[i] = rand() % 4 ? (uint8_t)rand() : 0;
		if (size >= sizeof(*header)) {
			header->type = (uint32_t)(rand() % 12);
			header->size = (uint16_t)(rand() % 3 ? size : (size_t)rand());
		}
		if (!sideband_parse(header, size, &record))
			check_texts(bytes, size, &record);
		free(bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_comms),
		cmocka_unit_test(test_mmap2),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
