// SPDX-License-Identifier: GPL-2.0-only
/* Mappings over those of a real file, whose program headers show where its code was. */
#include "dso_fixture.h"

#include "base/clock.h"
#include "process/aspace.h"

/* Larger than the largest PID, so it does not exist in /proc. */
#define TGID 5000000
#define START 0x7f0000000000UL

static const char *object_at(struct aspaces *aspaces, uint64_t offset)
{
	const struct mapping *mapping = aspaces_find(aspaces, TGID, 0, START + offset);

	return mapping ? dso_name(mapping->dso) : "";
}

static void map_at(struct aspaces *aspaces, uint64_t offset, uint64_t length, const struct dso_id *id)
{
	aspaces_mmap(aspaces, TGID, START + offset, length, 0, id, clock_now_ns());
}

/*
 * If the first segment of a program has the code, as with linkers for arm64, the kernel first maps the file as
 * executable up to the end of its data, and then unmaps the gap between the segments: a mapping in the gap replaces no
 * code.
 */
static void test_gap(void **state)
{
	const struct dso_id vdso = { .path = "[vdso]" }, anonymous = { .path = "//anon" };
	struct dsos *dsos = dsos_new(NULL);
	struct aspaces *aspaces = aspaces_new(dsos, NULL);
	struct mapped mapped;

	(void)state;
	build("lib.so", "-Wl,-z,noseparate-code,-z,max-page-size=0x10000");
	map_file(&mapped, "lib.so");
	assert_true(shell_number("readelf -lW lib.so | awk '$1==\"LOAD\" && $2==\"0x000000\" && / E /{print $5}'") > 0);
	assert_true(shell_number("readelf -lW lib.so | awk '$1==\"LOAD\" && / E /{print $5}'") < 0x10000);
	aspaces_exec(aspaces, TGID, "program", clock_now_ns());
	map_at(aspaces, 0, 0x20000, &mapped.id);
	map_at(aspaces, 0x10000, 0x2000, &vdso);
	map_at(aspaces, 0x12000, 0x1000, &anonymous);
	assert_string_equal(object_at(aspaces, 0), "lib.so");
	assert_string_equal(object_at(aspaces, 0x10000), "[vdso]");
	assert_string_equal(object_at(aspaces, 0x12fff), "[jit]");
	/* A mapping over its code makes addresses there ambiguous. */
	map_at(aspaces, 0, 0x2000, &anonymous);
	assert_string_equal(object_at(aspaces, 0), "");
	aspaces_age(aspaces);
	aspaces_age(aspaces);
	assert_string_equal(object_at(aspaces, 0), "[jit]");
	munmap(mapped.at, mapped.size);
	aspaces_free(aspaces);
	dsos_free(dsos);
}

/* A file that is not ELF may have code anywhere. */
static void test_no_elf_file(void **state)
{
	const struct dso_id anonymous = { .path = "//anon" };
	struct dsos *dsos = dsos_new(NULL);
	struct aspaces *aspaces = aspaces_new(dsos, NULL);
	struct mapped mapped;

	(void)state;
	write_text("code", "not an ELF file\n");
	map_file(&mapped, "code");
	aspaces_exec(aspaces, TGID, "program", clock_now_ns());
	map_at(aspaces, 0, 0x20000, &mapped.id);
	map_at(aspaces, 0x10000, 0x1000, &anonymous);
	assert_string_equal(object_at(aspaces, 0x10000), "");
	munmap(mapped.at, mapped.size);
	aspaces_free(aspaces);
	dsos_free(dsos);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_directory(test_gap),
		in_directory(test_no_elf_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
