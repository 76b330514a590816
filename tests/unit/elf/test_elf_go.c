// SPDX-License-Identifier: GPL-2.0-only
/* Functions of stripped Go programs are named by the function table of the runtime, in each of its formats. */
#include "elf_symbols_fixture.h"

static char source[PATH_MAX];

#define TEXT_BYTES 48

/* Checks the name of each group of eight bytes. */
static void check_names(const char *flags, const char *const names[TEXT_BYTES / 8], bool headers)
{
	struct elf_symbols *symbols;
	uint64_t vaddr, start;

	shell("gcc -nostdlib -Wl,--build-id=none %s -o a %s && strip -o b a", flags, source);
	start = shell_number("nm a | awk '$3==\"text\"{print $1}'");
	vaddr = shell_number("readelf -lW a | awk '$1==\"LOAD\" && / E /{print $3}'");
	start += shell_number("readelf -lW a | awk '$1==\"LOAD\" && / E /{print $2}'") - vaddr;
	if (!headers)
		remove_headers("b");
	symbols = open_symbols("b");
	assert_non_null(symbols);
	for (uint64_t at = 0; at < TEXT_BYTES; at++) {
		const char *name = name_at(symbols, start + at);

		if (strcmp(name, names[at / 8]))
			fail_msg("%s: +%lu is called \"%s\"", flags, (unsigned long)at, name);
	}
	elf_symbols_close(symbols);
}

static const char *const all[] = { "_rt0_amd64_linux", "main.one", "main.one", "", "main.(*thing).two", "" };
static const char *const none[] = { "", "", "", "", "", "" };

static void test_forms(void **state)
{
	static const int forms[] = { 2, 16, 18, 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		char flags[64];

		snprintf(flags, sizeof(flags), "-DFORM=%d -static -no-pie", forms[i]);
		check_names(flags, all, true);
		check_names(flags, all, false);
	}
}

/* In a position-independent program, the loader writes the address of the code. */
static void test_position_independent(void **state)
{
	(void)state;
	check_names("-DFORM=18 -pie", all, true);
	check_names("-DFORM=20 -pie", all, false);
	check_names("-DFORM=20 -static-pie", all, true);
}

/* The table has no address of the code: it is accepted if the entry point has the expected name. */
static void test_text_not_told(void **state)
{
	(void)state;
	check_names("-DFORM=20 -DTEXT=0 -DLEAD=0 -static -no-pie", all, true);
	check_names("-DFORM=20 -DTEXT=0 -DLEAD=0 -static -no-pie", all, false);
	check_names("-DFORM=20 -DTEXT=0 -DLEAD=0 -static -no-pie -Wl,-e,one", none, true);
	check_names("-DFORM=20 -DTEXT=0 -DLEAD=16 -static -no-pie", none, true);
}

/* A record with the address of another function gives no name. */
static void test_wrong_record(void **state)
{
	static const char *const names[] = { "_rt0_amd64_linux", "main.one", "main.one", "", "", "" };

	(void)state;
	check_names("-DFORM=20 -DWRONG=1 -static -no-pie", names, true);
	check_names("-DFORM=2 -DWRONG=8 -static -no-pie", names, true);
}

#define MANY_BYTES (1U << 20)
#define LARGE_BYTES (64U << 20)

/*
 * A sparse file with thousands of places that look like a table, each with millions of functions to check: it has no
 * names, and the search ends quickly.
 */
static void test_many_that_look_like_one(void **state)
{
	static const uint8_t header[] = { 0xf1, 0xff, 0xff, 0xff, 0, 0, 1, sizeof(void *) };
	Elf64_Ehdr file = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_EXEC, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_entry = 1,
		.e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
	};
	const Elf64_Phdr load = {
		.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000, .p_filesz = LARGE_BYTES,
		.p_memsz = LARGE_BYTES, .p_align = 0x1000,
	};
	uint8_t *bytes = calloc(1, MANY_BYTES);
	struct elf_symbols *symbols;
	int fd;

	(void)state;
	memcpy(bytes, &file, sizeof(file));
	memcpy(bytes + sizeof(file), &load, sizeof(load));
	for (uint32_t at = 0x1000; at + 96 <= MANY_BYTES; at += 96) {
		const uint64_t fields[8] = { 4U << 20, 0, 0, 0, 0, 0, 0, 4096 };

		memcpy(bytes + at, header, sizeof(header));
		memcpy(bytes + at + sizeof(header), fields, sizeof(fields));
	}
	fd = open("many", O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, bytes, MANY_BYTES), MANY_BYTES);
	assert_int_equal(ftruncate(fd, LARGE_BYTES), 0);
	close(fd);
	free(bytes);
	symbols = open_symbols("many");
	assert_string_equal(symbols ? name_at(symbols, 0x2000) : "", "");
	elf_symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_forms, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_position_independent, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_text_not_told, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_wrong_record, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_many_that_look_like_one, enter_directory, leave_directory),
	};

	/* Each test changes its directory. */
	if (!realpath("tests/unit/go_table.S", source))
		return EXIT_FAILURE;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
