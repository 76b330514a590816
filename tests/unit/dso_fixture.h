/* SPDX-License-Identifier: GPL-2.0-only */
/* A library that is built, mapped into this process and looked up, for the tests of dso.c. */
#ifndef TPROF_TESTS_DSO_FIXTURE_H
#define TPROF_TESTS_DSO_FIXTURE_H

#include "elf_fixture.h"

#include <sys/mman.h>

#include "base/clock.h"
#include "dso/dso.h"
#include "file_id.h"

static struct truth truth[MAX_TRUTH];
static size_t nr_truth;

/* A library mapped into this process, as a record of the kernel describes it. */
struct mapped {
	void *at;
	size_t size;
	struct dso_id id;
	char path[PATH_MAX];
};

static void map_file(struct mapped *mapped, const char *name)
{
	struct stat st;
	int fd = open(name, O_RDONLY);

	assert_int_equal(fstat(fd, &st), 0);
	mapped->size = (st.st_size + 4095) & ~4095L;
	mapped->at = mmap(NULL, mapped->size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped->at, MAP_FAILED);
	close(fd);
	strcpy(mapped->path, absolute(name));
	mapped->id = file_id(mapped->path);
}

static inline struct dso *get(struct dsos *dsos, const struct mapped *mapped, pid_t pid)
{
	uint64_t start = (uint64_t)mapped->at;

	return dsos_get(dsos, &mapped->id, pid, start, start + mapped->size, clock_now_ns());
}

/* Returns the name that is found at a function of the library, or "". */
static inline const char *name_of(struct dso *dso, const char *function)
{
	const char *name;
	uint64_t delta;

	if (!dso_symbol(dso, find_truth(truth, nr_truth, function)->offset, &name, &delta))
		return "";
	assert_int_equal(delta, 0);
	return name;
}

static void build(const char *name, const char *flags)
{
	build_library(name, flags);
	nr_truth = read_truth(name, truth);
}

/* Another library at the same path, with other functions at the same addresses. */
static inline void replace_library(const char *flags)
{
	write_text("other.c", "int zero(void) { return 0; }\nint wrong_a(int i) { return i * 5 + zero(); }\n"
		   "int wrong_b(int i) { return i * 7 + zero(); }\nint wrong_c(int i) { return i + wrong_a(i); }\n");
	shell("gcc -O1 -fno-inline -fPIC -shared %s -o other.so other.c && mv other.so lib.so", flags);
}

#define in_directory(test) cmocka_unit_test_setup_teardown(test, enter_directory, leave_directory)

#endif
