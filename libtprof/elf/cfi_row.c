// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* One unwind step. */
#include "cfi_row.h"

#include "cfi_expression.h"

static bool find_cfa(const struct cfi_row *row, struct cfi_inputs *inputs)
{
	const struct cfi_rule *rule = &row->cfa;

	if (rule->kind == CFI_EXPRESSION)
		return cfi_evaluate(rule->ops, rule->nr_ops, inputs, &inputs->cfa) == CFI_VALUE_PLACE;
	if (!cfi_frame_has(inputs->frame, rule->reg))
		return false;
	inputs->cfa = cfi_word(inputs->frame, inputs->frame->regs[rule->reg] + (uint64_t)rule->number);
	return true;
}

static bool read_word(const struct cfi_inputs *inputs, uint64_t address, uint64_t *word)
{
	/* Little endian: the upper bytes of a shorter word stay 0. */
	*word = 0;
	return inputs->memory->read(inputs->memory->ctx, cfi_word(inputs->frame, address), word,
				    cfi_word_bytes(inputs->frame));
}

static bool apply(const struct cfi_rule *rule, const struct cfi_inputs *inputs, uint64_t *value)
{
	uint64_t from = rule->kind == CFI_REGISTER ? (uint64_t)rule->number : rule->reg;

	switch (rule->kind) {
	case CFI_SAME:
	case CFI_REGISTER:
		if (!cfi_frame_has(inputs->frame, from))
			return false;
		*value = inputs->frame->regs[from];
		return true;
	case CFI_AT:
		return read_word(inputs, inputs->cfa + (uint64_t)rule->number, value);
	case CFI_OFFSET:
		*value = cfi_word(inputs->frame, inputs->cfa + (uint64_t)rule->number);
		return true;
	default:
		switch (cfi_evaluate(rule->ops, rule->nr_ops, inputs, value)) {
		case CFI_VALUE_PLACE:
			return read_word(inputs, *value, value);
		case CFI_VALUE_ITSELF:
			return true;
		default:
			return false;
		}
	}
}

#if defined(__aarch64__)
/*
 * The upper bits may hold a pointer authentication code. Linux maps nothing above 48 bits unless a program asks for it.
 */
uint64_t cfi_code_address(uint64_t word)
{
	return word & ((1ULL << 48) - 1);
}
#else
uint64_t cfi_code_address(uint64_t word)
{
	return word;
}
#endif

enum cfi_step cfi_step(const struct cfi_row *row, struct cfi_frame *frame, const struct cfi_memory *memory)
{
	struct cfi_inputs inputs = { .frame = frame, .memory = memory };
	struct cfi_frame caller = { .is_32bit = frame->is_32bit };
	bool has_return = false;

	if (!find_cfa(row, &inputs))
		return CFI_LOST;
	for (unsigned int i = 0; i < row->nr_rules; i++) {
		const struct cfi_rule *rule = &row->rules[i];

		if (rule->reg == row->return_column)
			has_return = true;
		/* An unreadable register is an error only if a later step needs it. */
		if (apply(rule, &inputs, &caller.regs[rule->reg]))
			caller.known |= 1ULL << rule->reg;
	}
	if (!has_return)
		return CFI_OUTERMOST;
	if (!cfi_frame_has(&caller, row->return_column) || !cfi_frame_has(&caller, cfi_sp(&caller)))
		return CFI_LOST;
	caller.pc = cfi_code_address(caller.regs[row->return_column]);
	*frame = caller;
	return CFI_CALLER;
}
