// SPDX-License-Identifier: GPL-2.0-only
/* Unwind rules: .debug_frame that compilers or linkers have compressed has the same rules as uncompressed. */
#include "elf_fixture.h"

#include <errno.h>

#include "elf/elf_cfi.h"

#define MAX_BYTES (1U << 20)

static struct elf_cfi *open_cfi(const char *name, size_t max_bytes)
{
	int fd = open(name, O_RDONLY);
	struct elf_cfi *cfi;

	assert_true(fd >= 0);
	cfi = elf_cfi_open(fd, &(struct debug_search){ .path = absolute(name), .root = -1 }, max_bytes);
	close(fd);
	return cfi;
}

/* Builds a library with .debug_frame only, and enough functions that compression makes it smaller. */
static void build(const char *name, const char *flags)
{
	FILE *source = fopen("a.c", "w");

	assert_non_null(source);
	fprintf(source, "int out(int *);\n");
	for (int i = 0; i < 100; i++)
		fprintf(source, "int f%d(int n) { int a[%d] = { n }; return out(a) + n; }\n", i, 4 + i * 3);
	assert_int_equal(fclose(source), 0);
	/* The linker leaves an empty .eh_frame. */
	shell("gcc -O2 -g -fPIC -shared -nostdlib -fno-asynchronous-unwind-tables -fno-unwind-tables %s -o %s a.c &&"
	      " objcopy -R .eh_frame %s 2>/dev/null", flags, name, name);
}

static void expect_same(struct elf_cfi *cfi, struct elf_cfi *plain, const struct truth *truth, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		for (uint64_t at = 0; at < truth[i].size; at++) {
			const struct cfi_row *row = elf_cfi_find(cfi, truth[i].offset + at);
			const struct cfi_row *wanted = elf_cfi_find(plain, truth[i].offset + at);

			assert_non_null(wanted);
			assert_non_null(row);
			assert_int_equal(row->cfa.kind, wanted->cfa.kind);
			assert_int_equal(row->cfa.reg, wanted->cfa.reg);
			assert_int_equal(row->cfa.number, wanted->cfa.number);
			assert_int_equal(row->nr_rules, wanted->nr_rules);
		}
	}
}

static void test_packed(void **state)
{
	static const struct {
		const char *flags, *section;
	} packed[] = {
		{ "-gz=zlib", ".debug_frame .* C " },
		{ "-gz=zlib-gnu", ".zdebug_frame" },
		{ "-Wl,--compress-debug-sections=zstd", ".debug_frame .* C " },
	};
	static struct truth truth[MAX_TRUTH];
	struct elf_cfi *plain;
	size_t nr;

	(void)state;
	build("plain.so", "-gz=none");
	nr = read_truth("plain.so", truth);
	plain = open_cfi("plain.so", MAX_BYTES);
	assert_non_null(plain);
	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++) {
		struct elf_cfi *cfi;

		build("packed.so", packed[i].flags);
		shell("readelf -SW packed.so | grep -q ' %s '", packed[i].section);
		cfi = open_cfi("packed.so", MAX_BYTES);
		assert_non_null(cfi);
		expect_same(cfi, plain, truth, nr);
		/* Its memory includes the decompressed section. */
		assert_int_equal(elf_cfi_bytes(cfi), elf_cfi_bytes(plain));
		elf_cfi_close(cfi);
	}
	elf_cfi_close(plain);
}

/* Changes the uncompressed size in the header of a compressed section; @at is its offset in the two formats. */
static void claim(const char *name, const char *section, unsigned int at, const char *bytes)
{
	uint64_t offset = shell_number("readelf -SW %s | sed 's/^ *\\[ *[0-9]*\\]//' | awk '$1==\"%s\"{print $4}'",
				       name, section);

	assert_true(offset > 0);
	shell("cp %s claims.so && printf '%s' | dd of=claims.so bs=1 seek=%lu conv=notrunc status=none", name, bytes,
	      (unsigned long)offset + at);
}

static void expect_error(const char *name, size_t max_bytes, int err)
{
	struct elf_cfi *cfi = open_cfi(name, max_bytes);

	assert_null(cfi);
	if (errno != err)
		fail_msg("%s: %s", name, strerror(errno));
}

/* The size in the file is limited before memory is allocated, and must be right. */
static void test_claims(void **state)
{
	(void)state;
	build("new.so", "-gz=zlib");
	build("old.so", "-gz=zlib-gnu");
	expect_error("new.so", 1024, E2BIG);
	expect_error("old.so", 1024, E2BIG);
	build("zstd.so", "-Wl,--compress-debug-sections=zstd");
	expect_error("zstd.so", 1024, E2BIG);
	/* Elf64_Chdr: type, 4 reserved bytes, size */
	claim("new.so", ".debug_frame", 8, "\\377\\377\\377\\377\\377\\377\\377\\377");
	expect_error("claims.so", MAX_BYTES, E2BIG);
	claim("new.so", ".debug_frame", 8, "\\001\\000");
	expect_error("claims.so", MAX_BYTES, ENOEXEC);
	claim("new.so", ".debug_frame", 0, "\\377");
	expect_error("claims.so", MAX_BYTES, ENOEXEC);
	claim("zstd.so", ".debug_frame", 8, "\\377\\377\\377\\377\\377\\377\\377\\377");
	expect_error("claims.so", MAX_BYTES, E2BIG);
	/* An impossible size, a larger size, a smaller size, and bytes that are no zstd frame. */
	claim("zstd.so", ".debug_frame", 8, "\\000\\000\\000\\100");
	expect_error("claims.so", 2U << 30, ENOEXEC);
	claim("zstd.so", ".debug_frame", 8, "\\000\\000\\001");
	expect_error("claims.so", MAX_BYTES, ENOEXEC);
	claim("zstd.so", ".debug_frame", 8, "\\001\\000");
	expect_error("claims.so", MAX_BYTES, ENOEXEC);
	claim("zstd.so", ".debug_frame", 24, "\\000");
	expect_error("claims.so", MAX_BYTES, ENOEXEC);
	claim("old.so", ".zdebug_frame", 4, "\\377\\377\\377\\377\\377\\377\\377\\377");
	expect_error("claims.so", MAX_BYTES, E2BIG);
	claim("old.so", ".zdebug_frame", 10, "\\000\\001");
	expect_error("claims.so", MAX_BYTES, ENOEXEC);
	claim("old.so", ".zdebug_frame", 0, "X");
	expect_error("claims.so", MAX_BYTES, ENOEXEC);
}

#if defined(__x86_64__)
/* A 32-bit program: rules for its registers, in .eh_frame and in .debug_frame. */
static void test_32bit(void **state)
{
	static const char *const kinds[] = {
		"", "-g -fno-asynchronous-unwind-tables -fno-unwind-tables -Wl,-R,.eh_frame",
	};
	static struct truth truth[MAX_TRUTH];

	(void)state;
	write_text("a.c", "int f(int n) { return n + 1; }\n");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const struct cfi_row *row;
		struct elf_cfi *cfi;

		shell("gcc -m32 -O2 -fomit-frame-pointer -shared -nostdlib %s -o 32.so a.c", kinds[i]);
		assert_int_equal(read_truth("32.so", truth), 1);
		cfi = open_cfi("32.so", MAX_BYTES);
		assert_non_null(cfi);
		assert_true(elf_cfi_is_32bit(cfi));
		row = elf_cfi_find(cfi, truth[0].offset);
		assert_non_null(row);
		/* The return address is on top of the stack. */
		assert_int_equal(row->cfa.kind, CFI_OFFSET);
		assert_int_equal(row->cfa.reg, CFI_SP_32);
		assert_int_equal(row->cfa.number, 4);
		assert_int_equal(row->return_column, 8);
		elf_cfi_close(cfi);
	}
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_packed, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_claims, enter_directory, leave_directory),
#if defined(__x86_64__)
		cmocka_unit_test_setup_teardown(test_32bit, enter_directory, leave_directory),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
