// SPDX-License-Identifier: GPL-2.0-only
/* Unwinds this program from a copy of its stack: complete, truncated anywhere, and random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <cmocka.h>

#include "stack/unwind_copy.h"

#define DEPTH 20
#define MAX_FRAMES 100
#define MAX_BYTES 16384

struct fixture {
	struct dsos *dsos;
	struct aspaces *aspaces;
	struct tprof_copy *copy;
	size_t bytes;			/* length of the copy */
	uint64_t wanted[MAX_FRAMES];	/* the result of the unwinder of the compiler */
	uint32_t nr_wanted;
};

#if defined(__x86_64__)
static uint64_t set_regs(__u64 *regs, const ucontext_t *context)
{
	static const int from[TPROF_X86_64_WORDS] = {
		REG_R15, REG_R14, REG_R13, REG_R12, REG_RBP, REG_RBX, REG_R11, REG_R10, REG_R9, REG_R8, REG_RAX,
		REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RAX, REG_RIP, REG_CSGSFS, REG_EFL, REG_RSP, REG_CSGSFS,
	};

	for (int i = 0; i < TPROF_X86_64_WORDS; i++)
		regs[i] = (__u64)context->uc_mcontext.gregs[from[i]];
	return regs[TPROF_X86_64_SP];
}
#elif defined(__aarch64__)
static uint64_t set_regs(__u64 *regs, const ucontext_t *context)
{
	memcpy(regs, context->uc_mcontext.regs, sizeof(context->uc_mcontext.regs));
	regs[TPROF_AARCH64_SP] = context->uc_mcontext.sp;
	/* getcontext() may not store the PC; it returned to the address in the link register. */
	regs[32] = context->uc_mcontext.pc ? context->uc_mcontext.pc : regs[30];
	return regs[TPROF_AARCH64_SP];
}
#endif

static _Unwind_Reason_Code note_frame(struct _Unwind_Context *context, void *ctx)
{
	struct fixture *fixture = ctx;

	if (fixture->nr_wanted < MAX_FRAMES)
		fixture->wanted[fixture->nr_wanted++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

/* Copies the stack up to @top; the data of a test is between this frame and @top. */
__attribute__((noipa, no_sanitize_address)) static void copy_stack(struct fixture *fixture, const volatile char *top)
{
	ucontext_t context;
	uint64_t sp;

	_Unwind_Backtrace(note_frame, fixture);
	getcontext(&context);
	sp = set_regs(fixture->copy->regs, &context);
	fixture->bytes = (size_t)((uintptr_t)top - sp);
	if (fixture->bytes > MAX_BYTES)
		fixture->bytes = MAX_BYTES;
	for (size_t i = 0; i < fixture->bytes; i++)
		fixture->copy->data[i] = ((const volatile unsigned char *)sp)[i];
	fixture->copy->end = (uint32_t)fixture->bytes;
}

__attribute__((noipa)) static int descend(struct fixture *fixture, int depth, const volatile char *top)
{
	int below = 0;

	if (depth)
		below = descend(fixture, depth - 1, top) + 1;
	else
		copy_stack(fixture, top);
	/* Prevents the compiler from converting the recursion to a loop. */
	asm volatile("" : "+r"(below) : : "memory");
	return below;
}

static char *top_of_stack;

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	fixture->dsos = dsos_new(NULL);
	fixture->aspaces = aspaces_new(fixture->dsos, NULL);
	fixture->copy = calloc(1, sizeof(*fixture->copy) + MAX_BYTES);
	fixture->copy->tgid = (uint32_t)getpid();
	assert_int_equal(aspaces_scan_process(fixture->aspaces, getpid()), 0);
	assert_int_equal(descend(fixture, DEPTH, top_of_stack), DEPTH);
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

/* The leaf is later in the same function; the other frames are those that the unwinder of the compiler found. */
static void expect_prefix(const struct fixture *fixture, const __u64 *ip, uint32_t nr)
{
	assert_true(nr >= 1 && nr <= fixture->nr_wanted);
	for (uint32_t i = 1; i < nr; i++)
		assert_int_equal(ip[i], fixture->wanted[i] - 1);
}

static void test_whole(void **state)
{
	struct fixture *fixture = *state;
	__u64 ip[MAX_FRAMES];
	enum unwind_end end;
	uint32_t nr = unwind_copy(fixture->aspaces, fixture->copy, ip, MAX_FRAMES, &end);

	expect_prefix(fixture, ip, nr);
	assert_true(nr > DEPTH);
	if (fixture->bytes < MAX_BYTES) {
		assert_int_equal(end, UNWIND_ROOT);
		/* The unwinder of the compiler counts the missing caller of the outermost frame as a frame. */
		assert_in_range(fixture->nr_wanted - nr, 0, 1);
	}
}

static void test_as_many_as_fit(void **state)
{
	struct fixture *fixture = *state;
	__u64 ip[MAX_FRAMES];
	enum unwind_end end;

	for (uint32_t max = 1; max < DEPTH; max++) {
		assert_int_equal(unwind_copy(fixture->aspaces, fixture->copy, ip, max, &end), max);
		assert_int_equal(end, UNWIND_CUT_OFF);
		expect_prefix(fixture, ip, max);
	}
}

static void test_cut_anywhere(void **state)
{
	struct fixture *fixture = *state;
	uint32_t whole, last = 1;
	__u64 ip[MAX_FRAMES];
	enum unwind_end end;

	whole = unwind_copy(fixture->aspaces, fixture->copy, ip, MAX_FRAMES, &end);
	for (uint32_t bytes = 1; bytes < fixture->bytes; bytes += 3) {
		uint32_t nr;

		fixture->copy->end = bytes;
		nr = unwind_copy(fixture->aspaces, fixture->copy, ip, MAX_FRAMES, &end);
		expect_prefix(fixture, ip, nr);
		assert_true(nr >= last && nr <= whole);
		assert_true(end == UNWIND_CUT_OFF || nr == whole);
		last = nr;
	}
}

/* Random registers and memory: unwinding ends, and reads nothing beyond the copy. */
static void test_noise(void **state)
{
	struct fixture *fixture = *state;
	const struct tprof_copy saved = *fixture->copy;
	unsigned char *bytes = malloc(fixture->bytes), *regs = (unsigned char *)fixture->copy->regs;
	unsigned int seed = 1;
	__u64 ip[MAX_FRAMES];
	enum unwind_end end;

	memcpy(bytes, fixture->copy->data, fixture->bytes);
	for (int round = 0; round < 3000; round++) {
		*fixture->copy = saved;
		memcpy(fixture->copy->data, bytes, fixture->bytes);
		for (int i = 0; i < 40; i++) {
			size_t at = (size_t)rand_r(&seed) % (fixture->bytes + sizeof(saved.regs));

			if (at < fixture->bytes)
				fixture->copy->data[at] = (unsigned char)rand_r(&seed);
			else if (round % 2)
				regs[at - fixture->bytes] ^= (unsigned char)rand_r(&seed);
		}
		assert_in_range(unwind_copy(fixture->aspaces, fixture->copy, ip, MAX_FRAMES, &end), 1, MAX_FRAMES);
	}
	free(bytes);
}

/* The process or the code is unknown: only the leaf is found, no root. */
static void test_unknown(void **state)
{
	struct fixture *fixture = *state;
	__u64 ip[MAX_FRAMES];
	enum unwind_end end;

	fixture->copy->tgid = 0x3ffffff0;
	assert_int_equal(unwind_copy(fixture->aspaces, fixture->copy, ip, MAX_FRAMES, &end), 1);
	assert_int_equal(end, UNWIND_BROKEN);
}

#define with_fixture(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		with_fixture(test_whole), with_fixture(test_as_many_as_fit), with_fixture(test_cut_anywhere),
		with_fixture(test_noise), with_fixture(test_unknown),
	};

	(void)argc;
	/* The program arguments are above all frames. */
	top_of_stack = (char *)argv;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
