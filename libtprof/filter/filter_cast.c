// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Casts of typed pointers: replaces marked calls in programs before they are loaded. */
#include "filter_cast.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/kernel_types.h"
#include "tprof/object.h"

static bool is_mark(const struct bpf_insn *insn)
{
	return insn->code == (BPF_JMP | BPF_CALL) && !insn->src_reg && insn->imm == TPROF_CALL_CAST_TASK;
}

/* The second parameter is set by the instruction before the call. */
static bool is_type(const struct bpf_insn *insn)
{
	return insn->code == (BPF_ALU64 | BPF_MOV | BPF_K) && insn->dst_reg == BPF_REG_2;
}

size_t filter_cast_insns(struct bpf_insn *insns, size_t nr, const struct kernel_types *types)
{
	size_t nr_casts = 0;

	for (size_t i = 1; i < nr; i++) {
		if (!is_mark(&insns[i]) || !is_type(&insns[i - 1]))
			continue;
		nr_casts++;
		insns[i - 1].imm = (int32_t)types->task_type;
		if (types->cast_function)
			insns[i] = (struct bpf_insn){
				.code = BPF_JMP | BPF_CALL,
				.src_reg = BPF_PSEUDO_KFUNC_CALL,
				.imm = (int32_t)types->cast_function,
			};
		else
			insns[i] = (struct bpf_insn){
				.code = BPF_ALU64 | BPF_MOV | BPF_X,
				.dst_reg = BPF_REG_0,
				.src_reg = BPF_REG_1,
			};
	}
	return nr_casts;
}

static int cast_program(struct bpf_program *program, const struct kernel_types *types)
{
	size_t nr = bpf_program__insn_cnt(program);
	struct bpf_insn *insns = calloc(nr ? nr : 1, sizeof(*insns));
	int err = 0;

	if (!insns)
		return -ENOMEM;
	memcpy(insns, bpf_program__insns(program), nr * sizeof(*insns));
	if (filter_cast_insns(insns, nr, types))
		err = bpf_program__set_insns(program, insns, nr);
	free(insns);
	return err;
}

int filter_cast_object(struct bpf_object *object, const struct kernel_types *types)
{
	struct bpf_program *program;
	int err = 0;

	bpf_object__for_each_program(program, object) {
		if (!err)
			err = cast_program(program, types);
	}
	return err;
}
