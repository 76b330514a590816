// SPDX-License-Identifier: GPL-2.0-only
/* Build IDs from ELF notes: of this kernel, and from damaged notes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "elf/elf_build_id.h"
#include "symbol/kernel_build_id.h"

static const uint8_t notes[] = {
	/* Another note, whose name is padded: "Xen", 5 bytes. */
	4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'X', 'e', 'n', 0, 1, 2, 3, 4, 5, 0, 0, 0,
	4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
	0xab, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 0x0f,
};

static void test_notes(void **state)
{
	char text[ELF_BUILD_ID_TEXT];
	uint8_t build_id[ELF_BUILD_ID_MAX];

	(void)state;
	assert_int_equal(elf_notes_build_id(notes, sizeof(notes), 4, build_id), 20);
	assert_string_equal(elf_build_id_text(text, build_id, 20), "ab0102030405060708090a0b0c0d0e0f101112" "0f");
	assert_string_equal(elf_build_id_text(text, build_id, 0), "");
	/* Truncated anywhere, there is no build ID. */
	for (size_t size = 0; size < sizeof(notes); size++)
		assert_int_equal(elf_notes_build_id(notes, size, 4, build_id), 0);
}

static void test_this_kernel(void **state)
{
	static const uint8_t head[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	struct kernel_build_ids ids = { 0 };
	char text[ELF_BUILD_ID_TEXT];
	uint8_t all[16384], *found;
	FILE *file = fopen("/sys/kernel/notes", "r");
	size_t size = file ? fread(all, 1, sizeof(all), file) : 0;

	(void)state;
	if (file)
		fclose(file);
	found = memmem(all, size, head, sizeof(head));
	if (!found)
		skip();
	elf_build_id_text(text, found + sizeof(head), 20);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(kernel_build_id(&ids, "[kernel]"), text);
		kernel_build_ids_age(&ids);
	}
	assert_string_equal(kernel_build_id(&ids, "[kernel]"), kernel_build_id(&ids, "[kernel]"));
	kernel_build_ids_age(&ids);
}

static void test_no_module(void **state)
{
	static const char *const objects[] = {
		"", "[]", "[bpf]", "[no_such_module]", "[..]", "[../../kernel]", "ext4",
	};
	struct kernel_build_ids ids = { 0 };
	char longest[5000];

	(void)state;
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		assert_string_equal(kernel_build_id(&ids, objects[i]), "");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_string_equal(kernel_build_id(&ids, longest), "");
	kernel_build_ids_age(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_this_kernel),
		cmocka_unit_test(test_no_module),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
