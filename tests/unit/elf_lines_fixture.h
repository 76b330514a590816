/* SPDX-License-Identifier: GPL-2.0-only */
/* A library whose lines and inlined calls are compared with the output of addr2line for each byte. */
#ifndef ELF_LINES_FIXTURE_H
#define ELF_LINES_FIXTURE_H

#include "elf_fixture.h"

#include <errno.h>

#include "elf/elf_lines.h"

/* Calls that are inlined through two functions, from a block and from another file; tests below check the lines. */
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

/* The addr2line of binutils 2.40 does not support functions of clang in several pieces. */
#define LLVM "llvm-addr2line"

static struct truth truth[MAX_TRUTH];
static size_t nr_truth;

static inline void build(const char *compiler, const char *flags)
{
	write_text("part.h", part);
	write_text("lines.c", source);
	shell("%s -O2 -g %s -fPIC -shared -o lines.so lines.c", compiler, flags);
	nr_truth = read_truth("lines.so", truth);
}

static inline struct elf_lines *try_lines(const char *name)
{
	int fd = open(name, O_RDONLY);
	struct elf_lines *lines;

	assert_true(fd >= 0);
	lines = elf_lines_open(fd, &(struct debug_search){ .path = absolute(name), .root = -1 });
	close(fd);
	return lines;
}

static inline struct elf_lines *open_lines(const char *name)
{
	struct elf_lines *lines = try_lines(name);

	if (!lines)
		fail_msg("%s: %s", name, strerror(errno));
	return lines;
}

static inline const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "?";
}

/* "inner lines.c:5 < middle lines.c:14 < lines.c:18" */
static inline const char *describe(struct elf_lines *lines, uint64_t offset, char *text, size_t size)
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

/* Runs addr2line for each byte of the functions of the test, with output in the same format. */
static inline FILE *ask_addr2line(const char *tool, const char *name)
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

static inline void write_addresses(const char *name)
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

/* Compares all bytes of all functions. Returns the number of bytes with an inlined call. */
static inline size_t compare(struct elf_lines *lines, const char *tool, const char *with)
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
			/* Code that the compiler generates has no line. */
			if (strstr(wanted, ":?") || strstr(wanted, ":0"))
				continue;
			assert_string_equal(got, wanted);
			nr_inlined += strchr(got, '<') != NULL;
		}
	}
	pclose(out);
	return nr_inlined;
}

#endif
