// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The level of a cgroup that contains this process: a BPF program, run by this process, searches its ancestors. */
#include "cgroup_level.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <unistd.h>

/* Far above any real nesting depth. */
#define MAX_LEVEL 1024

#define INSN(op, dst, src, jump, value) \
	{ .code = (op), .dst_reg = (dst), .src_reg = (src), .off = (jump), .imm = (int)(value) }

/* Loads the program. It returns the level of @id plus 1, or 0 if @id is not found. */
static int load(uint64_t id)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_6, 0, 0, 0),
		/* again: */
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_get_current_ancestor_cgroup_id),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_6, 0, 0, 1),
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_1, 0, 0, id),
		INSN(0, 0, 0, 0, id >> 32),
		INSN(BPF_JMP | BPF_JEQ | BPF_X, BPF_REG_0, BPF_REG_1, 3, 0),
		/* The helper returns 0 beyond the level of the process's own cgroup. */
		INSN(BPF_JMP | BPF_JEQ | BPF_K, BPF_REG_0, 0, 1, 0),
		INSN(BPF_JMP | BPF_JLT | BPF_K, BPF_REG_6, 0, -8, MAX_LEVEL),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_6, 0, 0, 0),
		/* found: */
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_0, BPF_REG_6, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "tprof_level", "GPL", insns, sizeof(insns) / sizeof(*insns),
			     NULL);
}

int cgroup_level_of_own(uint64_t id, uint32_t *level)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int fd = load(id), err;

	if (fd < 0)
		return fd;
	/* BPF_PROG_TEST_RUN runs a program of this type in the context of the caller, on the caller's CPU. */
	err = bpf_prog_test_run_opts(fd, &run);
	close(fd);
	if (err)
		return err;
	if (!run.retval)
		return -ENOENT;
	*level = run.retval - 1;
	return 0;
}
