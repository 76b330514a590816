/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Conversion of the kernel's saved registers to DWARF register numbers, and unwind steps that CFI does not describe. */
#ifndef TPROF_UNWIND_REGS_H
#define TPROF_UNWIND_REGS_H

#include <linux/types.h>

#include "elf/cfi_row.h"

/* @regs: struct pt_regs of x86-64, also for a 32-bit program; struct user_pt_regs of arm64. */
void unwind_frame_init(struct cfi_frame *frame, const __u64 *regs);

/* True if the CFI of the signal trampoline does not describe the interrupted registers on this machine. */
bool unwind_signal_lacks_rules(void);

/*
 * From the frame of the signal trampoline, at its start, to the interrupted frame, by the kernel's signal frame. False
 * if the stack cannot be read.
 */
bool unwind_signal(struct cfi_frame *frame, const struct cfi_memory *memory);

/*
 * From within the vdso code that makes a system call of a 32-bit program to the caller of that code. False if the
 * caller is unknown.
 */
bool unwind_vdso32(struct cfi_frame *frame, const struct cfi_memory *memory);

/* One frame up by the frame pointer. False if there is no readable frame record. */
bool unwind_frame_record(struct cfi_frame *frame, const struct cfi_memory *memory);

#endif
