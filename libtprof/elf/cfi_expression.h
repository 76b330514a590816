/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Evaluates the DWARF expressions of call frame information. Pure. Evaluation always terminates, whatever the input. */
#ifndef TPROF_CFI_EXPRESSION_H
#define TPROF_CFI_EXPRESSION_H

#include <stddef.h>

#include "cfi_row.h"

struct cfi_inputs {
	const struct cfi_frame *frame;
	const struct cfi_memory *memory;
	uint64_t cfa;			/* for DW_OP_call_frame_cfa */
};

enum cfi_value {
	CFI_VALUE_NONE,			/* the expression cannot be evaluated */
	CFI_VALUE_PLACE,		/* the result is the address of the value */
	CFI_VALUE_ITSELF,		/* the result is the value: DW_OP_stack_value */
};

static inline bool cfi_frame_has(const struct cfi_frame *frame, uint64_t reg)
{
	return reg < CFI_NR_REGS && (frame->known >> reg & 1);
}

enum cfi_value cfi_evaluate(const Dwarf_Op *ops, size_t nr, const struct cfi_inputs *inputs, uint64_t *result);

#endif
