// SPDX-License-Identifier: GPL-2.0-only
/* Source lines and inlined calls, compared with addr2line, with DWARF in all places; damaged DWARF. */
#include "elf_lines_fixture.h"

static void like(const char *tool, const char *compiler, const char *flags)
{
	struct elf_lines *lines;

	build(compiler, flags);
	lines = open_lines("lines.so");
	assert_true(compare(lines, tool, "lines.so") > 20);
	elf_lines_close(lines);
}

static void test_gcc(void **state)
{
	(void)state;
	like("addr2line", "gcc", "-gdwarf-5");
	like("addr2line", "gcc", "-gdwarf-4");
	like("addr2line", "gcc", "-gdwarf-5 -O3 -ffunction-sections");
}

static void test_clang(void **state)
{
	(void)state;
	like(LLVM, "clang", "-gdwarf-5");
	like(LLVM, "clang", "-gdwarf-4");
}

static void test_compressed(void **state)
{
	(void)state;
	like("addr2line", "gcc", "-gz=zlib");
}

/* Known results, in case addr2line has the same error. */
static void test_known(void **state)
{
	struct elf_place places[ELF_PLACES_MAX];
	struct elf_lines *lines;
	bool in_part = false;

	(void)state;
	build("gcc", "");
	lines = open_lines("lines.so");
	for (uint64_t at = 0; at < find_truth(truth, nr_truth, "outer")->size; at++) {
		size_t nr = elf_lines_find(lines, find_truth(truth, nr_truth, "outer")->offset + at, places);

		assert_true(nr >= 1 && nr <= 3);
		assert_int_equal(places[nr - 1].start_line, 16);
		if (nr < 3 || strcmp(places[0].function, "part"))
			continue;
		in_part = true;
		assert_string_equal(base_name(places[0].file), "part.h");
		assert_int_equal(places[0].start_line, 1);
		assert_string_equal(places[1].function, "middle");
		assert_string_equal(base_name(places[1].file), "lines.c");
		assert_int_equal(places[1].line, 12);
		assert_int_equal(places[1].start_line, 8);
		assert_int_equal(places[2].line, 18);
	}
	assert_true(in_part);
	/* Nothing before and after the code. */
	assert_int_equal(elf_lines_find(lines, 0, places), 0);
	assert_int_equal(elf_lines_find(lines, UINT64_MAX, places), 0);
	elf_lines_close(lines);
}

static void test_none(void **state)
{
	(void)state;
	build("gcc", "-g0");
	assert_null(try_lines("lines.so"));
	assert_int_equal(errno, ENOENT);
	write_text("lines.so", "no ELF file");
	assert_null(try_lines("lines.so"));
	assert_int_equal(errno, ENOEXEC);
}

/* The debug file of .gnu_debuglink, with the right checksum. */
static void test_debuglink(void **state)
{
	struct elf_lines *lines;

	(void)state;
	build("gcc", "");
	shell("cp lines.so whole.so && objcopy --only-keep-debug lines.so lines.debug && strip lines.so && "
	      "objcopy --add-gnu-debuglink=lines.debug lines.so");
	lines = open_lines("lines.so");
	assert_true(compare(lines, "addr2line", "whole.so") > 20);
	elf_lines_close(lines);
	shell("printf x >>lines.debug");
	assert_null(try_lines("lines.so"));
}

/* Debug files may share a supplementary file (dwz); without it there are no lines. */
static void test_shared(void **state)
{
	struct elf_lines *lines;

	(void)state;
	build("gcc", "-Wl,--build-id");
	shell("cp lines.so whole.so && cp lines.so other.so && dwz -m shared.debug -r lines.so other.so");
	lines = open_lines("lines.so");
	assert_true(compare(lines, "addr2line", "whole.so") > 20);
	elf_lines_close(lines);
	shell("mv shared.debug gone.debug");
	assert_null(try_lines("lines.so"));
	assert_int_equal(errno, ENOLINK);
	/* Another file with this name. */
	shell("gcc -g -O1 -fPIC -shared -Wl,--build-id=0x0123456789 -o shared.debug lines.c");
	assert_null(try_lines("lines.so"));
}

/* Not every libelf supports zstd: sections are decompressed without it, in the file and in its supplementary file. */
static void test_zstd(void **state)
{
	struct elf_lines *lines;

	(void)state;
	build("gcc", "-Wl,--build-id");
	shell("objcopy --compress-debug-sections=zstd lines.so packed.so &&"
	      " readelf -t packed.so | grep -A1 -m1 COMPRESSED | grep -q ZSTD");
	lines = open_lines("packed.so");
	assert_true(compare(lines, "addr2line", "lines.so") > 20);
	elf_lines_close(lines);

	shell("cp lines.so whole.so && cp lines.so other.so && dwz -m shared.debug -r lines.so other.so &&"
	      " for f in lines.so shared.debug; do objcopy --compress-debug-sections=zstd $f; done");
	lines = open_lines("lines.so");
	assert_true(compare(lines, "addr2line", "whole.so") > 20);
	elf_lines_close(lines);
}

static void bomb(const char *header)
{
	shell("{ printf '%s' && cat zeros; } >bomb && objcopy --update-section .debug_info=bomb packed.so", header);
}

/* Some kilobytes that would decompress to fill the memory are refused, and so is invalid data. */
static void test_zstd_bomb(void **state)
{
	(void)state;
	build("gcc", "");
	shell("objcopy --compress-debug-sections=zstd lines.so packed.so && head -c 64M /dev/zero | zstd -q >zeros");
	/* Elf64_Chdr: type, 4 reserved bytes, 64 MiB, alignment */
	bomb("\\2\\0\\0\\0\\0\\0\\0\\0"
	     "\\0\\0\\0\\4\\0\\0\\0\\0" "\\1\\0\\0\\0\\0\\0\\0\\0");
	assert_null(try_lines("packed.so"));
	assert_int_equal(errno, ENOEXEC);
	/* With an impossible size. */
	bomb("\\2\\0\\0\\0\\0\\0\\0\\0"
	     "\\0\\0\\0\\0\\0\\0\\0\\4" "\\1\\0\\0\\0\\0\\0\\0\\0");
	assert_null(try_lines("packed.so"));
	assert_int_equal(errno, E2BIG);
}

#define nested(test) cmocka_unit_test_setup_teardown(test, enter_directory, leave_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		nested(test_gcc),
		nested(test_clang),
		nested(test_compressed),
		nested(test_known),
		nested(test_none),
		nested(test_debuglink),
		nested(test_shared),
		nested(test_zstd),
		nested(test_zstd_bomb),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
