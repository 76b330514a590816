/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * One unwind step: computes the registers of the caller from those of a frame, with the row of the call frame
 * information for the frame's address. Supports native programs, and 32-bit programs on x86-64. Pure.
 */
#ifndef TPROF_CFI_ROW_H
#define TPROF_CFI_ROW_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"

/* Registers have DWARF numbers. */
#if defined(__x86_64__)
#define CFI_NR_REGS	17		/* the last one is the return address */
#define CFI_SP		7
#define CFI_FP		6
#define CFI_RECORD_ENDS_FRAME 1	/* the caller's stack begins at the end of the frame record */
/* For 32-bit programs: i386. */
#define CFI_NR_REGS_32	9
#define CFI_SP_32	4
#define CFI_FP_32	5
#elif defined(__aarch64__)
#define CFI_NR_REGS	32
#define CFI_SP		31
#define CFI_FP		29
#define CFI_RECORD_ENDS_FRAME 0
/* Unwinding of 32-bit programs uses no CFI here. */
#define CFI_NR_REGS_32	CFI_NR_REGS
#define CFI_SP_32	CFI_SP
#define CFI_FP_32	CFI_FP
#else
#error "tprof supports only x86-64 and arm64"
#endif

/* Location of the caller's value of a register. A register without a rule is lost. */
enum cfi_kind {
	CFI_SAME,		/* unchanged */
	CFI_REGISTER,		/* in register @number */
	CFI_AT,			/* in memory, at the CFA plus @number bytes */
	CFI_OFFSET,		/* the value is the CFA plus @number */
	CFI_EXPRESSION,		/* computed by @ops, which yield an address or a value */
};

struct cfi_rule {
	uint8_t reg;
	uint8_t kind;			/* enum cfi_kind */
	uint16_t nr_ops;
	union {
		int64_t number;
		const Dwarf_Op *ops;	/* owned by the file's CFI */
	};
};

struct cfi_row {
	struct hash_node node;		/* key: virtual address in the file */
	struct cfi_rule cfa;		/* CFI_OFFSET: register @reg plus @number; or an expression */
	uint8_t return_column;
	bool signal;			/* signal frame, made by the kernel: the caller is the interrupted code */
	uint8_t nr_rules;
	struct cfi_rule rules[];
};

struct cfi_frame {
	uint64_t pc;
	uint64_t regs[CFI_NR_REGS];
	uint64_t known;			/* bit mask of the registers with a known value */
	bool is_32bit;			/* 32-bit program: words and addresses have 32 bits */
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

/* Truncates a value to the program's word size. */
static inline uint64_t cfi_word(const struct cfi_frame *frame, uint64_t value)
{
	return frame->is_32bit ? (uint32_t)value : value;
}

/* Access to the stack. Returns false if the memory is not available. */
struct cfi_memory {
	bool (*read)(void *ctx, uint64_t address, void *to, uint32_t bytes);
	void *ctx;
};

enum cfi_step {
	CFI_CALLER,			/* the frame is now that of the caller */
	CFI_OUTERMOST,			/* there is no caller: the return address is marked as undefined */
	CFI_LOST,			/* a needed value is unknown or cannot be read */
};

/* Converts a word on the stack to a code address. */
uint64_t cfi_code_address(uint64_t word);

enum cfi_step cfi_step(const struct cfi_row *row, struct cfi_frame *frame, const struct cfi_memory *memory);

#endif
