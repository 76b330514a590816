// SPDX-License-Identifier: GPL-2.0-only
/* Descriptors and memory of symbol files: both are limited, and memory is freed after a long time without lookups. */
#include "dso_fixture.h"

#include <dirent.h>
#include <malloc.h>
#include <sys/resource.h>

#include "base/clock.h"

static size_t nr_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t nr = 0;

	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr - 3;	/* ".", ".." and the descriptor of the directory */
}

/* More files than descriptors: at most half of the descriptors are used, and closed files are opened again. */
static void test_many_files(void **state)
{
	enum { NR = 60, LIMIT = 64 };
	struct rlimit before, limit;
	struct mapped mapped[NR];
	struct dso *dso[NR];
	struct dsos *dsos;
	size_t nr_before = nr_descriptors();

	(void)state;
	build("lib.so", "-Wl,--build-id=none");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	limit.rlim_cur = LIMIT;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	dsos = dsos_new(NULL);
	for (int i = 0; i < NR; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d.so", i);
		shell("cp lib.so %s", name);
		map_file(&mapped[i], name);
		dso[i] = get(dsos, &mapped[i], getpid());
		assert_in_range(nr_descriptors(), nr_before, nr_before + LIMIT / 2);
	}
	assert_string_equal(name_of(dso[0], "hidden"), "");
	dso_open_late(dso[0], getpid(), (uint64_t)mapped[0].at, (uint64_t)mapped[0].at + mapped[0].size);
	assert_string_equal(name_of(dso[0], "hidden"), "hidden");
	assert_string_equal(name_of(dso[NR - 1], "hidden"), "hidden");
	assert_in_range(nr_descriptors(), nr_before, nr_before + LIMIT / 2);
	for (int i = 0; i < NR; i++)
		munmap(mapped[i].at, mapped[i].size);
	dsos_free(dsos);
	assert_int_equal(nr_descriptors(), nr_before);
	setrlimit(RLIMIT_NOFILE, &before);
}

/* Also if the file was deleted meanwhile. */
static void test_forgotten_and_read_again(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;
	size_t used;

	(void)state;
	/* So many functions that free() returns the memory to the kernel. */
	shell("for i in $(seq 300); do echo \"int many_$i(void) { return $i; }\"; done >many.c");
	build("lib.so", "many.c");
	map_file(&mapped, "lib.so");
	dso = dso_ref(get(dsos, &mapped, getpid()));
	munmap(mapped.at, mapped.size);
	unlink("lib.so");
	assert_string_equal(name_of(dso, "hidden"), "hidden");
	used = mallinfo2().uordblks;
	dsos_age(dsos, clock_now_ns());
	assert_int_equal(mallinfo2().uordblks, used);
	dsos_age(dsos, clock_now_ns() + 3600000000000ULL);
#ifndef __SANITIZE_ADDRESS__
	assert_true(mallinfo2().uordblks < used);
#endif
	assert_string_equal(name_of(dso, "hidden"), "hidden");
	dsos_free(dsos);
}

#define SECOND 1000000000ULL

/* An unreferenced file stays for a while, with its descriptor; a referenced one as long as it is referenced. */
static void test_unmapped(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	size_t nr_before = nr_descriptors();
	struct mapped mapped[2];
	struct dso *dso[2];

	(void)state;
	build("a.so", "");
	shell("cp a.so b.so");
	map_file(&mapped[0], "a.so");
	map_file(&mapped[1], "b.so");
	for (int i = 0; i < 2; i++) {
		dso[i] = get(dsos, &mapped[i], getpid());
		assert_string_equal(name_of(dso[i], "hidden"), "hidden");
	}
	dso_ref(dso[0]);
	for (uint64_t second = 1; second < 15; second++)
		dsos_age(dsos, second * SECOND);
	assert_int_equal(dsos_nr(dsos), 2);
	/* A lookup makes it stay longer. */
	assert_ptr_equal(get(dsos, &mapped[1], getpid()), dso[1]);
	for (uint64_t second = 15; second < 30; second++)
		dsos_age(dsos, second * SECOND);
	assert_int_equal(dsos_nr(dsos), 2);
	for (uint64_t second = 30; second < 40; second++)
		dsos_age(dsos, second * SECOND);
	assert_int_equal(dsos_nr(dsos), 1);
	assert_in_range(nr_descriptors(), nr_before, nr_before + 2);
	/* It is found again like the first time. */
	assert_string_equal(name_of(get(dsos, &mapped[1], getpid()), "hidden"), "hidden");
	assert_string_equal(name_of(dso[0], "hidden"), "hidden");
	dso_put(dso[0]);
	for (uint64_t second = 40; second < 70; second++)
		dsos_age(dsos, second * SECOND);
	assert_int_equal(dsos_nr(dsos), 0);
	assert_int_equal(nr_descriptors(), nr_before);
	for (int i = 0; i < 2; i++)
		munmap(mapped[i].at, mapped[i].size);
	dsos_free(dsos);
}

/* If there are many unreferenced files, they only stay as long as references may appear. */
static void test_unmapped_and_many(void **state)
{
	struct dsos *dsos = dsos_new(NULL);

	(void)state;
	for (uint64_t i = 1; i <= 100; i++) {
		struct dso_id id = { .path = "/no/such/file", .ino = i, .maj = 7 };

		assert_non_null(dsos_get(dsos, &id, 0, 0, 4096, clock_now_ns()));
	}
	assert_false(dsos_are_many(dsos));
	dsos_set_max_bytes(dsos, 0, SIZE_MAX);
	assert_true(dsos_are_many(dsos));
	dsos_age(dsos, SECOND);
	dsos_age(dsos, SECOND);
	assert_int_equal(dsos_nr(dsos), 100);
	dsos_age(dsos, SECOND);
	assert_int_equal(dsos_nr(dsos), 0);
	assert_false(dsos_are_many(dsos));
	dsos_free(dsos);
}

/*
 * The functions of all files share a memory limit: if they exceed it, the least recently used file is freed. Names that
 * were returned stay valid until the tables have been read, and the file can be looked up again.
 */
static void test_names_budget(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	const char *handed_out[3];
	struct mapped mapped[3];
	struct dso *dso[3];
	size_t used;

	(void)state;
	(void)used;	/* with sanitizers */
	shell("for i in $(seq 3000); do echo \"int many_$i(void) { return $i; }\"; done >many.c");
	build("lib.so", "many.c");
	for (int i = 0; i < 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d.so", i);
		shell("cp lib.so %s", name);
		map_file(&mapped[i], name);
		dso[i] = dso_ref(get(dsos, &mapped[i], getpid()));
		unlink(name);
	}
	name_of(dso[0], "hidden");
	name_of(dso[1], "hidden");
	used = mallinfo2().uordblks;
	/* Enough for one of them. */
	dsos_set_max_bytes(dsos, SIZE_MAX, 100000);
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3; i++) {
			handed_out[i] = name_of(dso[i], "hidden");
			assert_string_equal(handed_out[i], "hidden");
		}
		for (int i = 0; i < 3; i++)
			assert_string_equal(handed_out[i], "hidden");
	}
	dsos_age(dsos, clock_now_ns());
#ifndef __SANITIZE_ADDRESS__
	assert_true(mallinfo2().uordblks < used);
#endif
	for (int i = 0; i < 3; i++) {
		assert_string_equal(name_of(dso[i], "hidden"), "hidden");
		munmap(mapped[i].at, mapped[i].size);
		dso_put(dso[i]);
	}
	dsos_free(dsos);
}

/* Three files whose memory limit holds one: each can be read, repeatedly. */
static void test_cfi_budget(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped[3];
	struct dso *dso[3];

	(void)state;
	shell("printf '.text\nf: .cfi_startproc\nnop\n.cfi_endproc\n.section .eh_frame,\"a\",@progbits\n"
	      ".zero 20971520\n' >large.s && cc -c large.s -o large.o");
	for (int i = 0; i < 3; i++) {
		char name[16];

		snprintf(name, sizeof(name), "large%d.so", i);
		shell("cc -shared -nostdlib -Wl,--no-eh-frame-hdr large.o -o %s 2>/dev/null", name);
		map_file(&mapped[i], name);
		dso[i] = dso_ref(get(dsos, &mapped[i], getpid()));
	}
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 3; i++)
			assert_non_null(dso_cfi(dso[i]));
	}
	/* An hour without a lookup. */
	dsos_age(dsos, clock_now_ns());
	dsos_age(dsos, clock_now_ns() + 3600000000000ULL);
	assert_non_null(dso_cfi(dso[2]));
	dsos_free(dsos);
}

/* A file with more unwind rules than the limit, and one without. */
static void test_no_cfi(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;

	(void)state;
	shell("printf '.section .eh_frame,\"a\",@progbits\n.zero 26214400\n' >huge.s && "
	      "cc -shared -nostdlib -Wl,--no-eh-frame-hdr huge.s -o huge.so");
	map_file(&mapped, "huge.so");
	assert_null(dso_cfi(get(dsos, &mapped, getpid())));
	shell("printf 'int f(void) { return 1; }' >none.c && "
	      "cc -shared -nostdlib -fno-asynchronous-unwind-tables none.c -o none.so");
	map_file(&mapped, "none.so");
	assert_null(dso_cfi(get(dsos, &mapped, getpid())));
	dsos_free(dsos);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_directory(test_many_files),
		in_directory(test_forgotten_and_read_again),
		in_directory(test_unmapped),
		cmocka_unit_test(test_unmapped_and_many),
		in_directory(test_names_budget),
		in_directory(test_cfi_budget),
		in_directory(test_no_cfi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
