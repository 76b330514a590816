// SPDX-License-Identifier: GPL-2.0-only
/* Split DWARF: .dwo files and .dwp packages, compressed or damaged; files of other users are not read. */
#include "elf_lines_fixture.h"

#include <sys/stat.h>

/* Builds the library and another unit with split DWARF as lines.so, with lines.dwo, and unsplit as whole.so. */
static void build_split(const char *compiler, const char *flags)
{
	build(compiler, flags);
	write_text("other.c", "#include \"part.h\"\nint other(int i) { return part(i) * 5 + part(i ^ 3); }\n");
	shell("%s -O2 -g %s -fPIC -shared -o whole.so other.c lines.c", compiler, flags);
	shell("%s -O2 -g %s -gsplit-dwarf -fPIC -c other.c lines.c && %s -shared -o lines.so other.o lines.o", compiler,
	      flags, compiler);
	nr_truth = read_truth("lines.so", truth);
}

static void expect_all(const char *tool)
{
	struct elf_lines *lines = open_lines("lines.so");

	assert_true(compare(lines, tool, "whole.so") > 20);
	assert_null(elf_lines_lost(lines));
	elf_lines_close(lines);
}

static void expect_lost(void)
{
	struct elf_lines *lines = open_lines("lines.so");
	char text[1024];

	assert_null(elf_lines_lost(lines));
	describe(lines, find_truth(truth, nr_truth, "outer")->offset + 1, text, sizeof(text));
	/* The line is known, inlined functions are not. */
	assert_non_null(strstr(text, "lines.c:"));
	assert_null(strchr(text, '<'));
	assert_string_equal(elf_lines_lost(lines), "lines.dwo");
	elf_lines_close(lines);
}

static void test_files(void **state)
{
	(void)state;
	build_split("gcc", "-gdwarf-5");
	expect_all("addr2line");
	build_split("gcc", "-gdwarf-4");
	expect_all("addr2line");
	build_split("clang", "-gdwarf-5");
	expect_all(LLVM);
	build_split("clang", "-gdwarf-4");
	expect_all(LLVM);
}

/* Files that are not beside the program are found in the directory of the compilation. */
static void test_elsewhere(void **state)
{
	(void)state;
	build_split("gcc", "");
	shell("mkdir moved && mv lines.so moved/lines.so && ln -s moved/lines.so lines.so");
	expect_all("addr2line");
}

static void test_packed(void **state)
{
	(void)state;
	build_split("gcc", "");
	shell("for f in *.dwo lines.so; do objcopy --compress-debug-sections=zstd $f; done &&"
	      " readelf -t lines.dwo | grep -A1 -m1 COMPRESSED | grep -q ZSTD");
	expect_all("addr2line");
	/* Relative paths start at the directory of the program, not at the current directory. */
	shell("mkdir away && gcc -O2 -g -gsplit-dwarf -fdebug-prefix-map=$PWD=. -fPIC -c other.c lines.c &&"
	      " gcc -shared -o away/lines.so other.o lines.o && objcopy --compress-debug-sections=zstd away/lines.so &&"
	      " ln -sf away/lines.so lines.so");
	expect_lost();
}

/* Only regular files that belong to us are read. */
static void test_strange_files(void **state)
{
	(void)state;
	build_split("gcc", "");
	shell("mv lines.dwo gone && mkfifo lines.dwo");
	expect_lost();
	unlink("lines.dwo");
	expect_lost();
	shell("cp other.dwo lines.dwo");
	expect_lost();
	shell("head -c 600 gone >lines.dwo");
	expect_lost();
	if (geteuid())
		return;
	shell("cp gone lines.dwo && chown 1:1 lines.dwo");
	expect_lost();
	shell("chown 0:0 lines.dwo && chown 1:1 lines.so");
	expect_lost();
}

/* The dwp of binutils does not support DWARF 5, and that of LLVM 14 does not end with some files of gcc. */
static const struct {
	const char *compiler, *flags, *packer, *like;
} packages[] = {
	{ "gcc", "-gdwarf-4", "llvm-dwp", "addr2line" },
	{ "gcc", "-gdwarf-4", "dwp", "addr2line" },
	{ "clang", "-gdwarf-5", "llvm-dwp", LLVM },
	{ "clang", "-gdwarf-4", "llvm-dwp", LLVM },
	{ "clang", "-gdwarf-4", "dwp", LLVM },
};

static void make_package(const char *packer)
{
	shell("rm -f lines.so.dwp && timeout 20 %s other.dwo lines.dwo -o lines.so.dwp && mkdir -p gone &&"
	      " mv *.dwo gone", packer);
}

static void test_packages(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
		build_split(packages[i].compiler, packages[i].flags);
		make_package(packages[i].packer);
		expect_all(packages[i].like);
	}
	for (int i = 0; i < 2; i++) {
		shell("objcopy --compress-debug-sections=%s lines.so.dwp", i ? "zstd" : "zlib");
		expect_all(LLVM);
	}
}

/* The package is beside the program, which has a separate debug file. */
static void test_package_of_debug_file(void **state)
{
	(void)state;
	build_split("clang", "-Wl,--build-id -Qunused-arguments");
	make_package("llvm-dwp");
	shell("objcopy --only-keep-debug lines.so lines.debug && strip lines.so &&"
	      " objcopy --add-gnu-debuglink=lines.debug lines.so");
	expect_all(LLVM);
	shell("mv lines.so.dwp lines.debug.dwp");
	expect_all(LLVM);
}

static void test_strange_packages(void **state)
{
	(void)state;
	build_split("clang", "");
	make_package("llvm-dwp");
	shell("readelf -SW lines.so.dwp | grep -q debug_rnglists.dwo && cp lines.so.dwp good && mkfifo pipe &&"
	      " mv pipe lines.so.dwp");
	expect_lost();
	/* A package of only the other unit. */
	shell("rm lines.so.dwp && llvm-dwp gone/other.dwo -o lines.so.dwp");
	expect_lost();
	shell("head -c 900 good >lines.so.dwp");
	expect_lost();
	shell("objcopy -R .debug_str.dwo good lines.so.dwp && objcopy -R .debug_abbrev.dwo lines.so.dwp");
	expect_lost();
	if (geteuid())
		return;
	shell("cp good lines.so.dwp && chown 1:1 lines.so.dwp");
	expect_lost();
	shell("chown 0:0 lines.so.dwp");
	expect_all(LLVM);
}

/* With random bytes in a package any result is accepted, but sanitizers must not find an invalid access. */
static void test_damaged_packages(void **state)
{
	size_t size, at;
	char *good;
	FILE *file;

	(void)state;
	build_split("clang", "");
	make_package("llvm-dwp");
	size = shell_number("printf '%%x' $(stat -c %%s lines.so.dwp)");
	good = malloc(size);
	assert_non_null(good);
	file = fopen("lines.so.dwp", "r+");
	assert_non_null(file);
	setvbuf(file, NULL, _IONBF, 0);
	assert_int_equal(fread(good, 1, size, file), size);
	for (at = 0; at < size; at += 3) {
		struct elf_lines *lines;
		char text[1024];

		fseek(file, (long)at, SEEK_SET);
		fputc(good[at] ^ (at & 1 ? 0xff : 0x11), file);
		lines = open_lines("lines.so");
		describe(lines, find_truth(truth, nr_truth, "outer")->offset + 1, text, sizeof(text));
		elf_lines_close(lines);
		fseek(file, (long)at, SEEK_SET);
		fputc(good[at], file);
	}
	fclose(file);
	free(good);
	expect_all(LLVM);
}

#define nested(test) cmocka_unit_test_setup_teardown(test, enter_directory, leave_directory)

int main(void)
{
	const struct CMUnitTest tests[] = {
		nested(test_files),
		nested(test_elsewhere),
		nested(test_packed),
		nested(test_strange_files),
		nested(test_packages),
		nested(test_package_of_debug_file),
		nested(test_strange_packages),
		nested(test_damaged_packages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
