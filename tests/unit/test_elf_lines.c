// SPDX-License-Identifier: GPL-2.0-only
/* Source lines and inlined calls: against what addr2line says, wherever the DWARF is; damaged DWARF. */
#include "elf_fixture.h"

#include <errno.h>
#include <sys/stat.h>

#include "elf_lines.h"

/* Calls that are inlined twice, out of a block and out of another file; the lines are those of the test below. */
static const char source[] =
	"#include \"part.h\"\n"
	"int sum;\n"
	"static inline __attribute__((always_inline)) int inner(int i)\n"
	"{\n"
	"	sum += i * 7;\n"
	"	return i ^ sum;\n"
	"}\n"
	"static inline __attribute__((always_inline)) int middle(int i)\n"
	"{\n"
	"	if (i & 1) {\n"
	"		int more = inner(i + 1);\n"
	"		return more + part(more);\n"
	"	}\n"
	"	return inner(i) + 5;\n"
	"}\n"
	"__attribute__((noinline)) int outer(int i)\n"
	"{\n"
	"	return middle(i) * 3;\n"
	"}\n"
	"int again(int i) { return inner(outer(i)) + middle(i + 2); }\n";

static const char part[] = "static inline __attribute__((always_inline)) int part(int i)\n{\n	return i / 3;\n}\n";

/* That of binutils 2.40 does not see what clang says of functions in several pieces. */
#define LLVM "llvm-addr2line"

static struct truth truth[MAX_TRUTH];
static size_t nr_truth;

static void build(const char *compiler, const char *flags)
{
	write_text("part.h", part);
	write_text("lines.c", source);
	shell("%s -O2 -g %s -fPIC -shared -o lines.so lines.c", compiler, flags);
	nr_truth = read_truth("lines.so", truth);
}

static struct elf_lines *try_lines(const char *name)
{
	int fd = open(name, O_RDONLY);
	struct elf_lines *lines;

	assert_true(fd >= 0);
	lines = elf_lines_open(fd, &(struct debug_search){ .path = absolute(name), .root = -1 });
	close(fd);
	return lines;
}

static struct elf_lines *open_lines(const char *name)
{
	struct elf_lines *lines = try_lines(name);

	if (!lines)
		fail_msg("%s: %s", name, strerror(errno));
	return lines;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* "inner lines.c:5 < middle lines.c:14 < lines.c:18" */
static const char *describe(struct elf_lines *lines, uint64_t offset, char *text, size_t size)
{
	struct elf_place places[ELF_PLACES_MAX];
	size_t nr = elf_lines_find(lines, offset, places), length = 0;

	text[0] = '\0';
	for (size_t i = 0; i < nr; i++) {
		bool last = i + 1 == nr;

		assert_int_equal(last, !places[i].function);
		length += (size_t)snprintf(text + length, size - length, "%s%s%s:%u%s", last ? "" : places[i].function,
					   last ? "" : " ", base_name(places[i].file), places[i].line,
					   last ? "" : " < ");
		assert_true(length < size);
	}
	return text;
}

/* The same as addr2line has it, for each byte of the functions of the test. */
static FILE *ask_addr2line(const char *tool, const char *name)
{
	static const char joins[] =
		"function flush() { for (i = 1; i < n; i++) printf \"%s %s < \", names[i], places[i];"
		" if (n) print places[n]; n = 0 }\n"
		"/^0x/ { flush(); next }\n"
		"{ names[++n] = $0; getline; sub(/ .*/, \"\"); sub(/.*\\//, \"\"); places[n] = $0 }\n"
		"END { flush() }\n";
	char command[256];
	FILE *out;

	write_text("joins.awk", joins);
	snprintf(command, sizeof(command), "%s -a -i -f -e %s <addresses | awk -f joins.awk", tool, name);
	out = popen(command, "r");
	assert_non_null(out);
	return out;
}

static void write_addresses(const char *name)
{
	uint64_t vaddr = shell_number("readelf -lW %s | awk '$1==\"LOAD\" && / E /{print $3}'", name);
	uint64_t offset = shell_number("readelf -lW %s | awk '$1==\"LOAD\" && / E /{print $2}'", name);
	FILE *file = fopen("addresses", "w");

	assert_non_null(file);
	for (size_t i = 0; i < nr_truth; i++) {
		for (uint64_t at = 0; at < truth[i].size; at++)
			fprintf(file, "0x%llx\n", (unsigned long long)(truth[i].offset - offset + vaddr + at));
	}
	fclose(file);
}

/* Compares all bytes of all functions. Returns how many of them have a call inlined. */
static size_t compare(struct elf_lines *lines, const char *tool, const char *with)
{
	char wanted[1024], got[1024];
	size_t nr_inlined = 0;
	FILE *out;

	write_addresses(with);
	out = ask_addr2line(tool, with);
	for (size_t i = 0; i < nr_truth; i++) {
		for (uint64_t at = 0; at < truth[i].size; at++) {
			assert_non_null(fgets(wanted, sizeof(wanted), out));
			wanted[strcspn(wanted, "\n")] = '\0';
			describe(lines, truth[i].offset + at, got, sizeof(got));
			/* Code that the compiler made up has no line. */
			if (strstr(wanted, ":?") || strstr(wanted, ":0"))
				continue;
			assert_string_equal(got, wanted);
			nr_inlined += strchr(got, '<') != NULL;
		}
	}
	pclose(out);
	return nr_inlined;
}

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

/* What is known beforehand, so that both cannot be wrong in the same way. */
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
	/* Neither in front of the code nor behind it. */
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

/* The debug file beside it, with the right checksum. */
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

/* What several debug files share lies in one of its own; without that, nothing is said. */
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
	/* Another file by that name. */
	shell("gcc -g -O1 -fPIC -shared -Wl,--build-id=0x0123456789 -o shared.debug lines.c");
	assert_null(try_lines("lines.so"));
}

/* Files that a unit was split off to are read if they are ours, and no pipe. */
static void test_split(void **state)
{
	char text[1024];
	struct elf_lines *lines;
	const struct truth *outer;

	(void)state;
	build("gcc", "");
	shell("mv lines.so whole.so && gcc -O2 -g -gsplit-dwarf -fPIC -c lines.c && gcc -shared -o lines.so lines.o");
	outer = find_truth(truth, nr_truth, "outer");
	lines = open_lines("lines.so");
	assert_true(compare(lines, "addr2line", "whole.so") > 20);
	assert_null(elf_lines_lost(lines));
	elf_lines_close(lines);

	shell("mv lines.dwo gone && mkfifo lines.dwo");
	lines = open_lines("lines.so");
	describe(lines, outer->offset + 1, text, sizeof(text));
	assert_null(strchr(text, '<'));
	assert_string_equal(elf_lines_lost(lines), "lines.dwo");
	elf_lines_close(lines);
	/* It has gone. */
	unlink("lines.dwo");
	lines = open_lines("lines.so");
	assert_null(elf_lines_lost(lines));
	describe(lines, outer->offset + 1, text, sizeof(text));
	assert_string_equal(elf_lines_lost(lines), "lines.dwo");
	elf_lines_close(lines);
}

/* Not every libelf can unpack it: then that is the reason, and nothing is told. */
static void test_zstd(void **state)
{
	struct elf_lines *lines;

	(void)state;
	build("gcc", "");
	shell("objcopy --compress-debug-sections=zstd lines.so packed.so &&"
	      " readelf -t packed.so | grep -A1 -m1 COMPRESSED | grep -q ZSTD");
	errno = 0;
	lines = try_lines("packed.so");
	if (lines)
		assert_true(compare(lines, "addr2line", "lines.so") > 20);
	else
		assert_int_equal(errno, EPROTONOSUPPORT);
	elf_lines_close(lines);
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
		nested(test_split),
		nested(test_zstd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
