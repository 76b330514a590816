// SPDX-License-Identifier: GPL-2.0-only
/* Unwinds stacks that are made for each case: frame pointers, code with and without rules, signals, 32-bit code. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "stack/stacks.h"
#include "stack/unwind_copy.h"

#define MAX_FRAMES 100
#define MAX_BYTES 16384

struct fixture {
	struct dsos *dsos;
	struct aspaces *aspaces;
	struct tprof_copy *copy;
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->dsos = dsos_new(NULL);
	fixture->aspaces = aspaces_new(fixture->dsos, NULL);
	fixture->copy = calloc(1, sizeof(*fixture->copy) + MAX_BYTES);
	fixture->copy->tgid = (uint32_t)getpid();
	assert_int_equal(aspaces_scan_process(fixture->aspaces, getpid()), 0);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	aspaces_free(fixture->aspaces);
	dsos_free(fixture->dsos);
	free(fixture->copy);
	free(fixture);
	return 0;
}

/*
 * Code without unwind information, except for leaf and entered. entered begins after code that is not a call, and has
 * no caller.
 */
#if defined(__x86_64__)
#define CALL "call bare\n"
#define SIGNAL_RETURN "mov $15, %rax\nsyscall\n"
#define NO_CALLER ".cfi_undefined rip\n"
#define PC 16
#define SP TPROF_X86_64_SP
#define FP TPROF_X86_64_FP
/* At the entry of a function, the return address is on the stack. */
#define LEAF_WORDS 1
#define SIGNAL_PC_AT (40 + 16 * 8)
#define SIGNAL_SP_AT (SIGNAL_PC_AT - 8)
#define SIGNAL_FP_AT (40 + 10 * 8)
#elif defined(__aarch64__)
#define CALL "bl bare\n"
#define SIGNAL_RETURN "mov x8, #139\nsvc #0\n"
#define NO_CALLER ".cfi_undefined x30\n"
#define PC 32
#define SP TPROF_AARCH64_SP
#define FP TPROF_AARCH64_FP
#define LEAF_WORDS 0
#define SIGNAL_PC_AT (304 + 8 + 32 * 8)
#define SIGNAL_SP_AT (SIGNAL_PC_AT - 8)
#define SIGNAL_FP_AT (304 + 8 + 29 * 8)
#endif
asm(".text\n.p2align 4\n"
    ".type bare, %function\nbare: nop\nnop\n.size bare, . - bare\n"
    ".type calls_bare, %function\ncalls_bare: " CALL "returns_here: nop\nnop\n.size calls_bare, . - calls_bare\n"
    ".type signal_return, %function\nsignal_return: " SIGNAL_RETURN ".size signal_return, . - signal_return\n"
    ".type leaf, %function\nleaf: .cfi_startproc\nnop\nnop\n.cfi_endproc\n.size leaf, . - leaf\n"
    ".type entered, %function\nentered: .cfi_startproc\n" NO_CALLER "nop\n.cfi_endproc\n"
    ".size entered, . - entered\n");
extern const char bare[], returns_here[], signal_return[], leaf[], entered[];

/* An address above all code */
#define STACK 0x7fffffff0000
#define STACK_WORDS 256
#define JIT 0x10000000

/* Makes an empty stack, with the code at @pc running and the frame pointer @fp_words above the stack pointer. */
static uint64_t *make_stack(struct fixture *fixture, const void *pc, int64_t fp_words)
{
	const struct dso_id anonymous = { .path = "//anon" };

	aspaces_mmap(fixture->aspaces, getpid(), JIT, 0x1000, 0, &anonymous, clock_now_ns());
	memset(fixture->copy->regs, 0, sizeof(fixture->copy->regs));
	memset(fixture->copy->data, 0, STACK_WORDS * 8);
	fixture->copy->start = 0;
	fixture->copy->end = STACK_WORDS * 8;
	fixture->copy->regs[PC] = (uintptr_t)pc;
	fixture->copy->regs[SP] = STACK;
	fixture->copy->regs[FP] = STACK + (uint64_t)fp_words * 8;
	return (uint64_t *)(void *)fixture->copy->data;
}

static uint64_t word_at(int64_t words)
{
	return STACK + (uint64_t)words * 8;
}

static void set_record(uint64_t *stack, unsigned int at, uint64_t fp, const void *returns_to)
{
	stack[at] = fp;
	stack[at + 1] = (uintptr_t)returns_to;
}

/* Checks that exactly these frames are found. */
static void expect(struct fixture *fixture, enum unwind_end wanted_end, uint32_t nr, const __u64 *wanted)
{
	__u64 ip[MAX_FRAMES];
	enum unwind_end end;

	assert_int_equal(unwind_copy(fixture->aspaces, fixture->copy, ip, MAX_FRAMES, &end), nr);
	for (uint32_t i = 0; i < nr; i++)
		assert_int_equal(ip[i], wanted[i]);
	assert_int_equal(end, wanted_end);
}

#define AT(address) (uintptr_t)(address)
#define BY_POINTER(address) ((uintptr_t)(address) | STACKS_FRAME_POINTER)
#define expect_frames(fixture, end, ...)							\
	expect(fixture, end, sizeof((__u64[]){ __VA_ARGS__ }) / sizeof(__u64), (__u64[]){ __VA_ARGS__ })

static void test_by_frame_pointer(void **state)
{
	struct fixture *fixture = *state;
	uint64_t *stack = make_stack(fixture, bare, 4);

	set_record(stack, 4, word_at(10), returns_here);
	set_record(stack, 10, word_at(20), JIT + 0x80 + (const char *)0);
	set_record(stack, 20, 0, returns_here);
	expect_frames(fixture, UNWIND_BROKEN, AT(bare), BY_POINTER(AT(returns_here) - 1), BY_POINTER(JIT + 0x7f),
		      BY_POINTER(AT(returns_here) - 1));
	/* Truncated anywhere: fewer frames, but the same ones. */
	for (uint32_t words = 0; words < 22; words++) {
		__u64 ip[MAX_FRAMES];
		enum unwind_end end;

		fixture->copy->end = words * 8;
		assert_int_equal(unwind_copy(fixture->aspaces, fixture->copy, ip, MAX_FRAMES, &end),
				 1 + (words >= 6) + (words >= 12) + (words >= 22));
	}
}

/* The register is used otherwise, but its value looks like a frame pointer. */
static void test_no_frame_pointer(void **state)
{
	static const char data[64];
	struct fixture *fixture = *state;
	uint64_t *stack;

	/* Below the stack pointer, not aligned, above the copy, random */
	const uint64_t values[] = { word_at(-2), word_at(4) + 4, word_at(STACK_WORDS - 1), word_at(STACK_WORDS), 0, 8,
				    UINT64_MAX, UINT64_MAX - 7, (uintptr_t)data };

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		stack = make_stack(fixture, bare, 0);
		for (unsigned int at = 0; at < STACK_WORDS; at++)
			stack[at] = (uintptr_t)returns_here;
		fixture->copy->regs[FP] = values[i];
		expect_frames(fixture, UNWIND_BROKEN, AT(bare));
	}
	/* A pointer to a function, to data, to nothing; into a function, but not after a call */
	const void *const pointers[] = { bare, leaf, data, NULL, (const char *)1, bare + 1, returns_here + 1 };

	for (size_t i = 0; i < sizeof(pointers) / sizeof(*pointers); i++) {
		stack = make_stack(fixture, bare, 4);
		set_record(stack, 4, word_at(10), pointers[i]);
		set_record(stack, 10, 0, returns_here);
		expect_frames(fixture, UNWIND_BROKEN, AT(bare));
	}
}

/* If the code before a return address cannot be read, the next frame must look valid too. */
static void test_no_frame_pointer_in_generated_code(void **state)
{
	const uint64_t next[] = { word_at(-1), word_at(4), word_at(5), 1, (uintptr_t)bare };
	struct fixture *fixture = *state;

	for (size_t i = 0; i < sizeof(next) / sizeof(*next); i++) {
		uint64_t *stack = make_stack(fixture, JIT + 0x40 + (const char *)0, 4);

		set_record(stack, 4, next[i], JIT + 0x80 + (const char *)0);
		expect_frames(fixture, UNWIND_BROKEN, JIT + 0x40);
	}
}

/* For a function with unwind rules, the frame pointer is not used. */
static void test_rules_come_first(void **state)
{
	struct fixture *fixture = *state;
	uint64_t *stack = make_stack(fixture, leaf, 4);

	set_record(stack, 4, word_at(10), returns_here);
	set_record(stack, 10, 0, returns_here);
	/* The return address of this frame is invalid. */
	stack[0] = 1;
	fixture->copy->regs[30] = 1;
	expect_frames(fixture, UNWIND_BROKEN, AT(leaf));
}

/* A return address at the first byte of a function: the rules of this function apply, not those of the one before. */
static void test_entered_by_return(void **state)
{
	struct fixture *fixture = *state;
	uint64_t *stack = make_stack(fixture, leaf, 0);

	stack[0] = fixture->copy->regs[30] = (uintptr_t)entered;
	expect_frames(fixture, UNWIND_ROOT, AT(leaf), AT(entered));
}

/* The signal return code of a C library without unwind information. */
static void test_signal_without_rules(void **state)
{
	struct fixture *fixture = *state;
	uint64_t *stack = make_stack(fixture, leaf, 0);
	char *frame = (char *)(stack + LEAF_WORDS);
	const uint64_t interrupted[] = { (uintptr_t)bare, word_at(120), word_at(130) };

	stack[0] = fixture->copy->regs[30] = (uintptr_t)signal_return;
	memcpy(frame + SIGNAL_PC_AT, &interrupted[0], 8);
	memcpy(frame + SIGNAL_SP_AT, &interrupted[1], 8);
	memcpy(frame + SIGNAL_FP_AT, &interrupted[2], 8);
	set_record(stack, 130, 0, returns_here);
	expect_frames(fixture, UNWIND_BROKEN, AT(leaf), AT(signal_return), AT(bare), BY_POINTER(AT(returns_here) - 1));
	/* The handler has returned, and the next instruction is the system call. */
	frame = (char *)stack;
	memcpy(frame + SIGNAL_PC_AT, &interrupted[0], 8);
	memcpy(frame + SIGNAL_SP_AT, &interrupted[1], 8);
	memcpy(frame + SIGNAL_FP_AT, &interrupted[2], 8);
	fixture->copy->regs[PC] = (uintptr_t)signal_return;
	expect_frames(fixture, UNWIND_BROKEN, AT(signal_return), AT(bare), BY_POINTER(AT(returns_here) - 1));
	/* The interrupted context is not in the copy. */
	fixture->copy->end = SIGNAL_PC_AT;
	expect_frames(fixture, UNWIND_CUT_OFF, AT(signal_return));
}

#if defined(__x86_64__)
/* Pretended addresses of the code of this program, and of the vDSO, in a 32-bit process. */
#define LOW_CODE 0x20000000
#define LOW_VDSO 0x30000000
#define LOW_STACK 0xfff00000

/* The address in the low mapping. */
static uint32_t low(const char *address)
{
	return LOW_CODE + (uint32_t)((uintptr_t)address - ((uintptr_t)bare & ~4095UL));
}

static uint32_t *make_low_stack(struct fixture *fixture, uint32_t pc, uint32_t fp)
{
	const struct dso_id vdso = { .path = "[vdso]" };
	char path[4096] = "";
	Dl_info info;
	struct stat st;
	struct dso_id own = { .path = path };
	uint32_t *stack = (uint32_t *)(void *)make_stack(fixture, NULL, 0);

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(dladdr(bare, &info) != 0);
	own.maj = major(st.st_dev);
	own.min = minor(st.st_dev);
	own.ino = st.st_ino;
	/* File offsets and addresses of code are equal modulo the page size. */
	aspaces_mmap(fixture->aspaces, getpid(), LOW_CODE, 0x2000,
		     ((uintptr_t)bare & ~4095UL) - (uintptr_t)info.dli_fbase, &own, clock_now_ns());
	aspaces_mmap(fixture->aspaces, getpid(), LOW_VDSO, 0x1000, 0, &vdso, clock_now_ns());
	fixture->copy->regs[TPROF_X86_64_CS] = TPROF_X86_64_CS_32;
	fixture->copy->regs[PC] = pc;
	fixture->copy->regs[SP] = LOW_STACK;
	fixture->copy->regs[FP] = fp;
	return stack;
}

/* Words have 32 bits, also in frame records. */
static void test_32bit(void **state)
{
	struct fixture *fixture = *state;
	uint32_t *stack = make_low_stack(fixture, low(bare), LOW_STACK + 16);

	stack[4] = LOW_STACK + 40;
	stack[5] = low(returns_here);
	stack[11] = low(bare);
	expect_frames(fixture, UNWIND_BROKEN, low(bare), (low(returns_here) - 1) | STACKS_FRAME_POINTER);
	/* Rules of 64-bit code do not apply. */
	stack = make_low_stack(fixture, low(leaf), 0);
	stack[0] = low(returns_here);
	expect_frames(fixture, UNWIND_BROKEN, low(leaf));
}

/* In the vDSO, three saved registers are between the stack pointer and the return address. */
static void test_32bit_system_call(void **state)
{
	struct fixture *fixture = *state;
	uint32_t *stack = make_low_stack(fixture, LOW_VDSO + 0x100, LOW_STACK + 40);

	stack[0] = LOW_STACK + 80;
	stack[3] = low(returns_here);
	stack[20] = 0;
	stack[21] = low(returns_here);
	expect_frames(fixture, UNWIND_BROKEN, LOW_VDSO + 0x100, low(returns_here) - 1,
		      (low(returns_here) - 1) | STACKS_FRAME_POINTER);
	/* At another address of the vDSO nothing is known, and the frame pointer is that of the caller. */
	stack = make_low_stack(fixture, LOW_VDSO + 0x100, LOW_STACK + 40);
	stack[3] = low(bare);
	stack[10] = 0;
	stack[11] = low(returns_here);
	expect_frames(fixture, UNWIND_BROKEN, LOW_VDSO + 0x100);
}
#endif

#define with_fixture(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_fixture(test_by_frame_pointer),
		with_fixture(test_no_frame_pointer),
		with_fixture(test_no_frame_pointer_in_generated_code),
		with_fixture(test_rules_come_first),
		with_fixture(test_entered_by_return),
		with_fixture(test_signal_without_rules),
#if defined(__x86_64__)
		with_fixture(test_32bit),
		with_fixture(test_32bit_system_call),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
