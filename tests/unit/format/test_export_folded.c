// SPDX-License-Identifier: GPL-2.0-only
/* Folded call stacks: root first, one line for call stacks with equal text, and no name that breaks a line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "profile/profile.h"

static void add(struct tprof_profile *profile, const char *comm, uint64_t weight, size_t nr,
		const struct tprof_frame *frames)
{
	const struct tprof_frame *order[8];
	const struct tprof_call_stack call_stack = {
		.frames = order, .nr_frames = nr, .comm = comm, .pid = 7, .samples = 1, .weight = weight,
	};

	for (size_t i = 0; i < nr; i++)
		order[i] = &frames[i];
	assert_int_equal(profile_add_call_stack(profile, &call_stack), 0);
}

static void expect(struct tprof_profile *profile, size_t limit, const char *wanted)
{
	TPROF_OPTS(tprof_export_opts, opts, .limit = limit);
	int fd = memfd_create("folded", MFD_CLOEXEC);
	char *got = calloc(1, 1 << 20);

	profile_finish(profile);
	assert_int_equal(tprof_profile__export(profile, "folded", fd, &opts), 0);
	assert_true(pread(fd, got, (1 << 20) - 1, 0) >= 0);
	assert_string_equal(got, wanted);
	free(got);
	close(fd);
}

static void test_root_first(void **state)
{
	const struct tprof_frame frames[] = { { .symbol = "vfs_read" }, { .symbol = "read" }, { .symbol = "main" } };
	struct tprof_profile *profile = profile_new();

	(void)state;
	add(profile, "dd", 30, 3, frames);
	add(profile, "dd", 5, 2, frames + 1);
	add(profile, "cat", 7, 3, frames);
	expect(profile, 0, "dd;main;read;vfs_read 30\ncat;main;read;vfs_read 7\ndd;main;read 5\n");
	expect(profile, 1, "dd;main;read;vfs_read 30\n");
	tprof_profile__free(profile);
}

/* A process has a root frame, also if its name is unknown; profiles without processes have none. */
static void test_no_name(void **state)
{
	const struct tprof_frame frame = { .symbol = "hot" }, *frames[] = { &frame };
	const struct tprof_call_stack nobody = {
		.frames = frames, .nr_frames = 1, .comm = "", .pid = -1, .samples = 1, .weight = 2,
	};
	struct tprof_profile *profile = profile_new();

	(void)state;
	add(profile, "", 3, 1, &frame);
	assert_int_equal(profile_add_call_stack(profile, &nobody), 0);
	expect(profile, 0, "[unknown];hot 3\nhot 2\n");
	tprof_profile__free(profile);
}

/* Call stacks with other addresses, or of other processes with the same name, are one line if their text is equal. */
static void test_added_up(void **state)
{
	struct tprof_frame frames[] = { { .symbol = "hot" }, { .symbol = "main" } };
	struct tprof_profile *profile = profile_new();

	(void)state;
	for (uint64_t i = 0; i < 10; i++) {
		frames[0].address = i;
		add(profile, "spin", 10, 2, frames);
	}
	add(profile, "spin", 1, 1, frames);
	expect(profile, 0, "spin;main;hot 100\nspin;hot 1\n");
	tprof_profile__free(profile);
}

static void test_equal_weights(void **state)
{
	const struct tprof_frame a = { .symbol = "a" }, b = { .symbol = "b" };
	struct tprof_profile *profile = profile_new();

	(void)state;
	add(profile, "x", 1, 1, &b);
	add(profile, "x", 1, 1, &a);
	expect(profile, 0, "x;a 1\nx;b 1\n");
	tprof_profile__free(profile);
}

/* Names with semicolons and line feeds, which separate frames and lines, and empty names. */
static void test_names(void **state)
{
	const struct tprof_frame frames[] = {
		{ .symbol = "f(int; char)" }, { .symbol = "operator new\n" }, { .symbol = "LazyCompile:* a b.js:1" },
	};
	struct tprof_profile *profile = profile_new();

	(void)state;
	add(profile, "a;b", 3, 3, frames);
	add(profile, NULL, 2, 1, frames);
	expect(profile, 0, "a:b;LazyCompile:* a b.js:1;operator new?;f(int: char) 3\n"
	       "[unknown];f(int: char) 2\n");
	tprof_profile__free(profile);
}

static void test_without_call_stacks(void **state)
{
	const struct tprof_entry entries[] = {
		{ .symbol = "hot", .comm = "spin", .pid = 1, .samples = 1, .weight = 20 },
		{ .symbol = "hot", .comm = "spin", .pid = 2, .samples = 1, .weight = 20 },
		{ .symbol = "vfs_read", .comm = "dd", .pid = 3, .samples = 1, .weight = 2 },
	};
	struct tprof_profile *profile = profile_new();

	(void)state;
	expect(profile, 0, "");
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++)
		assert_int_equal(profile_add(profile, &entries[i]), 0);
	expect(profile, 0, "spin;hot 40\ndd;vfs_read 2\n");
	tprof_profile__free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root_first),
		cmocka_unit_test(test_no_name),
		cmocka_unit_test(test_added_up),
		cmocka_unit_test(test_equal_weights),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_without_call_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
