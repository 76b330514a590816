// SPDX-License-Identifier: GPL-2.0-only
/* Which file was mapped: inode numbers, generations, times and build IDs of files that are alike. */
#include "dso_fixture.h"

/* The same inode number and path with other contents: the library was compiled again. */
static void test_inherited_inode(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;
	const char *name;
	uint64_t delta;

	(void)state;
	build("lib.so", "-Wl,--build-id=none");
	map_file(&mapped, "lib.so");
	dso = get(dsos, &mapped, getpid());
	assert_string_equal(name_of(dso, "first"), "first");
	munmap(mapped.at, mapped.size);
	shell("sleep 0.02; ln lib.so same.so");
	replace_library("-Wl,--build-id=none");
	shell("cat lib.so > same.so && mv same.so lib.so");
	map_file(&mapped, "lib.so");
	assert_ptr_not_equal(get(dsos, &mapped, getpid()), dso);
	dso = get(dsos, &mapped, getpid());
	assert_ptr_equal(get(dsos, &mapped, getpid()), dso);
	assert_true(dso_symbol(dso, find_truth(truth, nr_truth, "first")->offset, &name, &delta));
	assert_string_not_equal(name, "first");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

/* The same between the end of the process and the read of its record: neither run has the names of the other. */
static void test_inherited_inode_of_the_past(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso, *later;
	uint64_t mapped_ns, start;

	(void)state;
	build("lib.so", "-Wl,--build-id=none");
	map_file(&mapped, "lib.so");
	mapped_ns = clock_now_ns();
	munmap(mapped.at, mapped.size);
	shell("sleep 0.02; ln lib.so same.so");
	replace_library("-Wl,--build-id=none");
	shell("cat lib.so > same.so && mv same.so lib.so");
	map_file(&mapped, "lib.so");
	start = (uint64_t)mapped.at;
	dso = dsos_get(dsos, &mapped.id, getpid(), start, start + mapped.size, mapped_ns);
	assert_string_equal(name_of(dso, "first"), "");
	/* Another lookup with the same old time finds the same. */
	assert_ptr_equal(dsos_get(dsos, &mapped.id, getpid(), start, start + mapped.size, mapped_ns), dso);
	later = get(dsos, &mapped, getpid());
	assert_ptr_not_equal(later, dso);
	dso_open_late(dso, getpid(), start, start + mapped.size);
	assert_string_equal(name_of(dso, "first"), "");
	nr_truth = read_truth("lib.so", truth);
	assert_string_equal(name_of(later, "wrong_a"), "wrong_a");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

/* A file from an archive, with a modification time in the future. */
static void test_dated_in_the_future(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;

	(void)state;
	build("lib.so", "-Wl,--build-id=none");
	shell("touch -d tomorrow lib.so && sleep 0.02");
	map_file(&mapped, "lib.so");
	assert_string_equal(name_of(get(dsos, &mapped, getpid()), "first"), "first");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

/* A record has the inode generation, /proc/PID/maps does not: two identities, but one file with one name. */
static void test_two_identities(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *of_maps, *of_event;

	(void)state;
	build("lib.so", "-Wl,--build-id=sha1");
	map_file(&mapped, "lib.so");
	of_maps = get(dsos, &mapped, getpid());
	mapped.id.has_generation = true;
	of_event = get(dsos, &mapped, getpid());
	assert_ptr_not_equal(of_maps, of_event);
	assert_string_equal(name_of(of_maps, "hidden"), "hidden");
	assert_ptr_equal(name_of(of_maps, "hidden"), name_of(of_event, "hidden"));
	assert_true(dso_is_same(of_maps, of_event));
	assert_string_equal(dso_build_id(of_maps), dso_build_id(of_event));
	assert_int_equal(strlen(dso_build_id(of_event)), 40);
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

/* Another file with the same inode number, path and times, but another generation. */
static void test_another_generation(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;

	(void)state;
	build("lib.so", "");
	map_file(&mapped, "lib.so");
	if (!mapped.id.generation)
		skip();
	mapped.id.has_generation = true;
	mapped.id.generation ^= 1;
	dso = get(dsos, &mapped, getpid());
	assert_string_equal(name_of(dso, "hidden"), "");
	mapped.id.generation ^= 1;
	assert_ptr_not_equal(get(dsos, &mapped, getpid()), dso);
	assert_string_equal(name_of(get(dsos, &mapped, getpid()), "hidden"), "hidden");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

/* A mapping without an identity, or with another device, does not open the file at its path. */
static void test_no_proof(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;

	(void)state;
	build("lib.so", "");
	map_file(&mapped, "lib.so");
	mapped.id.min ^= 1;
	assert_string_equal(name_of(get(dsos, &mapped, getpid()), "hidden"), "");
	mapped.id.min ^= 1;
	mapped.id.ino = 0;
	assert_string_equal(name_of(get(dsos, &mapped, getpid()), "hidden"), "");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

/* A process has written to the file and ended before the record of its mapping is read. */
static void test_overwritten_by_the_dead(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;

	(void)state;
	build("lib.so", "");
	map_file(&mapped, "lib.so");
	mapped.id.has_generation = true;
	dso = get(dsos, &mapped, getpid());
	assert_string_equal(name_of(dso, "first"), "first");
	munmap(mapped.at, mapped.size);
	shell("sleep 0.02; ln lib.so same.so");
	replace_library("");
	shell("cat lib.so > same.so && mv same.so lib.so; sleep 0.02");
	/* No process has this PID. */
	assert_ptr_not_equal(get(dsos, &mapped, 5000000), dso);
	dso = get(dsos, &mapped, 5000000);
	nr_truth = read_truth("lib.so", truth);
	assert_string_equal(name_of(dso, "wrong_a"), "wrong_a");
	dsos_free(dsos);
}

/* Two files with the same build ID, as in projects that make it from their revision. */
static void test_build_id_of_two_files(void **state)
{
	static const char flags[] = "-Wl,--build-id=0x0123456789abcdef0123456789abcdef01234567";
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped[3];
	struct dso *dso[3];

	(void)state;
	build("a.so", flags);
	write_text("b.c", "int first(int i) { return i; }\nint other(int i) { return i * 3; }\n");
	shell("gcc -O1 -fPIC -shared %s -o b.so b.c && ln a.so c.so", flags);
	map_file(&mapped[0], "a.so");
	map_file(&mapped[1], "b.so");
	map_file(&mapped[2], "c.so");
	for (int i = 0; i < 3; i++) {
		dso[i] = get(dsos, &mapped[i], getpid());
		assert_string_equal(dso_path(dso[i]), mapped[i].path);
		assert_ptr_equal(get(dsos, &mapped[i], getpid()), dso[i]);
	}
	assert_string_equal(name_of(dso[0], "hidden"), "hidden");
	/* One file with two paths is read once. */
	assert_true(dso_is_same(dso[0], dso[2]));
	assert_false(dso_is_same(dso[0], dso[1]));
	nr_truth = read_truth("b.so", truth);
	assert_string_equal(name_of(dso[1], "other"), "other");
	for (int i = 0; i < 3; i++)
		munmap(mapped[i].at, mapped[i].size);
	dsos_free(dsos);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_directory(test_inherited_inode),
		in_directory(test_inherited_inode_of_the_past),
		in_directory(test_dated_in_the_future),
		in_directory(test_two_identities),
		in_directory(test_another_generation),
		in_directory(test_no_proof),
		in_directory(test_overwritten_by_the_dead),
		in_directory(test_build_id_of_two_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
