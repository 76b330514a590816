// SPDX-License-Identifier: GPL-2.0-only
/* Keys that go to a raw recording while memory lacks: an allocation that fails costs the key at hand, and no other. */
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

/* The linker hands them what the library wants of the ones below. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t nr, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t nr, size_t size);
void *__real_malloc(size_t size);
void *__real_calloc(size_t nr, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t nr, size_t size);

static long left = -1;			/* until one fails; -1: none does */

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

#define TGID		0x3ffffff0	/* above any real one */
#define USER_IP		0x2000
/* So many that arrays and tables of hashes grow. */
#define NR_KEYS		100

/* How many of the keys were not taken. */
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

/* Returns false when no more allocations are made than that. */
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
	/* There are some for each key; what each takes is the same but for the arrays. */
	while (fail_at(number))
		number++;
	assert_true(number > NR_KEYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_fails_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
