/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * BPF instructions, for programs that are assembled here. The macros have the names that the kernel uses for the same
 * instructions in linux/filter.h, which is not part of its user-space API.
 */
#ifndef TPROF_BPF_INSN_H
#define TPROF_BPF_INSN_H

#include <linux/bpf.h>

/* The frame pointer. */
#define BPF_REG_FP BPF_REG_10

#define BPF_RAW_INSN(op, dst, src, offset, immediate) \
	((struct bpf_insn){ .code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (immediate) })
#define BPF_MOV64_REG(dst, src) BPF_RAW_INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define BPF_MOV64_IMM(dst, number) BPF_RAW_INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, number)
#define BPF_ALU64_REG(op, dst, src) BPF_RAW_INSN(BPF_ALU64 | (op) | BPF_X, dst, src, 0, 0)
#define BPF_ALU64_IMM(op, dst, number) BPF_RAW_INSN(BPF_ALU64 | (op) | BPF_K, dst, 0, 0, number)
#define BPF_LDX_MEM(size, dst, src, offset) BPF_RAW_INSN(BPF_LDX | BPF_MEM | (size), dst, src, offset, 0)
#define BPF_STX_MEM(size, dst, src, offset) BPF_RAW_INSN(BPF_STX | BPF_MEM | (size), dst, src, offset, 0)
#define BPF_ST_MEM(size, dst, offset, number) BPF_RAW_INSN(BPF_ST | BPF_MEM | (size), dst, 0, offset, number)
#define BPF_JMP_A(distance) BPF_RAW_INSN(BPF_JMP | BPF_JA, 0, 0, distance, 0)
#define BPF_JMP_IMM(op, reg, number, distance) BPF_RAW_INSN(BPF_JMP | (op) | BPF_K, reg, 0, distance, number)
#define BPF_EMIT_CALL(helper) BPF_RAW_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, helper)
#define BPF_EXIT_INSN() BPF_RAW_INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* These take two instructions: a map, the bytes of an array map's only value, and a function of the program. */
#define BPF_LD_IMM64_OF(dst, kind, low, high) \
	BPF_RAW_INSN(BPF_LD | BPF_IMM | BPF_DW, dst, kind, 0, low), BPF_RAW_INSN(0, 0, 0, 0, high)
#define BPF_LD_MAP_FD(dst, fd) BPF_LD_IMM64_OF(dst, BPF_PSEUDO_MAP_FD, fd, 0)
#define BPF_LD_MAP_VALUE(dst, fd, offset) BPF_LD_IMM64_OF(dst, BPF_PSEUDO_MAP_VALUE, fd, offset)
#define BPF_LD_FUNC(dst, distance) BPF_LD_IMM64_OF(dst, BPF_PSEUDO_FUNC, distance, 0)

#endif
