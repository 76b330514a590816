/* SPDX-License-Identifier: GPL-2.0-only */
/* A symbolizer of this process, for the tests of symbolize.c. */
#ifndef TPROF_TESTS_SYMBOLIZE_FIXTURE_H
#define TPROF_TESTS_SYMBOLIZE_FIXTURE_H

#include "elf_fixture.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "dso/dso.h"
#include "process/aspace.h"
#include "symbol/symbolize.h"

struct fixture {
	struct dsos *dsos;
	struct aspaces *aspaces;
	struct symbolizer *symbolizer;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->dsos = dsos_new(NULL);
	fixture->aspaces = aspaces_new(fixture->dsos, NULL);
	fixture->symbolizer = symbolizer_new(fixture->aspaces, NULL);
	*state = fixture;
	return aspaces_scan_process(fixture->aspaces, getpid()) < 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	symbolizer_free(fixture->symbolizer);
	aspaces_free(fixture->aspaces);
	dsos_free(fixture->dsos);
	free(fixture);
	return 0;
}

static inline struct tprof_symbol resolve(struct fixture *fixture, pid_t tgid, uint64_t ip)
{
	struct tprof_symbol symbol;

	assert_int_equal(symbolizer_resolve(fixture->symbolizer, tgid, 0, ip, &symbol), 0);
	assert_non_null(symbol.name);
	assert_non_null(symbol.object);
	return symbol;
}

static inline void age(struct fixture *fixture)
{
	symbolizer_age(fixture->symbolizer);
	aspaces_age(fixture->aspaces);
}

/* Adds a mapping like a record. */
static inline void tell_file(struct fixture *fixture, pid_t tgid, uint64_t start, uint64_t length,
			     const char *path, uint64_t time_ns)
{
	struct dso_id id = { .path = path };
	struct stat st;

	if (!stat(path, &st)) {
		id.maj = major(st.st_dev);
		id.min = minor(st.st_dev);
		id.ino = st.st_ino;
	}
	aspaces_mmap(fixture->aspaces, tgid, start, length, 0, &id, time_ns);
}

#define with_fixture(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

#endif
