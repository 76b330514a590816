/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Registers as the kernel keeps them, and as DWARF numbers them. */
#ifndef TPROF_UNWIND_REGS_H
#define TPROF_UNWIND_REGS_H

#include <linux/types.h>

#include "cfi_row.h"

/* @regs: struct pt_regs of x86-64, struct user_pt_regs of arm64 */
void unwind_frame_init(struct cfi_frame *frame, const __u64 *regs);

/*
 * Of a function with this name, of which nothing is written down: is it what a signal handler returns to? Asked only
 * where that is known of some name.
 */
bool unwind_knows_signal(void);
bool unwind_is_signal_return(const char *name);

/*
 * From the frame of the kernel's code behind a signal handler to what the signal interrupted, where the call frame
 * information does not tell all of it. False where it does, or where the stack cannot be read.
 */
bool unwind_signal(struct cfi_frame *frame, const struct cfi_memory *memory);

#endif
