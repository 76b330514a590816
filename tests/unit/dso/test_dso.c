// SPDX-License-Identifier: GPL-2.0-only
/* The names come from the file that was mapped, wherever it is now, or from no file. */
#include "dso_fixture.h"

#include <sys/auxv.h>

static void test_plain(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;

	(void)state;
	build("lib.so", "");
	map_file(&mapped, "lib.so");
	dso = get(dsos, &mapped, getpid());
	assert_non_null(dso);
	assert_string_equal(dso_path(dso), mapped.path);
	assert_string_equal(dso_name(dso), "lib.so");
	assert_false(dso_is_anonymous(dso));
	assert_string_equal(name_of(dso, "hidden"), "hidden");
	assert_ptr_equal(get(dsos, &mapped, 0), dso);
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

static void test_deleted(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;

	(void)state;
	build("lib.so", "");
	map_file(&mapped, "lib.so");
	unlink("lib.so");
	strcat(mapped.path, " (deleted)");
	dso = get(dsos, &mapped, 0);
	assert_string_equal(dso_name(dso), "lib.so");
	assert_string_equal(name_of(dso, "hidden"), "");
	dso_open_late(dso, getpid(), (uint64_t)mapped.at, (uint64_t)mapped.at + mapped.size);
	/* The file is open, so it can be unmapped. */
	munmap(mapped.at, mapped.size);
	assert_string_equal(name_of(dso, "hidden"), "hidden");
	dsos_free(dsos);
}

static void count_warnings(void *ctx, enum tprof_log_level level, const char *message)
{
	if (level == TPROF_LOG_WARN && strstr(message, "source lines") && strstr(message, "lib.so"))
		(*(int *)ctx)++;
}

/* Debug data that have disappeared are reported once, for any number of lookups. */
static void test_lost_debug_data(void **state)
{
	int nr_warnings = 0;
	const struct log log = { .fn = count_warnings, .ctx = &nr_warnings };
	struct dsos *dsos = dsos_new(&log);
	const struct elf_place *places;
	struct mapped mapped;
	struct dso *dso;

	(void)state;
	build("lib.so", "-g -gsplit-dwarf");
	shell("rm -f *.dwo");
	dsos_want_lines(dsos);
	map_file(&mapped, "lib.so");
	dso = dso_ref(get(dsos, &mapped, getpid()));
	for (int i = 0; i < 2; i++) {
		uint64_t offset = find_truth(truth, nr_truth, "hidden")->offset;

		dso_places(dso, offset, &places);
		dso_places(dso, offset + 1, &places);
		assert_int_equal(nr_warnings, 1);
		assert_string_equal(name_of(dso, "hidden"), "hidden");
		dsos_age(dsos, clock_now_ns() + 60000000000);
	}
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

/* The suffix that the kernel adds to the name of a deleted file can also be part of a real name. */
static void test_called_deleted(void **state)
{
	static const char name[] = "lib (deleted)";
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;

	(void)state;
	build("lib.so", "");
	assert_int_equal(rename("lib.so", name), 0);
	map_file(&mapped, name);
	dso = get(dsos, &mapped, 0);
	assert_string_equal(dso_name(dso), name);
	/* It is not mapped any more: only its path is left. */
	munmap(mapped.at, mapped.size);
	dso_open_late(dso, getpid(), (uint64_t)mapped.at, (uint64_t)mapped.at + mapped.size);
	assert_string_equal(name_of(dso, "hidden"), "hidden");
	dsos_free(dsos);

	/* Another file with this name is not accepted. */
	dsos = dsos_new(NULL);
	mapped.id.ino++;
	assert_string_equal(dso_name(get(dsos, &mapped, 0)), "lib");
	dsos_free(dsos);
}

static void test_replaced_while_mapped(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;

	(void)state;
	build("lib.so", "");
	map_file(&mapped, "lib.so");
	replace_library("");
	assert_string_equal(name_of(get(dsos, &mapped, getpid()), "hidden"), "hidden");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

static void check_replaced_and_gone(const char *flags, bool as_event)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;

	build("lib.so", flags);
	map_file(&mapped, "lib.so");
	mapped.id.has_generation = as_event;
	dso = get(dsos, &mapped, 0);
	munmap(mapped.at, mapped.size);
	replace_library(flags);
	for (int i = 0; i < 3; i++)
		dso_open_late(dso, i ? getpid() : 0, (uint64_t)mapped.at, (uint64_t)mapped.at + mapped.size);
	assert_string_equal(name_of(dso, "hidden"), "");
	assert_string_equal(name_of(dso, "first"), "");
	dsos_free(dsos);
}

static void test_replaced_and_gone(void **state)
{
	(void)state;
	check_replaced_and_gone("-Wl,--build-id=none", false);
	check_replaced_and_gone("-Wl,--build-id=none", true);
	check_replaced_and_gone("-Wl,--build-id=sha1", false);
}

/* The process has mapped another file there meanwhile: map_files leads to the wrong file. */
static void test_remapped(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;
	int fd;

	(void)state;
	build("lib.so", "");
	map_file(&mapped, "lib.so");
	dso = get(dsos, &mapped, 0);
	replace_library("");
	fd = open("lib.so", O_RDONLY);
	assert_ptr_equal(mmap(mapped.at, mapped.size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0),
			 mapped.at);
	close(fd);
	dso_open_late(dso, getpid(), (uint64_t)mapped.at, (uint64_t)mapped.at + mapped.size);
	assert_string_equal(name_of(dso, "first"), "");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

static void test_overwritten(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;

	(void)state;
	build("lib.so", "");
	map_file(&mapped, "lib.so");
	dso = get(dsos, &mapped, getpid());
	shell("sleep 0.02; cp lib.so old.so");
	replace_library("");
	shell("mv lib.so other.so; cp old.so lib.so");
	assert_string_equal(name_of(dso, "first"), "first");
	munmap(mapped.at, mapped.size);

	/* The same, if the file was opened before and is read after that. */
	map_file(&mapped, "lib.so");
	dso = get(dsos, &mapped, getpid());
	shell("sleep 0.02; cat other.so > lib.so");
	assert_string_equal(name_of(dso, "first"), "");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

static void test_mangled(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;

	(void)state;
	write_text("a.cc", "namespace a { struct b { int c(const char *s); }; }\n"
		   "int a::b::c(const char *s) { return *s; }\n"
		   "extern \"C\" int rust_old(int i) asm(\"_ZN6engine6piston4fire17h0123456789abcdefE\");\n"
		   "extern \"C\" int rust_v0(int i) asm(\"_RNvNtCs1234_6engine6piston4stop\");\n"
		   "int rust_old(int i) { return i; }\nint rust_v0(int i) { return i + 1; }\n");
	shell("g++ -O1 -fPIC -shared -o lib.so a.cc");
	nr_truth = read_truth("lib.so", truth);
	map_file(&mapped, "lib.so");
	dso = get(dsos, &mapped, getpid());
	assert_string_equal(name_of(dso, "_ZN1a1b1cEPKc"), "a::b::c(char const*)");
	assert_string_equal(name_of(dso, "_ZN6engine6piston4fire17h0123456789abcdefE"), "engine::piston::fire");
	assert_string_equal(name_of(dso, "_RNvNtCs1234_6engine6piston4stop"), "engine::piston::stop");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

static void test_rustc(void **state)
{
	struct dsos *dsos;
	struct mapped mapped;
	bool found = false;

	(void)state;
	if (system("rustc --version > /dev/null 2>&1"))
		skip();
	dsos = dsos_new(NULL);
	write_text("a.rs", "mod engine { #[inline(never)] pub fn fire(n: u64) -> u64 {"
		   " (0..n).fold(1, |a, b| a ^ (b * 7)) } }\n"
		   "fn main() { println!(\"{}\", engine::fire(std::env::args().count() as u64)); }\n");
	shell("rustc -O -C debuginfo=0 -o lib.so a.rs");
	nr_truth = read_truth("lib.so", truth);
	map_file(&mapped, "lib.so");
	for (size_t i = 0; i < nr_truth; i++) {
		if (strstr(truth[i].name, "engine4fire"))
			found = !strcmp(name_of(get(dsos, &mapped, getpid()), truth[i].name), "a::engine::fire");
	}
	assert_true(found);
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

static const struct {
	const char *path, *name;
	bool is_anonymous;
} kinds[] = {
	{ "", "[jit]", true },
	{ "//anon", "[jit]", true },
	{ "[heap]", "[jit]", true },
	{ "[stack]", "[jit]", true },
	{ "[anon:v8]", "[jit]", true },
	{ "/dev/zero (deleted)", "[jit]", true },
	{ "/SYSV00000000 (deleted)", "[jit]", true },
	{ "anon_inode:[perf_event]", "[jit]", true },
	{ "/memfd:doublemapper (deleted)", "memfd:doublemapper", true },
	{ "/memfd:a/b (deleted)", "memfd:a/b", true },
	{ "[vdso]", "[vdso]", false },
	{ "[vsyscall]", "[vsyscall]", false },
	{ "[uprobes]", "[uprobes]", false },
	{ "/dev/dri/card0", "card0", false },
	{ "/no/such/program", "program", false },
	{ "/no/such/program (deleted)", "program", false },
};

static void test_kinds(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	const char *name;
	uint64_t delta;

	(void)state;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct dso_id id = { .path = kinds[i].path };
		struct dso *dso = dsos_get(dsos, &id, getpid(), 0x7f0000001000, 0x7f0000002000, 0);

		assert_string_equal(dso_name(dso), kinds[i].name);
		assert_int_equal(dso_is_anonymous(dso), kinds[i].is_anonymous);
		assert_ptr_equal(dsos_get(dsos, &id, 0, 0, 0, 0), dso);
		if (strcmp(kinds[i].path, "[vdso]"))
			assert_false(dso_symbol(dso, 0x10, &name, &delta));
	}
	dsos_free(dsos);
}

static void test_vdso(void **state)
{
	struct dso_id id = { .path = "[vdso]" };
	struct dsos *dsos = dsos_new(NULL);
	uint64_t start = getauxval(AT_SYSINFO_EHDR), delta;
	bool found = false;
	struct dso *dso;
	const char *name;

	(void)state;
	if (!start)
		skip();
	dso = dsos_get(dsos, &id, getpid(), start, start + 0x2000, 0);
	for (uint64_t offset = 0; offset < 0x2000; offset++)
		found |= dso_symbol(dso, offset, &name, &delta) && strstr(name, "clock_gettime");
	assert_true(found);
	/* A 32-bit program has another vDSO. */
	dso = dsos_get(dsos, &id, getpid(), 0xf7fc7000, 0xf7fc9000, 0);
	assert_string_equal(dso_name(dso), "[vdso32]");
	for (uint64_t offset = 0; offset < 0x2000; offset++)
		assert_false(dso_symbol(dso, offset, &name, &delta));
	dsos_free(dsos);
}

/* A program that runs from a memfd has names like any other. */
static void test_memfd(void **state)
{
	struct dsos *dsos = dsos_new(NULL);
	struct mapped mapped;
	struct dso *dso;
	char path[32];
	int fd = memfd_create("program", 0);

	(void)state;
	build("lib.so", "");
	shell("cat lib.so > /proc/%d/fd/%d", getpid(), fd);
	map_file(&mapped, "lib.so");
	munmap(mapped.at, mapped.size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	mapped.id = file_id(path);
	mapped.at = mmap(NULL, mapped.size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	mapped.id.path = "/memfd:program (deleted)";
	dso = get(dsos, &mapped, getpid());
	assert_string_equal(dso_name(dso), "memfd:program");
	assert_false(dso_is_anonymous(dso));
	assert_string_equal(name_of(dso, "hidden"), "hidden");
	munmap(mapped.at, mapped.size);
	dsos_free(dsos);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_directory(test_plain),
		in_directory(test_deleted),
		in_directory(test_called_deleted),
		in_directory(test_lost_debug_data),
		in_directory(test_replaced_while_mapped),
		in_directory(test_replaced_and_gone),
		in_directory(test_remapped),
		in_directory(test_overwritten),
		in_directory(test_mangled),
		in_directory(test_rustc),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_vdso),
		in_directory(test_memfd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
