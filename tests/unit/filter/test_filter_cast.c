// SPDX-License-Identifier: GPL-2.0-only
/* Casts in programs: marked calls become calls of the kernel's function, or moves; nothing else is changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "filter/filter_cast.h"
#include "host/kernel_types.h"
#include "tprof/object.h"

#define MOVE(dst, value)	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = (value) }
#define CALL(source, number)	{ .code = BPF_JMP | BPF_CALL, .src_reg = (source), .imm = (number) }
#define MARK			CALL(0, TPROF_CALL_CAST_TASK)
#define ADDRESS(value)		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 2, .imm = (value) }

static const struct kernel_types new_kernel = { .task_type = 170, .cast_function = 65504 };
static const struct kernel_types old_kernel = { .task_type = 160 };

static void is(const struct bpf_insn *insn, struct bpf_insn expected)
{
	assert_memory_equal(insn, &expected, sizeof(expected));
}

static void marked(void **state)
{
	struct bpf_insn program[] = { MOVE(1, 7), MOVE(2, 0), MARK, MOVE(2, 0), MARK };

	(void)state;
	assert_int_equal(filter_cast_insns(program, 5, &new_kernel), 2);
	is(&program[0], (struct bpf_insn)MOVE(1, 7));
	for (size_t i = 1; i < 5; i += 2) {
		is(&program[i], (struct bpf_insn)MOVE(2, 170));
		is(&program[i + 1], (struct bpf_insn)CALL(BPF_PSEUDO_KFUNC_CALL, 65504));
	}
}

static void old(void **state)
{
	struct bpf_insn program[] = { MOVE(2, 0), MARK };
	struct bpf_insn move = { .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1 };

	(void)state;
	assert_int_equal(filter_cast_insns(program, 2, &old_kernel), 1);
	is(&program[1], move);
}

/* Other calls, a mark without its parameter, and a mark at the start, before which there is nothing. */
static void others(void **state)
{
	struct bpf_insn program[] = {
		MARK, MOVE(2, 0), CALL(BPF_PSEUDO_CALL, TPROF_CALL_CAST_TASK), MOVE(2, 0), CALL(0, 158),
		MOVE(3, 0), MARK, ADDRESS(TPROF_CALL_CAST_TASK), MARK,
	};
	struct bpf_insn before[sizeof(program) / sizeof(*program)];

	(void)state;
	memcpy(before, program, sizeof(program));
	assert_int_equal(filter_cast_insns(program, sizeof(program) / sizeof(*program), &new_kernel), 0);
	assert_memory_equal(program, before, sizeof(program));
	assert_int_equal(filter_cast_insns(program, 0, &new_kernel), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(marked),
		cmocka_unit_test(old),
		cmocka_unit_test(others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
