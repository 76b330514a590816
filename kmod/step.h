/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A step of a stack walk, from a return address to its caller: how the caller's stack and frame pointer are found, in
 * 32 bits. Pure, so that it can be tested in user space.
 *
 * The caller's stack pointer (the CFA) is the stack pointer or the frame pointer plus a constant. The return address is
 * the word below it. The caller's frame pointer is the current one, or a word at a constant distance from the CFA or
 * from the current frame pointer.
 */
#ifndef _TPROF_STEP_H
#define _TPROF_STEP_H

#include "uapi/tprof.h"

/* The lowest two bits. */
enum tprof_step_kind {
	TPROF_STEP_UNKNOWN,		/* nothing is known of the address */
	TPROF_STEP_CALL,		/* the step of a plain call */
	TPROF_STEP_REFUSED,		/* may not be a return address: the unwinder may replace or refuse it */
	TPROF_STEP_OTHER,		/* a return address from which only the kernel's unwinder finds the caller */
};

#define TPROF_STEP_KIND		3U
#define TPROF_STEP_RETURN	1U		/* in the kind: a return address */
#define TPROF_STEP_CFA_OF_BP	(1U << 2)	/* the CFA is relative to the frame pointer */
#define TPROF_STEP_BP_OF_CFA	(1U << 3)	/* the caller's frame pointer is in memory, relative to the CFA */
#define TPROF_STEP_BP_OF_BP	(1U << 4)	/* it is in memory, relative to the frame pointer */
#define TPROF_STEP_BP_SAVED	(TPROF_STEP_BP_OF_CFA | TPROF_STEP_BP_OF_BP)
#define TPROF_STEP_CFA_SHIFT	5
#define TPROF_STEP_CFA_BITS	13		/* in words: as far as the kernel's unwind data reach */
#define TPROF_STEP_BP_SHIFT	(TPROF_STEP_CFA_SHIFT + TPROF_STEP_CFA_BITS)
#define TPROF_STEP_BP_BITS	14

/* The answer of the kernel's unwinder for a frame on a made-up stack, for one of two frame pointers. */
struct tprof_step_answer {
	__u64 bp;			/* the frame pointer that it was given */
	__u64 cfa;			/* the caller's stack pointer */
	__u64 bp_at;			/* address of the caller's frame pointer; 0: it is the one that was given */
};

static inline enum tprof_step_kind step_kind(__u32 step)
{
	return (enum tprof_step_kind)(step & TPROF_STEP_KIND);
}

static inline __s64 step_cfa_offset(__u32 step)
{
	return ((__s64)((__u64)step << (64 - TPROF_STEP_BP_SHIFT)) >> (64 - TPROF_STEP_CFA_BITS)) * 8;
}

static inline __s64 step_bp_offset(__u32 step)
{
	return (__s64)((__s32)step >> TPROF_STEP_BP_SHIFT) * 8;
}

/* Returns the caller's stack pointer. */
static inline __u64 step_cfa(__u32 step, __u64 sp, __u64 bp)
{
	return (step & TPROF_STEP_CFA_OF_BP ? bp : sp) + step_cfa_offset(step);
}

/* Returns the address of the caller's frame pointer, if it is saved in memory. */
static inline __u64 step_bp_at(__u32 step, __u64 cfa, __u64 bp)
{
	return (step & TPROF_STEP_BP_OF_BP ? bp : cfa) + step_bp_offset(step);
}

static inline int step_fits(__s64 offset, unsigned int bits)
{
	__s64 limit = 8LL << (bits - 1);

	return !(offset & 7) && offset >= -limit && offset < limit;
}

static inline __u32 step_pack(__u32 flags, __s64 cfa_offset, __s64 bp_offset)
{
	if (!step_fits(cfa_offset, TPROF_STEP_CFA_BITS) || !step_fits(bp_offset, TPROF_STEP_BP_BITS))
		return TPROF_STEP_OTHER;
	return TPROF_STEP_CALL | flags |
	       ((__u32)(cfa_offset / 8) & ((1U << TPROF_STEP_CFA_BITS) - 1)) << TPROF_STEP_CFA_SHIFT |
	       (__u32)(bp_offset / 8) << TPROF_STEP_BP_SHIFT;
}

/* Adds where the frame pointer is saved to a step whose CFA is known. */
static inline __u32 step_with_bp(__u32 flags, __s64 cfa_offset, const struct tprof_step_answer *one,
				 const struct tprof_step_answer *two)
{
	if (!one->bp_at && !two->bp_at)
		return step_pack(flags, cfa_offset, 0);
	if (!one->bp_at || !two->bp_at)
		return TPROF_STEP_OTHER;
	if (one->bp_at - one->cfa == two->bp_at - two->cfa)
		return step_pack(flags | TPROF_STEP_BP_OF_CFA, cfa_offset, (__s64)(one->bp_at - one->cfa));
	if (one->bp_at - one->bp == two->bp_at - two->bp)
		return step_pack(flags | TPROF_STEP_BP_OF_BP, cfa_offset, (__s64)(one->bp_at - one->bp));
	return TPROF_STEP_OTHER;
}

/* Returns the step that gives both answers from the stack pointer @sp, TPROF_STEP_OTHER if there is none. */
static inline __u32 step_of_answers(__u64 sp, const struct tprof_step_answer *one, const struct tprof_step_answer *two)
{
	if (one->cfa == two->cfa)
		return step_with_bp(0, (__s64)(one->cfa - sp), one, two);
	if (one->cfa - one->bp == two->cfa - two->bp)
		return step_with_bp(TPROF_STEP_CFA_OF_BP, (__s64)(one->cfa - one->bp), one, two);
	return TPROF_STEP_OTHER;
}

#endif
