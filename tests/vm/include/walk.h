/* SPDX-License-Identifier: GPL-2.0-only */
/* A filter that compares kernel stacks with the address of their sample, for guest tests in C. Needs filter.h. */
#ifndef TPROF_TESTS_WALK_H
#define TPROF_TESTS_WALK_H

#define WALK_ROOM 256		/* bytes for addresses, on the stack of the filter */
#define NO_VERDICT 2

/*
 * Returns KEEP for a stack of two or more frames whose leaf is the address of the sample. Returns DONE for samples of
 * user mode and of idle CPUs, and for a stack of one frame: at an entry point of the kernel there are no callers. Else
 * returns an invalid verdict, which the ledger counts as bad_verdict.
 */
static const struct bpf_insn walk_kernel[] = {
	{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
	{ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = BPF_REG_7, .src_reg = BPF_REG_6,
	  .off = offsetof(struct tprof_sample, flags) },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = TPROF_DONE },
	{ .code = BPF_ALU64 | BPF_AND | BPF_K, .dst_reg = BPF_REG_7,
	  .imm = TPROF_SAMPLE_KERNEL | TPROF_SAMPLE_IDLE },
	{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_7, .off = 14, .imm = TPROF_SAMPLE_KERNEL },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_6 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10 },
	{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_2, .imm = -WALK_ROOM },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = WALK_ROOM },
	CALL_WALK_KERNEL,
	{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_0 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = NO_VERDICT },
	{ .code = BPF_JMP | BPF_JSLT | BPF_K, .dst_reg = BPF_REG_1, .off = 6, .imm = sizeof(uint64_t) },
	{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_10, .off = -WALK_ROOM },
	{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_3, .src_reg = BPF_REG_6,
	  .off = offsetof(struct tprof_sample, ip) },
	{ .code = BPF_JMP | BPF_JNE | BPF_X, .dst_reg = BPF_REG_2, .src_reg = BPF_REG_3, .off = 3 },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = TPROF_DONE },
	{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_1, .off = 1, .imm = sizeof(uint64_t) },
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = TPROF_KEEP },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* Attaches the filter until the link is closed. */
__attribute__((unused))
static int attach_walk(int session)
{
	int link = attach_filter(session, "walk", TPROF_FILTER_KERNEL_STACK, walk_kernel,
				 sizeof(walk_kernel) / sizeof(walk_kernel[0]));

	need(link >= 0, "the filter is attached");
	return link;
}

/* Checks a stopped session; without a stream, kept samples are lost as stream_full. */
__attribute__((unused))
static void judge_walk(int session, const char *what)
{
	struct tprof_ledger_read ledger = read_ledger(session, -1);
	uint64_t good = ledger.lost[TPROF_LOST_STREAM_FULL].samples;

	check(good > 0, "%s: there are stacks whose leaf is where the sample was taken", what);
	is(ledger.lost[TPROF_LOST_BAD_VERDICT].samples, 0, "%s: there is no other", what);
	check(closes(&ledger), "%s: the ledger closes", what);
	diag("%s: %llu stacks, %llu not of the kernel", what, (unsigned long long)good,
	     (unsigned long long)ledger.outcomes[TPROF_OUTCOME_DONE].samples);
}

#endif
