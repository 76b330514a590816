/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Registers as the kernel keeps them, and as DWARF numbers them. */
#ifndef TPROF_UNWIND_REGS_H
#define TPROF_UNWIND_REGS_H

#include <linux/types.h>

#include "elf/cfi_row.h"

/* @regs: struct pt_regs of x86-64, also of a 32-bit program; struct user_pt_regs of arm64 */
void unwind_frame_init(struct cfi_frame *frame, const __u64 *regs);

/* Does what is written down of the frame behind a signal handler lack what was interrupted? */
bool unwind_signal_lacks_rules(void);

/*
 * From the frame of the code that a signal handler returns to, where it begins, to what the signal interrupted: by what
 * the kernel has put there. False where the stack cannot be read.
 */
bool unwind_signal(struct cfi_frame *frame, const struct cfi_memory *memory);

/*
 * From within a system call of a 32-bit program, in the code of the kernel that makes it, to the caller of that code.
 * False where that is not known.
 */
bool unwind_vdso32(struct cfi_frame *frame, const struct cfi_memory *memory);

/* From the frame to the one that its frame pointer leads to. False where there is no frame record that can be read. */
bool unwind_frame_record(struct cfi_frame *frame, const struct cfi_memory *memory);

#endif
