// SPDX-License-Identifier: GPL-2.0-only
/* One step of unwinding: rules, expressions, and unknown registers. */
#include <dwarf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/cfi_expression.h"

/* The stack: the value of each word is its address plus one. */
#define STACK 0x1000
#define STACK_END 0x2000

static bool read_stack(void *ctx, uint64_t address, void *to, uint32_t bytes)
{
	uint64_t word = address + 1;

	(void)ctx;
	if (address < STACK || address >= STACK_END)
		return false;
	memcpy(to, &word, bytes);
	return true;
}

static const struct cfi_memory memory = { .read = read_stack };

static struct cfi_frame some_frame(void)
{
	struct cfi_frame frame = { .pc = 0x400, .known = 1ULL << CFI_SP | 1 << 3 };

	frame.regs[CFI_SP] = STACK;
	frame.regs[3] = 33;
	return frame;
}

#define RETURN 16
#define MAX_RULES 8

struct storage {
	struct cfi_row row;
	struct cfi_rule rules[MAX_RULES];
};

static void add(struct storage *storage, struct cfi_rule rule)
{
	storage->row.rules[storage->row.nr_rules++] = rule;
}

/* The CFA is 16 bytes above the stack pointer, the return address below it. */
static struct storage *usual_row(void)
{
	struct storage *storage = calloc(1, sizeof(*storage));

	storage->row.cfa = (struct cfi_rule){ .kind = CFI_OFFSET, .reg = CFI_SP, .number = 16 };
	storage->row.return_column = RETURN;
	add(storage, (struct cfi_rule){ .reg = CFI_SP, .kind = CFI_OFFSET });
	add(storage, (struct cfi_rule){ .reg = RETURN, .kind = CFI_AT, .number = -8 });
	return storage;
}

static void test_usual(void **state)
{
	struct cfi_frame frame = some_frame();
	struct storage *storage = usual_row();

	(void)state;
	add(storage, (struct cfi_rule){ .reg = 3, .kind = CFI_SAME });
	add(storage, (struct cfi_rule){ .reg = 4, .kind = CFI_REGISTER, .number = 3 });
	/* The register is unknown, and not needed. */
	add(storage, (struct cfi_rule){ .reg = 5, .kind = CFI_SAME });
	add(storage, (struct cfi_rule){ .reg = 6, .kind = CFI_AT, .number = STACK_END });
	assert_int_equal(cfi_step(&storage->row, &frame, &memory), CFI_CALLER);
	assert_int_equal(frame.pc, STACK + 9);
	assert_int_equal(frame.regs[CFI_SP], STACK + 16);
	assert_int_equal(frame.regs[3], 33);
	assert_int_equal(frame.regs[4], 33);
	assert_int_equal(frame.known, 1ULL << CFI_SP | 1ULL << RETURN | 1 << 3 | 1 << 4);
	free(storage);
}

static void test_outermost(void **state)
{
	struct cfi_frame frame = some_frame();
	struct storage *storage = usual_row();

	(void)state;
	storage->row.return_column = 15;
	assert_int_equal(cfi_step(&storage->row, &frame, &memory), CFI_OUTERMOST);
	free(storage);
}

static void expect_lost(struct storage *storage)
{
	struct cfi_frame frame = some_frame();

	assert_int_equal(cfi_step(&storage->row, &frame, &memory), CFI_LOST);
	assert_int_equal(frame.pc, 0x400);
	free(storage);
}

static void test_lost(void **state)
{
	struct storage *storage = usual_row();

	(void)state;
	storage->row.rules[1].number = STACK_END;
	expect_lost(storage);
	/* The CFA depends on a register that is unknown, or does not exist. */
	storage = usual_row();
	storage->row.cfa.reg = 5;
	expect_lost(storage);
	storage = usual_row();
	storage->row.cfa.reg = CFI_NR_REGS;
	expect_lost(storage);
	/* There is no rule for the stack pointer. */
	storage = usual_row();
	storage->row.rules[0].reg = 3;
	expect_lost(storage);
	storage = usual_row();
	storage->row.rules[1] = (struct cfi_rule){ .reg = RETURN, .kind = CFI_REGISTER, .number = 200 };
	expect_lost(storage);
}

static enum cfi_value evaluate(const Dwarf_Op *ops, size_t nr, uint64_t *result)
{
	struct cfi_frame frame = some_frame();
	struct cfi_inputs inputs = { .frame = &frame, .memory = &memory, .cfa = 0x5000 };

	return cfi_evaluate(ops, nr, &inputs, result);
}

#define VALUE(wanted, ...)									\
	do {											\
		const Dwarf_Op ops_[] = { __VA_ARGS__, { .atom = DW_OP_stack_value } };		\
		uint64_t result_ = 0;								\
												\
		assert_int_equal(evaluate(ops_, sizeof(ops_) / sizeof(*ops_), &result_), CFI_VALUE_ITSELF); \
		assert_int_equal(result_, (uint64_t)(wanted));					\
	} while (0)

#define NONE(...)										\
	do {											\
		const Dwarf_Op ops_[] = { __VA_ARGS__ };					\
		uint64_t result_;								\
												\
		assert_int_equal(evaluate(ops_, sizeof(ops_) / sizeof(*ops_), &result_), CFI_VALUE_NONE); \
	} while (0)

/* OP(atom, number, number2); omitted numbers are 0 */
#define OP(...) OP_OF(__VA_ARGS__, 0, 0, 0)
#define OP_OF(atom_, number_, number2_, ...) { .atom = atom_, .number = number_, .number2 = number2_ }
#define OP_AT(offset_, atom_, number_) { .atom = atom_, .number = number_, .offset = offset_ }

static void test_words(void **state)
{
	(void)state;
	VALUE(31, OP(DW_OP_lit31));
	VALUE(-7, OP(DW_OP_const1s, (Dwarf_Word)-7));
	VALUE(STACK + 8, OP(DW_OP_breg0 + CFI_SP, 8));
	VALUE(STACK - 8, OP(DW_OP_bregx, CFI_SP, (Dwarf_Word)-8));
	VALUE(0x5010, OP(DW_OP_call_frame_cfa), OP(DW_OP_plus_uconst, 0x10));
	VALUE(STACK + 1, OP(DW_OP_breg0 + CFI_SP, 0), OP(DW_OP_deref));
	VALUE(0x01, OP(DW_OP_breg0 + CFI_SP, 0), OP(DW_OP_deref_size, 1));
	VALUE(2, OP(DW_OP_lit5), OP(DW_OP_lit3), OP(DW_OP_minus));
	VALUE(-2, OP(DW_OP_lit3), OP(DW_OP_lit5), OP(DW_OP_minus));
	VALUE(1, OP(DW_OP_lit0), OP(DW_OP_not), OP(DW_OP_lit3), OP(DW_OP_lt));
	VALUE(-1, OP(DW_OP_lit1), OP(DW_OP_neg), OP(DW_OP_const1u, 70), OP(DW_OP_shra));
	VALUE(0, OP(DW_OP_lit1), OP(DW_OP_const1u, 64), OP(DW_OP_shl));
	VALUE(1, OP(DW_OP_lit1), OP(DW_OP_lit2), OP(DW_OP_swap), OP(DW_OP_drop), OP(DW_OP_dup), OP(DW_OP_drop),
	      OP(DW_OP_nop), OP(DW_OP_lit2), OP(DW_OP_eq));
	VALUE(3, OP(DW_OP_lit1), OP(DW_OP_lit2), OP(DW_OP_lit3), OP(DW_OP_rot), OP(DW_OP_pick, 2));
	VALUE(1, OP(DW_OP_lit1), OP(DW_OP_lit2), OP(DW_OP_over));
}

/* The expression that linkers write for PLT stubs: the CFA is eight bytes higher in the second half of a stub. */
static void test_stub(void **state)
{
	(void)state;
	for (uint64_t at = 0; at < 16; at++)
		VALUE(STACK + 8 + (at >= 11 ? 8 : 0), OP(DW_OP_breg0 + CFI_SP, 8), OP(DW_OP_const1u, 0x400 + at),
		      OP(DW_OP_lit15), OP(DW_OP_and), OP(DW_OP_lit11), OP(DW_OP_ge), OP(DW_OP_lit3), OP(DW_OP_shl),
		      OP(DW_OP_plus));
}

static void test_jumps(void **state)
{
	(void)state;
	/* Skips the second operation if the first value is not 0 */
	VALUE(7, OP_AT(0, DW_OP_lit7, 0), OP_AT(1, DW_OP_lit1, 0), OP_AT(2, DW_OP_bra, 1),
	      OP_AT(5, DW_OP_lit9, 0), OP_AT(6, DW_OP_nop, 0));
	VALUE(9, OP_AT(0, DW_OP_lit7, 0), OP_AT(1, DW_OP_lit0, 0), OP_AT(2, DW_OP_bra, 1),
	      OP_AT(5, DW_OP_lit9, 0), OP_AT(6, DW_OP_nop, 0));
	/* An infinite loop */
	NONE(OP_AT(0, DW_OP_lit7, 0), OP_AT(1, DW_OP_skip, (Dwarf_Word)-3));
	NONE(OP_AT(0, DW_OP_lit7, 0), OP_AT(1, DW_OP_skip, (Dwarf_Word)-4));
}

static void test_bad_expressions(void **state)
{
	uint64_t result;

	(void)state;
	assert_int_equal(evaluate(NULL, 0, &result), CFI_VALUE_NONE);
	NONE(OP(DW_OP_plus));
	NONE(OP(DW_OP_lit1), OP(DW_OP_plus));
	NONE(OP(DW_OP_drop));
	NONE(OP(DW_OP_lit1), OP(DW_OP_pick, UINT64_MAX));
	NONE(OP(DW_OP_breg0 + 5, 0));
	NONE(OP(DW_OP_bregx, UINT64_MAX, 0));
	NONE(OP(DW_OP_lit1), OP(DW_OP_deref));
	NONE(OP(DW_OP_breg0 + CFI_SP, 0), OP(DW_OP_deref_size, 9));
	NONE(OP(DW_OP_breg0 + CFI_SP, 0), OP(DW_OP_deref_size, 0));
	NONE(OP(DW_OP_lit1), OP(DW_OP_lit0), OP(DW_OP_div));
	NONE(OP(DW_OP_push_object_address));
	NONE(OP(0xff));
}

/* Overflow of the expression stack by any operation. */
static void test_deep_expression(void **state)
{
	Dwarf_Op ops[200];
	uint64_t result;

	(void)state;
	for (size_t i = 0; i < 200; i++)
		ops[i] = (Dwarf_Op){ .atom = DW_OP_lit1 };
	assert_int_equal(evaluate(ops, 64, &result), CFI_VALUE_PLACE);
	assert_int_equal(evaluate(ops, 65, &result), CFI_VALUE_NONE);
}

static void test_expressions_in_rows(void **state)
{
	static const Dwarf_Op cfa[] = { { .atom = DW_OP_breg0 + CFI_SP, .number = 32 } };
	static const Dwarf_Op place[] = {
		{ .atom = DW_OP_call_frame_cfa }, { .atom = DW_OP_lit8 }, { .atom = DW_OP_minus },
	};
	static const Dwarf_Op value[] = { { .atom = DW_OP_lit9 }, { .atom = DW_OP_stack_value } };
	struct cfi_frame frame = some_frame();
	struct storage *storage = usual_row();

	(void)state;
	storage->row.cfa = (struct cfi_rule){ .kind = CFI_EXPRESSION, .nr_ops = 1, .ops = cfa };
	storage->row.rules[1] = (struct cfi_rule){ .reg = RETURN, .kind = CFI_EXPRESSION, .nr_ops = 3, .ops = place };
	add(storage, (struct cfi_rule){ .reg = 3, .kind = CFI_EXPRESSION, .nr_ops = 2, .ops = value });
	assert_int_equal(cfi_step(&storage->row, &frame, &memory), CFI_CALLER);
	assert_int_equal(frame.pc, STACK + 25);
	assert_int_equal(frame.regs[CFI_SP], STACK + 32);
	assert_int_equal(frame.regs[3], 9);
	free(storage);
}

#if defined(__x86_64__)
/* Words, addresses and values have 32 bits; adjacent memory is ignored. */
static void test_32bit(void **state)
{
	struct cfi_frame frame = { .pc = 0x400, .known = 1 << CFI_SP_32, .is_32bit = true };
	const struct cfi_frame at_end = {
		.known = 1 << CFI_SP_32, .regs[CFI_SP_32] = UINT32_MAX - 3, .is_32bit = true,
	};
	static const Dwarf_Op signed_op[] = {
		{ .atom = DW_OP_consts, .number = (Dwarf_Word)-2 }, { .atom = DW_OP_lit1 }, { .atom = DW_OP_lt },
	};
	static const Dwarf_Op loaded[] = { { .atom = DW_OP_breg0 + CFI_SP_32 }, { .atom = DW_OP_deref } };
	const struct cfi_inputs inputs = { .frame = &frame, .memory = &memory };
	struct storage *storage = calloc(1, sizeof(*storage));
	uint64_t value;

	(void)state;
	frame.regs[CFI_SP_32] = STACK;
	storage->row.cfa = (struct cfi_rule){ .kind = CFI_OFFSET, .reg = CFI_SP_32, .number = 8 };
	storage->row.return_column = 8;
	storage->row.nr_rules = 2;
	storage->rules[0] = (struct cfi_rule){ .reg = CFI_SP_32, .kind = CFI_OFFSET };
	storage->rules[1] = (struct cfi_rule){ .reg = 8, .kind = CFI_AT, .number = -4 };
	assert_int_equal(cfi_evaluate(signed_op, 3, &inputs, &value), CFI_VALUE_PLACE);
	assert_int_equal(value, 1);
	assert_int_equal(cfi_evaluate(loaded, 2, &inputs, &value), CFI_VALUE_PLACE);
	assert_int_equal(value, STACK + 1);
	assert_int_equal(cfi_step(&storage->row, &frame, &memory), CFI_CALLER);
	assert_int_equal(frame.pc, STACK + 5);
	assert_int_equal(frame.regs[CFI_SP_32], STACK + 8);
	assert_true(frame.is_32bit);
	/* Around the end of the address space */
	frame = at_end;
	storage->row.cfa.number = STACK + 4;
	assert_int_equal(cfi_step(&storage->row, &frame, &memory), CFI_LOST);
	frame = at_end;
	storage->row.cfa.number = STACK + 8;
	assert_int_equal(cfi_step(&storage->row, &frame, &memory), CFI_CALLER);
	assert_int_equal(frame.regs[CFI_SP_32], STACK + 4);
	free(storage);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual),
		cmocka_unit_test(test_outermost),
		cmocka_unit_test(test_lost),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_stub),
		cmocka_unit_test(test_jumps),
		cmocka_unit_test(test_bad_expressions),
		cmocka_unit_test(test_deep_expression),
		cmocka_unit_test(test_expressions_in_rows),
#if defined(__x86_64__)
		cmocka_unit_test(test_32bit),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
