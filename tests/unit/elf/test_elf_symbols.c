// SPDX-License-Identifier: GPL-2.0-only
/* Function symbols of ELF files, compared with nm; damaged files. */
#include "elf_symbols_fixture.h"

#include <errno.h>
#include <sys/stat.h>

#include "elf/elf_build_id.h"

static const struct debug_search nowhere = { .path = "/nowhere/lib.so", .root = -1 };

/* Every function has one of its names from nm, from its first to its last byte. */
static void check_all(const struct elf_symbols *symbols, const struct truth *truth, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t last = truth[i].size - 1, step = last / 3 ? last / 3 : 1;

		for (uint64_t at = 0; at <= last; at += step) {
			const char *name = name_at(symbols, truth[i].offset + at);

			if (!is_true(truth, nr, truth[i].offset + at, name))
				fail_msg("%s+%#lx is called \"%s\"", truth[i].name, (long)at, name);
		}
		if (!is_true(truth, nr, truth[i].offset + last, name_at(symbols, truth[i].offset + last)))
			fail_msg("the end of %s has no name", truth[i].name);
	}
}

static void test_symtab(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct elf_symbols *symbols;
	size_t nr;

	(void)state;
	build_library("lib.so", "");
	nr = read_truth("lib.so", truth);
	symbols = open_symbols("lib.so");
	assert_non_null(symbols);
	check_all(symbols, truth, nr);
	assert_string_equal(name_at(symbols, find_truth(truth, nr, "hidden")->offset), "hidden");
	assert_string_equal(name_at(symbols, find_truth(truth, nr, "__first_alias")->offset), "first");
	/* Outside of all code. */
	assert_string_equal(name_at(symbols, 0), "");
	assert_string_equal(name_at(symbols, UINT64_MAX), "");
	elf_symbols_close(symbols);
}

/* A function without a symbol must not have the name of an adjacent one. */
static void test_dynsym_only(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct elf_symbols *symbols;
	size_t nr;

	(void)state;
	build_library("lib.so", "-Wl,--build-id=none");
	nr = read_truth("lib.so", truth);
	shell("strip -o stripped.so lib.so");
	symbols = open_symbols("stripped.so");
	assert_non_null(symbols);
	assert_string_equal(name_at(symbols, find_truth(truth, nr, "third")->offset + 1), "third");
	for (uint64_t at = 0; at < find_truth(truth, nr, "hidden")->size; at++)
		assert_string_equal(name_at(symbols, find_truth(truth, nr, "hidden")->offset + at), "");
	elf_symbols_close(symbols);
}

/* Functions of four bytes. Those that are not exported have no symbol after the file is stripped. */
static const char unsized_source[] =
	".text\n.globl bare, framed, sized, empty\n.type bare,@function\n.type framed,@function\n"
	".type sized,@function\n.type empty,@function\n"
	"bare: .space 4,0x90\n"
	"hidden1: .space 4,0x90\n"
	"framed: .cfi_startproc\n.space 4,0x90\n.cfi_endproc\n"
	"hidden2: .space 4,0x90\n"
	"sized: .space 4,0x90\n.size sized,.-sized\n"
	"empty: .cfi_startproc\n.cfi_endproc\n.type hidden3,@function\n"
	"hidden3: .cfi_startproc\n.space 4,0x90\n.cfi_endproc\n.size hidden3,.-hidden3\n"
	".section .note.GNU-stack,\"\",@progbits\n";

/*
 * An empty function does not name the code after it; nor does a symbol without a size, if only exported functions have
 * symbols.
 */
static void test_unsized(void **state)
{
	static const char *const files[] = { "a.so", "bare.so" };
	static const char *const names[][6] = {
		{ "bare", "hidden1", "framed", "hidden2", "sized", "hidden3" },
		{ "", "", "", "", "sized", "" },
	};
	uint64_t start;

	(void)state;
	write_text("a.s", unsized_source);
	shell("gcc -shared -nostdlib -o a.so a.s && strip -o bare.so a.so");
	start = shell_number("nm a.so | awk '$3==\"bare\"{print $1}'");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		struct elf_symbols *symbols = open_symbols(files[i]);

		assert_non_null(symbols);
		for (size_t at = 0; at < 6 * 4; at++)
			assert_string_equal(name_at(symbols, start + at), names[i][at / 4]);
		elf_symbols_close(symbols);
	}
}

static void test_cpp_and_executables(void **state)
{
	static const char *const flags[] = { "-pie", "-no-pie", "-static", "-Wl,-z,noseparate-code" };
	static struct truth truth[MAX_TRUTH];
	struct elf_symbols *symbols;

	(void)state;
	write_text("a.cc", "#include <string>\n#include <vector>\n"
		   "namespace n { struct s { std::vector<int> v; s(int); ~s(); int get() const; }; }\n"
		   "n::s::s(int i) : v(i) {} n::s::~s() {} int n::s::get() const { return v[0]; }\n"
		   "int main(int c, char **v) { n::s s(c); std::string t(v[0]); return s.get() + t.size(); }\n");
	for (size_t i = 0; i < 4; i++) {
		size_t nr;

		shell("g++ -O1 -fPIE %s -o a a.cc", flags[i]);
		nr = read_truth("a", truth);
		symbols = open_symbols("a");
		assert_non_null(symbols);
		check_all(symbols, truth, nr);
		assert_string_equal(name_at(symbols, find_truth(truth, nr, "_ZNK1n1s3getEv")->offset),
				    "_ZNK1n1s3getEv");
		elf_symbols_close(symbols);
	}
}

static void test_plt(void **state)
{
	static const char *const flags[] = {
		"-fcf-protection=none", "-fcf-protection=full -Wl,-z,ibtplt", "-Wl,-z,now", "-Wl,-z,lazy",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		struct elf_symbols *symbols;
		uint64_t offset;

		build_library("lib.so", flags[i]);
		offset = shell_number("objdump -d lib.so | awk '/<strlen@plt>:/{print $1}'");
		symbols = open_symbols("lib.so");
		assert_non_null(symbols);
		/* In a library, the address of the first executable segment equals its offset. */
		assert_string_equal(name_at(symbols, offset), "strlen@plt");
		assert_string_equal(name_at(symbols, offset + 6), "strlen@plt");
		/* Where a function is bound when it is called for the first time. */
		offset = shell_number("objdump -h lib.so | awk '$2==\".plt\"{print $4}'");
		assert_string_equal(name_at(symbols, offset), ".plt");
		assert_string_equal(name_at(symbols, offset + 6), ".plt");
		elf_symbols_close(symbols);
	}
}

static void test_assembly(void **state)
{
	struct elf_symbols *symbols;
	uint64_t vaddr;

	(void)state;
	write_text("a.s", ".text\n.globl outer\n.type outer,@function\nouter: nop\ninner_label: nop\n nop\n"
		   ".size outer,.-outer\n.globl bare\nbare: nop\n nop\nbare2: nop\n"
		   ".section .note.GNU-stack,\"\",@progbits\n");
	shell("gcc -shared -nostdlib -o a.so a.s");
	vaddr = shell_number("nm a.so | awk '$3==\"outer\"{print $1}'");
	symbols = open_symbols("a.so");
	assert_non_null(symbols);
	assert_string_equal(name_at(symbols, vaddr + 0), "outer");
	assert_string_equal(name_at(symbols, vaddr + 1), "outer");
	assert_string_equal(name_at(symbols, vaddr + 2), "outer");
	assert_string_equal(name_at(symbols, vaddr + 3), "bare");
	assert_string_equal(name_at(symbols, vaddr + 4), "bare");
	assert_string_equal(name_at(symbols, vaddr + 5), "bare2");
	assert_string_equal(name_at(symbols, vaddr + 6), "");
	elf_symbols_close(symbols);
}

/* On 32-bit ARM the lowest bit of a function symbol is not part of the address; elsewhere, and in labels, it is. */
static void test_thumb(void **state)
{
	static const char *const names[][8] = {
		{ "", "one", "one", "one", "one", "two", "two", "label" },
		{ "one", "one", "one", "one", "two", "two", "", "label" },
	};
	uint64_t vaddr;

	(void)state;
	write_text("a.s", ".text\nstart: .space 8,0x90\n.globl one, two, label\n.type one,%function\n"
		   ".type two,%function\n.set one,start+1\n.size one,4\n.set two,start+5\n.size two,2\n"
		   ".set label,start+7\n.section .note.GNU-stack,\"\",%progbits\n");
	shell("gcc -shared -nostdlib -o a.so a.s && objcopy -N start a.so");
	vaddr = shell_number("nm a.so | awk '$3==\"one\"{print $1}'") - 1;
	for (int arm = 0; arm < 2; arm++) {
		struct elf_symbols *symbols;

		/* e_machine; nothing else in the file depends on it */
		if (arm)
			shell("printf '\\050\\000' | dd of=a.so bs=1 seek=18 conv=notrunc status=none");
		symbols = open_symbols("a.so");
		assert_non_null(symbols);
		for (size_t at = 0; at < 8; at++)
			assert_string_equal(name_at(symbols, vaddr + at), names[arm][at]);
		elf_symbols_close(symbols);
	}
}

static void check_hidden(const char *name, const struct truth *hidden, const char *expected)
{
	struct elf_symbols *symbols = open_symbols(name);

	assert_non_null(symbols);
	assert_string_equal(name_at(symbols, hidden->offset + 1), expected);
	elf_symbols_close(symbols);
}

static void test_debuglink(void **state)
{
	static struct truth truth[MAX_TRUTH];
	const struct truth *hidden;
	size_t nr;

	(void)state;
	build_library("lib.so", "-g -Wl,--build-id=none");
	nr = read_truth("lib.so", truth);
	hidden = find_truth(truth, nr, "hidden");
	shell("objcopy --only-keep-debug lib.so lib.debug && strip lib.so &&"
	      " objcopy --add-gnu-debuglink=lib.debug lib.so");
	check_hidden("lib.so", hidden, "hidden");

	shell("mkdir .debug && mv lib.debug .debug/");
	check_hidden("lib.so", hidden, "hidden");

	/* The checksum does not match. */
	shell("printf x >> .debug/lib.debug");
	check_hidden("lib.so", hidden, "");
	shell("rm .debug/lib.debug && mkfifo lib.debug");
	check_hidden("lib.so", hidden, "");
}

/* The root of the process is searched first, and links must not lead out of it; then our own root. */
static void test_other_root(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct debug_search search = { .path = "/bin/lib.so" };
	struct elf_symbols *symbols;
	uint64_t place;
	int fd;

	(void)state;
	build_library("lib.so", "-g -Wl,--build-id=0x00feedc0ffee7509");
	place = find_truth(truth, read_truth("lib.so", truth), "hidden")->offset;
	shell("mkdir -p root/usr/lib/debug/.build-id/00 && strip -o bare.so lib.so &&"
	      " objcopy --only-keep-debug lib.so root/usr/lib/debug/.build-id/00/feedc0ffee7509.debug");
	fd = open("bare.so", O_RDONLY);
	search.root = open("root", O_PATH | O_DIRECTORY);
	for (int i = 0; i < 3; i++) {
		symbols = elf_symbols_open(fd, &search);
		assert_non_null(symbols);
		assert_string_equal(name_at(symbols, place), i < 2 ? "hidden" : "");
		elf_symbols_close(symbols);
		/* An absolute link is relative to that root. */
		if (i == 0)
			shell("mv root/usr/lib/debug root/files && ln -s /files root/usr/lib/debug");
		else if (i == 1)
			shell("mv root/files files && ln -sfn %s root/usr/lib/debug", absolute("files"));
	}
	close(search.root);
	close(fd);
}

static void make_inside(const char *packer)
{
	/* Together with the dynamic symbols, which are not inside, these are all symbols. */
	shell("objcopy --only-keep-debug lib.so inside && strip --strip-all --keep-symbol=hidden inside &&"
	      " %s <inside >inside.packed && strip -o bare.so lib.so &&"
	      " objcopy --add-section .gnu_debugdata=inside.packed bare.so", packer);
}

static void test_inside(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct elf_symbols *symbols;
	size_t nr;

	(void)state;
	build_library("lib.so", "-g");
	nr = read_truth("lib.so", truth);
	make_inside("xz");
	symbols = open_symbols("bare.so");
	assert_non_null(symbols);
	assert_string_equal(name_at(symbols, find_truth(truth, nr, "hidden")->offset), "hidden");
	assert_string_equal(name_at(symbols, find_truth(truth, nr, "second")->offset), "second");
	elf_symbols_close(symbols);
	/* Damaged, or no ELF file: only the other symbols are found. */
	make_inside("xz | head -c 200");
	check_hidden("bare.so", find_truth(truth, nr, "hidden"), "");
	check_hidden("bare.so", find_truth(truth, nr, "second"), "second");
	make_inside("tr '\\0' x | xz");
	check_hidden("bare.so", find_truth(truth, nr, "second"), "second");
	make_inside("cat");
	check_hidden("bare.so", find_truth(truth, nr, "second"), "second");
}

static void test_build_id(void **state)
{
	uint8_t build_id[ELF_BUILD_ID_MAX];
	int fd;

	(void)state;
	build_library("lib.so", "-Wl,--build-id=0x0123456789abcdef");
	fd = open("lib.so", O_RDONLY);
	assert_int_equal(elf_build_id(fd, build_id), 8);
	assert_memory_equal(build_id, "\x01\x23\x45\x67\x89\xab\xcd\xef", 8);
	close(fd);
	build_library("lib.so", "-Wl,--build-id=none");
	fd = open("lib.so", O_RDONLY);
	assert_int_equal(elf_build_id(fd, build_id), 0);
	close(fd);
}

/* Through /usr/lib/debug, with the debug files of the distribution. */
static void test_build_id_directory(void **state)
{
	struct elf_symbols *symbols;
	uint8_t build_id[ELF_BUILD_ID_MAX];
	static struct truth truth[MAX_TRUTH];
	char debug[PATH_MAX];
	size_t nr;
	int fd;

	(void)state;
	if (access("/usr/lib/debug/.build-id", W_OK) && mkdir("/usr/lib/debug/.build-id", 0755))
		skip();
	build_library("lib.so", "-g -Wl,--build-id=0x00feedc0ffee7507");
	nr = read_truth("lib.so", truth);
	fd = open("lib.so", O_RDONLY);
	assert_int_equal(elf_build_id(fd, build_id), 8);
	close(fd);
	snprintf(debug, sizeof(debug), "/usr/lib/debug/.build-id/00/feedc0ffee7507.debug");
	shell("mkdir -p /usr/lib/debug/.build-id/00 && objcopy --only-keep-debug lib.so %s && strip lib.so", debug);
	symbols = open_symbols("lib.so");
	/* Another file with the right name. */
	build_library("other.so", "-Wl,--build-id=0x00feedc0ffee7508");
	shell("cp other.so %s", debug);
	check_hidden("lib.so", find_truth(truth, nr, "hidden"), "");
	unlink(debug);
	shell("rmdir --ignore-fail-on-non-empty /usr/lib/debug/.build-id/00");
	assert_non_null(symbols);
	assert_int_equal(elf_symbols_nr(symbols) > 4, true);
	elf_symbols_close(symbols);
}

/* A file that is truncated anywhere gives right names or none. */
static void test_truncated(void **state)
{
	static struct truth truth[MAX_TRUTH];
	size_t nr, nr_named = 0;
	off_t size;
	int fd;

	(void)state;
	build_library("lib.so", "");
	nr = read_truth("lib.so", truth);
	shell("cp lib.so cut.so");
	fd = open("cut.so", O_RDWR);
	assert_true(fd >= 0);
	for (size = lseek(fd, 0, SEEK_END); size >= 0; size -= 16) {
		struct elf_symbols *symbols;

		assert_int_equal(ftruncate(fd, size), 0);
		symbols = elf_symbols_open(fd, &nowhere);
		for (size_t i = 0; symbols && i < nr; i++) {
			const char *name = name_at(symbols, truth[i].offset);

			nr_named += *name != '\0';
			if (*name && !is_true(truth, nr, truth[i].offset, name))
				fail_msg("%ld bytes: %s is called %s", (long)size, truth[i].name, name);
		}
		elf_symbols_close(symbols);
	}
	assert_true(nr_named >= nr);
	close(fd);
}

/* Random damage must not cause a crash, a sanitizer report or an infinite loop. */
static void test_damaged(void **state)
{
	unsigned char original[65536], damaged[65536];
	ssize_t size;
	int fd;

	(void)state;
	build_library("lib.so", "");
	fd = open("lib.so", O_RDWR);
	size = read(fd, original, sizeof(original));
	assert_true(size > 1000);
	srand(1);
	for (int round = 0; round < 3000; round++) {
		struct elf_symbols *symbols;
		uint8_t build_id[ELF_BUILD_ID_MAX];

		memcpy(damaged, original, size);
		for (int i = rand() % 8; i >= 0; i--) {
			/* Mostly the headers at the beginning, and the section headers at the end. */
			ssize_t at = rand() % 3 ? rand() % 900 : size - 1 - rand() % 2000;

			damaged[at] = rand() % 4 ? rand() : 0xff;
		}
		assert_int_equal(pwrite(fd, damaged, size, 0), size);
		elf_build_id(fd, build_id);
		symbols = elf_symbols_open(fd, &nowhere);
		for (size_t at = 0; symbols && at < 0x3000; at += 64)
			name_at(symbols, at);
		elf_symbols_close(symbols);
	}
	close(fd);
}

static void test_no_elf(void **state)
{
	(void)state;
	write_text("text", "no ELF file, but long enough for a header of one, if anybody would ask for it");
	assert_null(open_symbols("text"));
	assert_int_equal(errno, ENOEXEC);
	write_text("empty", "");
	assert_null(open_symbols("empty"));
	assert_int_equal(errno, ENOEXEC);
}

/* Names are read from the file on demand, so it must not have changed. */
static void test_overwritten(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct elf_symbols *symbols;
	size_t nr;

	(void)state;
	build_library("lib.so", "");
	nr = read_truth("lib.so", truth);
	symbols = open_symbols("lib.so");
	assert_non_null(symbols);
	assert_string_equal(name_at(symbols, find_truth(truth, nr, "first")->offset), "first");
	shell("sleep 0.02; tr a-z b-za < lib.so > new && cat new > lib.so");
	assert_string_equal(name_at(symbols, find_truth(truth, nr, "first")->offset), "");
	elf_symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_symtab, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_dynsym_only, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_unsized, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_cpp_and_executables, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_plt, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_assembly, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_thumb, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_other_root, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_inside, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_debuglink, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_build_id, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_build_id_directory, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_truncated, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_damaged, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_no_elf, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_overwritten, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
