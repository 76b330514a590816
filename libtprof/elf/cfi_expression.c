// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Evaluates the DWARF expressions of call frame information: a stack machine. */
#include "cfi_expression.h"

#include <dwarf.h>

/* Real expressions have a dozen operations and a stack depth of three. Backward jumps could loop forever. */
#define MAX_STEPS 256
#define MAX_DEPTH 64

struct machine {
	const struct cfi_inputs *inputs;
	uint64_t stack[MAX_DEPTH];
	unsigned int depth;
	bool failed;
};

static void push(struct machine *machine, uint64_t value)
{
	if (machine->depth == MAX_DEPTH)
		machine->failed = true;
	else
		machine->stack[machine->depth++] = cfi_word(machine->inputs->frame, value);
}

static uint64_t pop(struct machine *machine)
{
	if (machine->depth)
		return machine->stack[--machine->depth];
	machine->failed = true;
	return 0;
}

/* The word @below entries under the top of the stack. */
static uint64_t peek(struct machine *machine, uint64_t below)
{
	if (below < machine->depth)
		return machine->stack[machine->depth - 1 - below];
	machine->failed = true;
	return 0;
}

static void push_register(struct machine *machine, uint64_t reg, uint64_t offset)
{
	if (cfi_frame_has(machine->inputs->frame, reg))
		push(machine, machine->inputs->frame->regs[reg] + offset);
	else
		machine->failed = true;
}

static void load(struct machine *machine, uint64_t bytes)
{
	const struct cfi_memory *memory = machine->inputs->memory;
	uint64_t word = 0, address = pop(machine);

	/* Little endian: a short read fills the low bytes. */
	if (machine->failed || !bytes || bytes > sizeof(word) ||
	    !memory->read(memory->ctx, address, &word, (uint32_t)bytes))
		machine->failed = true;
	else
		push(machine, word);
}

static int64_t as_signed(const struct machine *machine, uint64_t value)
{
	return machine->inputs->frame->is_32bit ? (int32_t)value : (int64_t)value;
}

static void calculate(struct machine *machine, uint8_t atom)
{
	uint64_t b = pop(machine), a = pop(machine);
	int64_t signed_a = as_signed(machine, a), signed_b = as_signed(machine, b);

	switch (atom) {
	case DW_OP_plus:
		return push(machine, a + b);
	case DW_OP_minus:
		return push(machine, a - b);
	case DW_OP_mul:
		return push(machine, a * b);
	case DW_OP_and:
		return push(machine, a & b);
	case DW_OP_or:
		return push(machine, a | b);
	case DW_OP_xor:
		return push(machine, a ^ b);
	case DW_OP_shl:
		return push(machine, b < 64 ? a << b : 0);
	case DW_OP_shr:
		return push(machine, b < 64 ? a >> b : 0);
	case DW_OP_shra:
		return push(machine, (uint64_t)(signed_a >> (b < 63 ? b : 63)));
	case DW_OP_eq:
		return push(machine, a == b);
	case DW_OP_ne:
		return push(machine, a != b);
	case DW_OP_lt:
		return push(machine, signed_a < signed_b);
	case DW_OP_le:
		return push(machine, signed_a <= signed_b);
	case DW_OP_gt:
		return push(machine, signed_a > signed_b);
	case DW_OP_ge:
		return push(machine, signed_a >= signed_b);
	default:
		machine->failed = true;
	}
}

static void shuffle(struct machine *machine, const Dwarf_Op *op)
{
	uint64_t a, b, c;

	switch (op->atom) {
	case DW_OP_dup:
		return push(machine, peek(machine, 0));
	case DW_OP_over:
		return push(machine, peek(machine, 1));
	case DW_OP_pick:
		return push(machine, peek(machine, op->number));
	case DW_OP_drop:
		pop(machine);
		return;
	case DW_OP_swap:
		b = pop(machine);
		a = pop(machine);
		push(machine, b);
		return push(machine, a);
	default: /* DW_OP_rot */
		c = pop(machine);
		b = pop(machine);
		a = pop(machine);
		push(machine, c);
		push(machine, a);
		return push(machine, b);
	}
}

static void step(struct machine *machine, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(machine, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(machine, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_nop:
		return;
	case DW_OP_const1u ... DW_OP_consts:
		return push(machine, op->number);
	case DW_OP_bregx:
		return push_register(machine, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return push(machine, machine->inputs->cfa);
	case DW_OP_plus_uconst:
		return push(machine, pop(machine) + op->number);
	case DW_OP_deref:
		return load(machine, cfi_word_bytes(machine->inputs->frame));
	case DW_OP_deref_size:
		return load(machine, op->number);
	case DW_OP_neg:
		return push(machine, -pop(machine));
	case DW_OP_not:
		return push(machine, ~pop(machine));
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_over:
	case DW_OP_pick:
	case DW_OP_swap:
	case DW_OP_rot:
		return shuffle(machine, op);
	default:
		calculate(machine, op->atom);
	}
}

/*
 * Returns the index of the jump target; @nr if there is none. Jumps are relative to the end of their own three bytes.
 */
static size_t jump(const Dwarf_Op *ops, size_t nr, size_t from)
{
	uint64_t target = ops[from].offset + 3 + (uint64_t)(int16_t)ops[from].number;

	for (size_t i = 0; i < nr; i++) {
		if (ops[i].offset == target)
			return i;
	}
	return nr;
}

enum cfi_value cfi_evaluate(const Dwarf_Op *ops, size_t nr, const struct cfi_inputs *inputs, uint64_t *result)
{
	struct machine machine = { .inputs = inputs };
	enum cfi_value kind = CFI_VALUE_PLACE;
	unsigned int steps = 0;

	for (size_t at = 0; at < nr && !machine.failed; at++) {
		if (++steps > MAX_STEPS)
			return CFI_VALUE_NONE;
		if (ops[at].atom == DW_OP_stack_value)
			kind = CFI_VALUE_ITSELF;
		else if (ops[at].atom == DW_OP_skip || (ops[at].atom == DW_OP_bra && pop(&machine)))
			at = jump(ops, nr, at) - 1;
		else if (ops[at].atom != DW_OP_bra)
			step(&machine, &ops[at]);
	}
	if (machine.failed || !machine.depth)
		return CFI_VALUE_NONE;
	*result = pop(&machine);
	return kind;
}
