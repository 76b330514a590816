/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * One step of unwinding: from the registers of a frame to those of its caller, by the row of the call frame information
 * that holds at the frame's address. Of this machine's own programs, and on x86-64 of 32-bit ones. Pure.
 */
#ifndef TPROF_CFI_ROW_H
#define TPROF_CFI_ROW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

/* Registers by DWARF's numbers. */
#if defined(__x86_64__)
#define CFI_NR_REGS	17		/* the last is the return address */
#define CFI_SP		7
#define CFI_FP		6
#define CFI_RECORD_ENDS_FRAME 1	/* a caller's stack begins where the frame record ends */
/* And of 32-bit programs, which are those of i386. */
#define CFI_NR_REGS_32	9
#define CFI_SP_32	4
#define CFI_FP_32	5
#elif defined(__aarch64__)
#define CFI_NR_REGS	32
#define CFI_SP		31
#define CFI_FP		29
#define CFI_RECORD_ENDS_FRAME 0
/* Nothing that unwinds 32-bit programs is written down in this form. */
#define CFI_NR_REGS_32	CFI_NR_REGS
#define CFI_SP_32	CFI_SP
#define CFI_FP_32	CFI_FP
#else
#error "tprof knows x86-64 and arm64"
#endif

/* Where the caller's value of a register is. What has no rule is lost. */
enum cfi_kind {
	CFI_SAME,		/* it was not changed */
	CFI_REGISTER,		/* in register @number */
	CFI_AT,			/* in memory, @number bytes from the CFA */
	CFI_OFFSET,		/* it is the CFA plus @number */
	CFI_EXPRESSION,		/* as @ops say, which also say whether it is a place or a value */
};

struct cfi_rule {
	uint8_t reg;
	uint8_t kind;			/* enum cfi_kind */
	uint16_t nr_ops;
	union {
		int64_t number;
		const Dwarf_Op *ops;	/* belong to the file's CFI */
	};
};

struct cfi_row {
	struct hash_node node;		/* by address in the file's own terms */
	struct cfi_rule cfa;		/* CFI_OFFSET: register @reg plus @number, or an expression */
	uint8_t return_column;
	bool signal;			/* the kernel made it: the caller is what a signal interrupted */
	uint8_t nr_rules;
	struct cfi_rule rules[];
};

struct cfi_frame {
	uint64_t pc;
	uint64_t regs[CFI_NR_REGS];
	uint64_t known;			/* a bit for each register whose value is known */
	bool is_32bit;			/* of a program with 32 bits: so are words and addresses */
};

static inline unsigned int cfi_sp(const struct cfi_frame *frame)
{
	return frame->is_32bit ? CFI_SP_32 : CFI_SP;
}

static inline unsigned int cfi_fp(const struct cfi_frame *frame)
{
	return frame->is_32bit ? CFI_FP_32 : CFI_FP;
}

static inline uint32_t cfi_word_bytes(const struct cfi_frame *frame)
{
	return frame->is_32bit ? 4 : 8;
}

/* A value as a register or an address of the program has it. */
static inline uint64_t cfi_word(const struct cfi_frame *frame, uint64_t value)
{
	return frame->is_32bit ? (uint32_t)value : value;
}

/* What can be read of the stack. False where there is nothing. */
struct cfi_memory {
	bool (*read)(void *ctx, uint64_t address, void *to, uint32_t bytes);
	void *ctx;
};

enum cfi_step {
	CFI_CALLER,			/* the frame is that of the caller now */
	CFI_OUTERMOST,			/* there is none: the return address is said to be undefined */
	CFI_LOST,			/* what is needed is not known, or cannot be read */
};

/* The address of code that a word on the stack stands for. */
uint64_t cfi_code_address(uint64_t word);

enum cfi_step cfi_step(const struct cfi_row *row, struct cfi_frame *frame, const struct cfi_memory *memory);

#endif
