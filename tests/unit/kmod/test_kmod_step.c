// SPDX-License-Identifier: GPL-2.0-only
/* The step of a stack walk (kmod/step.h): derived from two answers of an unwinder, packed, and taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../kmod/step.h"

#define SP	0xffffc90000100000ULL
#define BP	(SP + 4000)
#define OTHER	(SP + 4248)

/* A model of an unwinder: the CFA is @cfa bytes above the stack or frame pointer; the frame pointer may be saved. */
struct rule {
	int cfa_of_bp;
	__s64 cfa;
	int bp_of;		/* 0: not saved; 'c': relative to the CFA; 'b': to the frame pointer */
	__s64 bp;
};

static struct tprof_step_answer answer(const struct rule *rule, __u64 bp)
{
	struct tprof_step_answer answer = { .bp = bp, .cfa = (rule->cfa_of_bp ? bp : SP) + rule->cfa };

	if (rule->bp_of)
		answer.bp_at = (rule->bp_of == 'c' ? answer.cfa : bp) + rule->bp;
	return answer;
}

static __u32 learn(const struct rule *rule)
{
	struct tprof_step_answer one = answer(rule, BP), two = answer(rule, OTHER);

	return step_of_answers(SP, &one, &two);
}

/* The step gives the same answers as the rule, for registers that it was not learned from. */
static void takes(const struct rule *rule)
{
	__u64 sp = SP + 0x12345678, bp = SP - 0x7654320, cfa = (rule->cfa_of_bp ? bp : sp) + rule->cfa;
	__u32 step = learn(rule);

	assert_int_equal(step_kind(step), TPROF_STEP_CALL);
	assert_true(step & TPROF_STEP_RETURN);
	assert_int_equal(step_cfa(step, sp, bp), cfa);
	assert_int_equal(!!(step & TPROF_STEP_BP_SAVED), !!rule->bp_of);
	if (rule->bp_of)
		assert_int_equal(step_bp_at(step, cfa, bp), (rule->bp_of == 'c' ? cfa : bp) + rule->bp);
}

static void refused(const struct rule *rule)
{
	assert_int_equal(learn(rule), TPROF_STEP_OTHER);
}

static void test_rules(void **state)
{
	static const struct rule rules[] = {
		{ 0, 8, 0, 0 }, { 0, 56, 'c', -56 }, { 0, 4096, 'c', -16 }, { 1, 16, 'c', -16 }, { 1, 16, 0, 0 },
		{ 0, 48, 'b', -8 }, { 0, 48, 'b', 0 }, { 1, -64, 'c', -16 }, { 0, 32760, 'c', -32768 },
		{ 1, -32768, 'c', 32760 }, { 0, 32760, 'b', 65528 }, { 0, 8, 'b', -65536 },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		takes(&rules[i]);
	(void)state;
}

static void test_limits(void **state)
{
	static const struct rule rules[] = {
		{ 0, 32768, 0, 0 }, { 1, -32776, 0, 0 }, { 0, 12, 0, 0 }, { 0, 16, 'c', -65544 }, { 0, 16, 'c', 65536 },
		{ 0, 16, 'c', -12 }, { 1, 16, 'b', 4 },
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		refused(&rules[i]);
	(void)state;
}

/* Answers that no step gives: places that are relative to something else. */
static void test_elsewhere(void **state)
{
	struct tprof_step_answer one = { .bp = BP, .cfa = SP + 64 }, two = { .bp = OTHER, .cfa = SP + 72 };

	assert_int_equal(step_of_answers(SP, &one, &two), TPROF_STEP_OTHER);
	two.cfa = one.cfa;
	assert_int_equal(step_kind(step_of_answers(SP, &one, &two)), TPROF_STEP_CALL);
	one.bp_at = SP + 16;
	assert_int_equal(step_of_answers(SP, &one, &two), TPROF_STEP_OTHER);
	two.bp_at = SP + 24;
	assert_int_equal(step_of_answers(SP, &one, &two), TPROF_STEP_OTHER);
	two.bp_at = SP + 16;
	assert_int_equal(step_kind(step_of_answers(SP, &one, &two)), TPROF_STEP_CALL);
	(void)state;
}

/* A kind that is not that of a call has no other bits, and unknown and refused addresses are no return addresses. */
static void test_kinds(void **state)
{
	assert_int_equal(TPROF_STEP_UNKNOWN, 0);
	assert_false(TPROF_STEP_REFUSED & TPROF_STEP_RETURN);
	assert_true(TPROF_STEP_OTHER & TPROF_STEP_RETURN);
	assert_true(TPROF_STEP_CALL & TPROF_STEP_RETURN);
	assert_int_equal(step_kind(~0U), TPROF_STEP_OTHER);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
