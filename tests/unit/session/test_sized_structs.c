// SPDX-License-Identifier: GPL-2.0-only
/*
 * Callers that were compiled with an older or a newer header: their structs are smaller or larger than those of the
 * library. Each is allocated with exactly its size, so that sanitizers detect accesses beyond it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/sized.h"
#include "profile/profile.h"
#include "raw_file.h"
#include "tprof.h"

/* The bytes that a newer header would add. */
#define MORE 40

/* Memory of @size bytes that starts with its size; the rest is @fill. */
static void *sized(size_t size, int fill)
{
	char *bytes = malloc(size > sizeof(size) ? size : sizeof(size));

	assert_non_null(bytes);
	memset(bytes, fill, size);
	memcpy(bytes, &size, sizeof(size));
	return bytes;
}

static size_t size_of(const void *sized)
{
	size_t size;

	memcpy(&size, sized, sizeof(size));
	return size;
}

static bool is_all(const char *bytes, size_t size, char what)
{
	for (size_t i = 0; i < size; i++) {
		if (bytes[i] != what)
			return false;
	}
	return true;
}

/* Checks a filled struct of @size bytes, of which the library knows @known. */
static void assert_filled(char *given, size_t size, const char *whole, size_t known)
{
	size_t both = size < known ? size : known;

	assert_int_equal(size_of(given), size);
	assert_memory_equal(given + sizeof(size), whole + sizeof(size), both - sizeof(size));
	if (size > known)
		assert_true(is_all(given + known, size - known, 0));
	free(given);
}

static struct tprof_ledger small_ledger(void)
{
	struct tprof_ledger ledger = { .sz = sizeof(ledger), .fired = { 100, 1000 } };

	ledger.outcomes[TPROF_OUTCOME_DONE] = (struct tprof_tally){ 90, 900 };
	ledger.lost[TPROF_LOST_THROTTLED] = (struct tprof_tally){ 10, 100 };
	return ledger;
}

static void losses_are_filled(void **state)
{
	const struct tprof_ledger ledger = small_ledger();
	struct tprof_loss whole = { .sz = sizeof(whole) };

	(void)state;
	tprof_ledger__loss(&ledger, &whole);
	assert_int_equal(whole.missing, 10);
	for (size_t size = sizeof(size_t); size < sizeof(whole) + MORE; size += 8) {
		struct tprof_loss *given = sized(size, 0x55);

		tprof_ledger__loss(&ledger, given);
		assert_filled((char *)given, size, (const char *)&whole, sizeof(whole));
	}
}

/* The missing members of a smaller ledger are 0; the additional bytes of a larger one are ignored. */
static void ledgers_are_read(void **state)
{
	const struct tprof_ledger ledger = small_ledger();
	struct tprof_ledger *given = sized(sizeof(ledger) + MORE, 0x55);
	struct tprof_tally tally;

	(void)state;
	memcpy(given, &ledger, sizeof(ledger));
	given->sz = sizeof(ledger) + MORE;
	tally = tprof_ledger__difference(given);
	assert_int_equal(tally.samples, 0);
	assert_int_equal(tprof_ledger__lost(given).samples, 10);
	free(given);

	given = sized(offsetof(struct tprof_ledger, outcomes), 0);
	memcpy((char *)given + sizeof(size_t), (const char *)&ledger + sizeof(size_t),
	       offsetof(struct tprof_ledger, outcomes) - sizeof(size_t));
	assert_int_equal(tprof_ledger__difference(given).samples, 100);
	assert_int_equal(tprof_ledger__lost(given).samples, 0);
	free(given);

	given = sized(0, 0);
	assert_true(tprof_ledger__difference(given).samples);
	free(given);
}

static int ignore(void *ctx, const struct tprof_raw_info *info, const struct tprof_raw_sample *sample)
{
	(void)ctx;
	(void)info;
	(void)sample;
	return 0;
}

static void sums_of_recordings_are_filled(void **state)
{
	struct file file = recording(RAW_WRITER_MEMORY);
	struct tprof_raw_sum whole = { .sz = sizeof(whole) };
	int fd = open_bytes(file.bytes, file.size);

	(void)state;
	assert_int_equal(tprof_raw__each(fd, "x", NULL, ignore, NULL, &whole, &error), 0);
	assert_true(whole.samples && whole.bytes && whole.complete);
	for (size_t size = sizeof(size_t); size < sizeof(whole) + MORE; size += 8) {
		struct tprof_raw_sum *given = sized(size, 0x55);

		lseek(fd, 0, SEEK_SET);
		assert_int_equal(tprof_raw__each(fd, "x", NULL, ignore, NULL, given, &error), 0);
		assert_filled((char *)given, size, (const char *)&whole, sizeof(whole));
	}
	whole.sz = 0;
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(tprof_raw__each(fd, "x", NULL, ignore, NULL, &whole, &error), -EINVAL);
	assert_string_equal(error.text, "sum of the raw recording: sz is not set");
	close(fd);
	free(file.bytes);
}

static void filters_are_described(void **state)
{
	const char *build = getenv("TPROF_BUILD");
	struct tprof_table_info table = { .sz = sizeof(table) };
	struct tprof_param_info param = { .sz = sizeof(param) };
	struct tprof_filter *filter;
	char path[512];

	(void)state;
	snprintf(path, sizeof(path), "%s/filters/dwarf.bpf.o", build ? build : "build");
	filter = tprof_filter__open(path, &error);
	assert_non_null(filter);
	assert_int_equal(tprof_filter__table(filter, 0, &table), 0);
	assert_int_equal(tprof_filter__param(filter, 0, &param), 0);
	for (size_t size = sizeof(size_t); size < sizeof(table) + MORE; size += 8) {
		void *given = sized(size, 0x55);

		assert_int_equal(tprof_filter__table(filter, 0, given), 0);
		assert_filled(given, size, (const char *)&table, sizeof(table));
		given = sized(size, 0x55);
		assert_int_equal(tprof_filter__param(filter, 0, given), 0);
		assert_filled(given, size, (const char *)&param, sizeof(param));
	}
	table.sz = 0;
	assert_int_equal(tprof_filter__table(filter, 0, &table), -EINVAL);
	tprof_filter__free(filter);
}

/* A size that was not initialized is refused before anything beyond the struct is read or written. */
static void impossible_sizes_are_refused(void **state)
{
	static const size_t sizes[] = { 0, 1, 7, 12, 65, 65544, 0x7ffe12345678, SIZE_MAX - 7, SIZE_MAX };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct tprof_session_opts opts = { .sz = sizes[i], .engine = "perf" };
		struct tprof_ledger ledger = { .sz = sizes[i], .fired = { 1, 1 } };
		struct tprof_loss loss = { .sz = sizes[i], .text = "untouched" };

		error.text[0] = '\0';
		assert_null(tprof_session__open(&opts, &error));
		assert_int_equal(errno, EINVAL);
		assert_string_equal(error.text, "session options: sz is not set");
		assert_true(tprof_ledger__difference(&ledger).samples == UINT64_MAX);
		tprof_ledger__loss(&ledger, &loss);
		assert_string_equal(loss.text, "untouched");
	}
}

/* Unknown options are refused, unless they are 0. */
static void unknown_options_are_refused(void **state)
{
	struct tprof_session_opts *opts = sized(sizeof(*opts) + MORE, 0);
	struct tprof_export_opts *export = sized(sizeof(*export) + MORE, 0);
	struct tprof_read_opts *read = sized(sizeof(*read) + MORE, 0);
	const struct tprof_info info = { .sz = sizeof(info), .engine = "perf", .event = "cpu-clock", .unit = "ns" };
	struct tprof_profile *profile = profile_new();
	int fd = memfd_create("empty", MFD_CLOEXEC);

	(void)state;
	assert_non_null(profile);
	assert_int_equal(profile_set_info(profile, &info), 0);
	profile_finish(profile);
	((char *)(opts + 1))[MORE - 1] = 1;
	assert_null(tprof_session__open(opts, &error));
	assert_int_equal(errno, E2BIG);
	assert_non_null(strstr(error.text, "session options: the struct has members that libtprof "));
	assert_non_null(strstr(error.hint, "later version"));
	opts->sz = 0;
	assert_null(tprof_session__open(opts, &error));
	assert_int_equal(errno, EINVAL);
	assert_string_equal(error.text, "session options: sz is not set");

	assert_int_equal(tprof_profile__export(profile, "json", fd, export), 0);
	((char *)(export + 1))[0] = 1;
	assert_int_equal(tprof_profile__export(profile, "json", fd, export), -E2BIG);
	((char *)(read + 1))[8] = 1;
	assert_null(tprof_profile__read_part(fd, "x", read, &error));
	assert_int_equal(errno, E2BIG);
	assert_int_equal(tprof_raw__each(fd, "x", read, ignore, NULL, NULL, &error), -E2BIG);

	tprof_profile__free(profile);
	close(fd);
	free(opts);
	free(export);
	free(read);
}

/* Options of an older caller, with fewer members. */
static void older_options_are_taken(void **state)
{
	struct tprof_read_opts ours;
	const struct tprof_read_opts all = { .sz = sizeof(all), .from_ns = 1, .to_ns = 2, .value = "x" };

	(void)state;
	for (size_t size = sizeof(size_t); size <= sizeof(all); size += 8) {
		char *given = sized(size, 0);

		memcpy(given + sizeof(size), (const char *)&all + sizeof(size), size - sizeof(size));
		assert_int_equal(sized_take(&ours, sizeof(ours), given), 0);
		assert_int_equal(ours.sz, sizeof(ours));
		assert_memory_equal((char *)&ours + sizeof(size), given + sizeof(size), size - sizeof(size));
		assert_true(is_all((char *)&ours + size, sizeof(ours) - size, 0));
		free(given);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_are_filled),
		cmocka_unit_test(ledgers_are_read),
		cmocka_unit_test(sums_of_recordings_are_filled),
		cmocka_unit_test(filters_are_described),
		cmocka_unit_test(impossible_sizes_are_refused),
		cmocka_unit_test(unknown_options_are_refused),
		cmocka_unit_test(older_options_are_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
