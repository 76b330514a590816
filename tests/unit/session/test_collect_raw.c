// SPDX-License-Identifier: GPL-2.0-only
/* Writing keys to a raw recording without memory: a failed allocation loses the current key, and no other. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "session/collect_raw.h"

/* The linker redirects the calls of the library to these wrappers (--wrap). */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t nr, size_t size);
void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t nr, size_t size);

static long left = -1;			/* allocations until one fails; -1: none fails */

static bool fails(void)
{
	if (left < 0 || left--)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t nr, size_t size)
{
	return fails() ? NULL : __real_calloc(nr, size);
}

void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t nr, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, nr, size);
}

struct key {
	uint64_t time, ip, tgid;
};

#define MEMBER(kind_, member) { .kind = (kind_), .offset = offsetof(struct key, member), .size = 8 }

static const struct value_member when = MEMBER(VALUE_NS, time), ip = MEMBER(VALUE_IP, ip);
static const struct value_member tgid = MEMBER(VALUE_TGID, tgid);

#define TGID		0x3ffffff0	/* larger than any real PID */
#define USER_IP		0x2000
/* Tables and arrays of which each is allocated at least once. */
#define NR_KINDS	15
/* Enough for arrays and hash tables to grow. */
#define NR_KEYS		100

/* Returns the number of keys that were lost. */
static int take_keys(struct collector_table *table)
{
	const struct tprof_entry entry = { .comm = "app", .cgroup = "/", .pid = TGID, .samples = 1, .weight = 1 };
	int failed = 0;

	for (uint64_t i = 0; i < NR_KEYS; i++) {
		const struct key key = { .time = i, .ip = USER_IP + 16 * i, .tgid = TGID };
		int err = collect_raw_key(table, &key, &entry);

		assert_true(!err || err == -ENOMEM);
		failed += err != 0;
	}
	return failed;
}

/* Returns false if there are fewer allocations than @number. */
static bool fail_at(long number)
{
	const struct dso_id file = { .path = "/no/such/program" };
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct dsos *dsos = dsos_new(NULL);
	struct collector collector = { .aspaces = aspaces_new(dsos, NULL), .raw = collect_raw_new(fd) };
	struct collector_table table = {
		.collector = &collector, .time = &when, .ip = &ip, .tgid = &tgid,
	};
	bool reached;
	int failed;

	collector.symbolizer = symbolizer_new(collector.aspaces, NULL);
	aspaces_mmap(collector.aspaces, TGID, USER_IP, 16 * NR_KEYS, 0x1000, &file, 1);
	left = number;
	failed = take_keys(&table);
	reached = left < 0;
	left = -1;
	assert_in_range(failed, 0, reached);
	assert_int_equal(take_keys(&table), 0);
	assert_int_equal(collector.raw->writer->nr_samples, 2 * NR_KEYS - failed);

	symbolizer_free(collector.symbolizer);
	aspaces_free(collector.aspaces);
	collector_fini(&collector);
	dsos_free(dsos);
	close(fd);
	return reached;
}

static void each_allocation_fails_once(void **state)
{
	long number = 0;

	(void)state;
	/* Of growing arrays and hash tables, and of the blocks from which definitions and answers are cut. */
	while (fail_at(number))
		number++;
	assert_true(number > NR_KINDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
