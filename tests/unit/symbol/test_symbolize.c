// SPDX-License-Identifier: GPL-2.0-only
/* Symbolizes addresses of this process: functions, libraries, the kernel, and addresses without a name. */
#include "symbolize_fixture.h"

#include <malloc.h>

#include "base/clock.h"
#include "dso/dso.h"
#include "elf/elf_build_id.h"
#include "file_id.h"

/*
 * Adjacent functions: the last instruction of one is a call, another is entered by a return to its first byte, and
 * signal handlers return to the third.
 */
#if defined(__x86_64__)
#define SIGNAL_RETURN "mov $15, %eax\nsyscall\n"
#define CALL "call calls_last\n"
#define HALT "hlt\n"
#elif defined(__aarch64__)
#define SIGNAL_RETURN "mov x8, #139\nsvc #0\n"
#define CALL "bl calls_last\n"
#define HALT "nop\n"
#endif
#define FUNCTION(name, code) \
	".type " #name ", %function\n" #name ":\n" code ".size " #name ", . - " #name "\n"
__asm__(".text\n.p2align 4\n" FUNCTION(calls_last, CALL) FUNCTION(behind_call, HALT)
	FUNCTION(entered, HALT) FUNCTION(signal_return, SIGNAL_RETURN) FUNCTION(last, HALT));
extern const char behind_call[], entered[], signal_return[], last[];

/* Returns the name of a frame of a call stack. */
static const char *frame_name_at(struct fixture *fixture, uint64_t address, enum frame_kind kind)
{
	const struct tprof_frame *frames;

	assert_int_equal(symbolizer_stack_frames(fixture->symbolizer, getpid(), 0, address, kind, &frames), 1);
	return frames[0].symbol;
}

#define frame_name(fixture, address, kind) frame_name_at(fixture, (uintptr_t)(address), kind)

/* A call is before its return address, but not every return address follows a call. */
static void test_returned_to(void **state)
{
	struct fixture *fixture = *state;

	for (int round = 0; round < 2; round++) {
		assert_string_equal(frame_name(fixture, behind_call, FRAME_RETURNED_TO), "calls_last");
		assert_string_equal(frame_name(fixture, entered, FRAME_RETURNED_TO), "entered");
		assert_string_equal(frame_name(fixture, signal_return, FRAME_RETURNED_TO), "signal_return");
		assert_string_equal(frame_name(fixture, (uintptr_t)signal_return + 1, FRAME_RETURNED_TO),
				    "signal_return");
		assert_string_equal(frame_name(fixture, last, FRAME_RETURNED_TO), "last");
		/* The address itself, if the kind of the frame is known */
		assert_string_equal(frame_name(fixture, behind_call, FRAME_AT), "behind_call");
		assert_string_equal(frame_name(fixture, (uintptr_t)entered - 1, FRAME_AT), "behind_call");
		age(fixture);
	}
}

static void test_found_by_frame_pointer(void **state)
{
	struct fixture *fixture = *state;

	assert_string_equal(frame_name(fixture, entered, FRAME_BY_POINTER), "entered (frame pointer)");
	/* It differs from the frame of another kind at this address. */
	assert_string_equal(frame_name(fixture, entered, FRAME_AT), "entered");
}

__attribute__((noinline)) static int known_function(int i)
{
	__asm__ volatile("" : "+r"(i));
	return i;
}

static void test_functions(void **state)
{
	struct tprof_symbol symbol = resolve(*state, getpid(), (uint64_t)known_function + 1), again;

	assert_string_equal(symbol.name, "known_function");
	assert_non_null(strstr(symbol.object, "test_symbolize"));
	assert_int_equal(symbol.offset, 1);
	again = resolve(*state, getpid(), (uint64_t)known_function + 1);
	assert_ptr_equal(again.name, symbol.name);
	age(*state);
	again = resolve(*state, getpid(), (uint64_t)known_function + 1);
	assert_ptr_equal(again.name, symbol.name);
}

#define FAKE_TGID 0x3ffffff0	/* larger than any real PID */

static struct tprof_frame frame(struct fixture *fixture, pid_t tgid, uint64_t ip)
{
	const struct tprof_frame *frames;

	assert_int_equal(symbolizer_frames(fixture->symbolizer, tgid, 0, ip, &frames), 1);
	return frames[0];
}

/* Before and after the names of the file are read. */
static void test_frame_of_a_file(void **state)
{
	static struct truth truth[MAX_TRUTH];
	char path[PATH_MAX], command[PATH_MAX + 64], symbol[ELF_BUILD_ID_TEXT + 1] = "";
	struct fixture *fixture = *state;
	void *directory = NULL;
	struct dso_id id;
	uint64_t offset;
	FILE *out;

	assert_int_equal(enter_directory(&directory), 0);
	build_library("a.so", "-Wl,--build-id=sha1");
	strcpy(path, absolute("a.so"));
	offset = find_truth(truth, read_truth("a.so", truth), "first")->offset;
	snprintf(command, sizeof(command), "readelf -n %s | sed -n 's/.*Build ID: //p'", path);
	out = popen(command, "r");
	assert_non_null(fgets(symbol, sizeof(symbol), out));
	pclose(out);
	symbol[strcspn(symbol, "\n")] = '\0';

	tell_file(fixture, FAKE_TGID, 0x7f0000000000, 0x10000, path, clock_now_ns());
	for (int i = 0; i < 2; i++) {
		struct tprof_frame got = frame(fixture, FAKE_TGID, 0x7f0000000000 + offset + 1);

		assert_string_equal(got.symbol, "first");
		assert_string_equal(got.object, "a.so");
		assert_string_equal(got.path, path);
		assert_string_equal(got.build_id, symbol);
		assert_int_equal(got.address, offset + 1);
		assert_int_equal(got.mode, TPROF_MODE_USER);
		age(fixture);
	}
	/* Another process, with a mapping from a record. */
	id = file_id(path);
	id.has_generation = true;
	aspaces_mmap(fixture->aspaces, FAKE_TGID + 1, 0x7e0000000000, 0x10000, 0, &id, clock_now_ns());
	assert_string_equal(frame(fixture, FAKE_TGID + 1, 0x7e0000000000 + offset).build_id, symbol);
	assert_int_equal(frame(fixture, FAKE_TGID + 1, 0x7e0000000000 + offset).address, offset);
	leave_directory(&directory);
}

/* The lines and inlined functions at an address, only if they are requested. */
static void expect_source(struct fixture *fixture, bool lines, bool inlines)
{
	static const char source[] = "int sum;\n"
				     "static inline __attribute__((always_inline)) void inner(int i)\n"
				     "{\n	sum += i;\n}\n"
				     "void outer(int i)\n"
				     "{\n	inner(i);\n}\n";
	static struct truth truth[MAX_TRUTH];
	static pid_t tgid = FAKE_TGID;
	const struct tprof_frame *frames, *again;
	bool seen = false;
	const struct truth *outer;

	write_text("a.c", source);
	shell("gcc -O2 -g -fPIC -shared -o a.so a.c");
	outer = find_truth(truth, read_truth("a.so", truth), "outer");
	dsos_want_lines(fixture->dsos);
	symbolizer_want(fixture->symbolizer, lines, inlines);
	tell_file(fixture, ++tgid, 0x7f0000000000, 0x10000, absolute("a.so"), clock_now_ns());
	for (uint64_t at = 0; at < outer->size; at++) {
		uint64_t ip = 0x7f0000000000 + outer->offset + at;
		int nr = symbolizer_frames(fixture->symbolizer, tgid, 0, ip, &frames);
		const struct tprof_frame *code = &frames[nr - 1];

		assert_true(nr == 1 || (inlines && nr == 2));
		assert_string_equal(code->symbol, "outer");
		assert_false(code->inlined);
		assert_int_equal(code->address, outer->offset + at);
		assert_int_equal(code->start_line, lines ? 6 : 0);
		assert_true(lines ? strstr(code->file, "/a.c") != NULL : !code->file[0]);
		seen |= code->line == 8;
		assert_int_equal(symbolizer_frames(fixture->symbolizer, tgid, 0, ip, &again), nr);
		assert_ptr_equal(again, frames);
		if (nr == 1)
			continue;
		seen |= !lines;
		assert_string_equal(frames[0].symbol, "inner");
		assert_string_equal(frames[0].object, "a.so");
		assert_true(frames[0].inlined);
		assert_int_equal(frames[0].line, lines ? 4 : 0);
		assert_int_equal(frames[0].start_line, lines ? 2 : 0);
		assert_int_equal(frames[0].address, code->address);
	}
	assert_int_equal(seen, lines || inlines);
}

static void test_source(void **state)
{
	void *directory = NULL;

	assert_int_equal(enter_directory(&directory), 0);
	expect_source(*state, true, true);
	expect_source(*state, true, false);
	expect_source(*state, false, true);
	expect_source(*state, false, false);
	leave_directory(&directory);
}

static void test_frame_without_a_file(void **state)
{
	struct tprof_frame got;

	got = frame(*state, FAKE_TGID, 0x10);
	assert_string_equal(got.path, "");
	assert_string_equal(got.build_id, "");
	/* Unknown addresses share one frame, because their number is unlimited. */
	assert_int_equal(got.address, 0);
	tell_file(*state, FAKE_TGID, 0x7f0000000000, 0x10000, "//anon", clock_now_ns());
	got = frame(*state, FAKE_TGID, 0x7f0000000010);
	assert_string_equal(got.symbol, "[jit]");
	assert_string_equal(got.path, "");
	assert_int_equal(got.address, 0);
	got = frame(*state, FAKE_TGID, 0x8000000000000010);
	assert_string_equal(got.path, "");
	assert_int_equal(got.address, 0x8000000000000010);
	assert_int_equal(got.mode, TPROF_MODE_KERNEL);
}

static void test_no_mapping(void **state)
{
	struct tprof_symbol symbol = resolve(*state, getpid(), 0x10);

	assert_string_equal(symbol.name, "[unknown]");
	symbol = resolve(*state, 0x7ffffff0, (uint64_t)known_function);
	assert_string_equal(symbol.name, "[unknown]");
}

/* Old programs call the vsyscall page, above user addresses. It is in no file, and no record describes it. */
static void test_vsyscall(void **state)
{
#ifdef __x86_64__
	static const struct {
		uint64_t offset;
		const char *name;
		uint64_t delta;
	} wanted[] = {
		{ 0, "gettimeofday", 0 }, { 9, "gettimeofday", 9 }, { 0x400, "time", 0 }, { 0x801, "getcpu", 1 },
		{ 0xc00, "[vsyscall+0xc00]", 0 },
	};

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct tprof_symbol symbol = resolve(*state, 0x7ffffff0, 0xffffffffff600000 + wanted[i].offset);

		assert_string_equal(symbol.name, wanted[i].name);
		assert_string_equal(symbol.object, "[vsyscall]");
		assert_int_equal(symbol.offset, wanted[i].delta);
	}
#else
	(void)state;
	skip();
#endif
}

static void test_kernel(void **state)
{
	unsigned long long ip = 0;
	FILE *file = fopen("/proc/kallsyms", "r");
	struct tprof_symbol symbol;
	char line[512];

	while (file && fgets(line, sizeof(line), file)) {
		if (strstr(line, " vfs_read\n"))
			ip = strtoull(line, NULL, 16);
	}
	if (file)
		fclose(file);
	symbol = resolve(*state, getpid(), 0x8000000000000010);
	assert_string_equal(symbol.name, "[unknown kernel function]");
	assert_string_equal(symbol.object, "[kernel]");
	if (!ip)
		skip();
	symbol = resolve(*state, getpid(), ip + 2);
	assert_string_equal(symbol.name, "vfs_read");
	assert_string_equal(symbol.object, "[kernel]");
	assert_int_equal(symbol.offset, 2);
	/* It is the same in all processes. */
	assert_ptr_equal(resolve(*state, 1, ip + 2).name, symbol.name);
}

static void test_kernel_addresses(void **state)
{
	(void)state;
	assert_true(ip_is_kernel(0xffffffff81000000));
	assert_true(ip_is_kernel(0xffff800000000000));
	assert_true(ip_is_kernel(UINT64_MAX));
	assert_false(ip_is_kernel(0));
	assert_false(ip_is_kernel(0x7fffffffffff));
#ifdef __x86_64__
	assert_false(ip_is_kernel(0xffffffffff600000));
	assert_false(ip_is_kernel(0xffffffffff600fff));
	assert_true(ip_is_kernel(0xffffffffff601000));
	assert_true(ip_is_kernel(0xffffffffff5fffff));
#endif
}

/* Another library at the same address: its names are used after all samples of the old one were symbolized. */
static void test_remapped(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct tprof_symbol symbol;
	void *directory = NULL;
	char path[2][PATH_MAX];
	uint64_t at;

	assert_int_equal(enter_directory(&directory), 0);
	build_library("a.so", "");
	at = 0x7f0000000000 + find_truth(truth, read_truth("a.so", truth), "first")->offset;
	strcpy(path[0], absolute("a.so"));
	shell("sed 's/first\\b/other/' a.so.c > b.so.c && gcc -O1 -fno-inline -fPIC -shared -o b.so b.so.c");
	strcpy(path[1], absolute("b.so"));

	tell_file(*state, FAKE_TGID, 0x7f0000000000, 0x10000, path[0], clock_now_ns());
	assert_string_equal(resolve(*state, FAKE_TGID, at).name, "first");
	tell_file(*state, FAKE_TGID, 0x7f0000000000, 0x10000, path[1], clock_now_ns());
	age(*state);
	assert_string_equal(resolve(*state, FAKE_TGID, at).name, "[unknown]");
	age(*state);
	symbol = resolve(*state, FAKE_TGID, at);
	assert_string_not_equal(symbol.name, "first");
	assert_string_equal(symbol.object, "b.so");
	leave_directory(&directory);
}

/* A stripped file: the name is the file offset, never an adjacent function. */
static void test_without_symbols(void **state)
{
	static struct truth truth[MAX_TRUTH];
	struct tprof_symbol symbol;
	char expected[64];
	void *directory = NULL;
	uint64_t offset;

	assert_int_equal(enter_directory(&directory), 0);
	build_library("a.so", "-Wl,--build-id=none");
	offset = find_truth(truth, read_truth("a.so", truth), "hidden")->offset;
	shell("strip a.so");
	tell_file(*state, FAKE_TGID, 0x7f0000000000, 0x10000, absolute("a.so"), clock_now_ns());
	symbol = resolve(*state, FAKE_TGID, 0x7f0000000000 + offset);
	snprintf(expected, sizeof(expected), "[a.so+%#lx]", (long)offset);
	assert_string_equal(symbol.name, expected);
	assert_string_equal(symbol.object, "a.so");
	assert_int_equal(symbol.offset, 0);
	leave_directory(&directory);

	/* The name has only one pair of brackets. */
	tell_file(*state, FAKE_TGID, 0x7f1000000000, 0x1000, "[uprobes]", clock_now_ns());
	assert_string_equal(resolve(*state, FAKE_TGID, 0x7f1000000010).name, "[uprobes+0x10]");
}

/* Thousands of children, each looked up once before it ends: memory does not grow. */
static void test_fork_storm(void **state)
{
	struct fixture *fixture = *state;
	size_t before = 0;

	for (int round = 0; round < 40; round++) {
		for (int i = 0; i < 200; i++) {
			pid_t tgid = FAKE_TGID + round * 200 + i;

			aspaces_fork(fixture->aspaces, getpid(), tgid, UINT64_MAX / 2 + tgid);
			assert_string_equal(resolve(fixture, tgid, (uint64_t)known_function).name,
					    "known_function");
			resolve(fixture, tgid, 0x8000000000000000 + i);
			aspaces_exit(fixture->aspaces, tgid, UINT64_MAX / 2 + tgid + 1);
		}
		age(fixture);
		if (round == 9)
			before = mallinfo2().uordblks;
	}
	assert_true(mallinfo2().uordblks <= before + 16384);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fixture(test_functions),
		with_fixture(test_frame_of_a_file),
		with_fixture(test_source),
		with_fixture(test_frame_without_a_file),
		with_fixture(test_no_mapping),
		with_fixture(test_vsyscall),
		with_fixture(test_kernel),
		cmocka_unit_test(test_kernel_addresses),
		with_fixture(test_returned_to),
		with_fixture(test_found_by_frame_pointer),
		with_fixture(test_remapped),
		with_fixture(test_without_symbols),
		with_fixture(test_fork_storm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
