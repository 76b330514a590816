/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes ELF files in a temporary directory with the compiler of this machine, and reads their functions with nm.
 */
#ifndef ELF_FIXTURE_H
#define ELF_FIXTURE_H

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <setjmp.h>
#include <stddef.h>
#include <cmocka.h>

/* Runs a command, which must succeed. */
__attribute__((format(printf, 1, 2))) static inline void shell(const char *format, ...)
{
	char command[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	if (system(command))
		fail_msg("failed: %s", command);
}

static inline int enter_directory(void **state)
{
	char *directory = strdup("/tmp/tprof-test-XXXXXX");

	if (!directory || !mkdtemp(directory) || chdir(directory))
		return -1;
	*state = directory;
	return 0;
}

static inline int leave_directory(void **state)
{
	char command[64];

	if (chdir("/"))
		return -1;
	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	free(*state);
	return system(command) ? -1 : 0;
}

static inline void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

/* Returns the absolute path of a file in the working directory, in a static buffer. */
static inline const char *absolute(const char *name)
{
	static char path[PATH_MAX];

	assert_non_null(getcwd(path, sizeof(path) - strlen(name) - 2));
	strcat(strcat(path, "/"), name);
	return path;
}

/* A function from nm, with its file offset. */
struct truth {
	uint64_t offset, size;
	char name[256];
};

#define MAX_TRUTH 16384

/* Returns the first number that a command prints. */
__attribute__((format(printf, 1, 2))) static inline uint64_t shell_number(const char *format, ...)
{
	char command[1024], line[256] = "";
	va_list args;
	FILE *out;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	out = popen(command, "r");
	assert_non_null(out);
	if (!fgets(line, sizeof(line), out))
		fail_msg("no output: %s", command);
	pclose(out);
	return strtoull(line, NULL, 16);
}

/* Reads all functions with a size from a file with symbols; the offsets are the same in the stripped file. */
static inline size_t read_truth(const char *path, struct truth *truth)
{
	uint64_t vaddr = shell_number("readelf -lW %s | awk '$1==\"LOAD\" && / E /{print $3}'", path);
	uint64_t offset = shell_number("readelf -lW %s | awk '$1==\"LOAD\" && / E /{print $2}'", path);
	char command[PATH_MAX + 64], line[1024];
	size_t nr = 0;
	FILE *out;

	snprintf(command, sizeof(command), "nm -S --defined-only %s", path);
	out = popen(command, "r");
	assert_non_null(out);
	while (fgets(line, sizeof(line), out) && nr < MAX_TRUTH) {
		unsigned long long start, size;
		char type;

		if (sscanf(line, "%llx %llx %c %255s", &start, &size, &type, truth[nr].name) != 4 ||
		    !strchr("tTwWi", type) || truth[nr].name[1] == '.')
			continue;	/* "_.stapsdt.base" is weak, but not code */
		truth[nr].name[strcspn(truth[nr].name, "@")] = '\0';
		truth[nr].offset = start - vaddr + offset;
		truth[nr++].size = size;
	}
	pclose(out);
	assert_true(nr > 0);
	return nr;
}

static inline const struct truth *find_truth(const struct truth *truth, size_t nr, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (!strcmp(truth[i].name, name))
			return &truth[i];
	}
	fail_msg("nm does not know %s", name);
	return NULL;
}

/* Whether nm has this name at this offset; a function may have several. */
static inline bool is_true(const struct truth *truth, size_t nr, uint64_t offset, const char *name)
{
	for (size_t i = 0; i < nr; i++) {
		if (offset >= truth[i].offset && offset - truth[i].offset < truth[i].size &&
		    !strcmp(truth[i].name, name))
			return true;
	}
	return false;
}

static const char library_source[] =
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"static __attribute__((noinline)) int hidden(int i) { return i * 3 + rand(); }\n"
	"int first(int i) { return hidden(i) + 1; }\n"
	"int second(const char *s) { return (int)strlen(s) + hidden(2) * atoi(s); }\n"
	"int __first_alias(int i) __attribute__((alias(\"first\")));\n"
	"int third(int i) { return hidden(i) - first(i); }\n";

/* NAME.c -> NAME; extra flags can strip (-s) or ask for a build id. */
static inline void build_library(const char *name, const char *flags)
{
	char source[64];

	snprintf(source, sizeof(source), "%s.c", name);
	write_text(source, library_source);
	shell("gcc -O1 -fno-inline -fPIC -shared %s -o %s %s", flags, name, source);
}

#endif
