/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks call stacks, leaf first. If a stack is deeper than @max frames, both ends are kept, or the leaf's end if the
 * root is far away (frames.h). The functions return the number of frames in @frames, including marks. They take no
 * locks, do not fault and do not sleep.
 */
#ifndef _TPROF_UNWIND_H
#define _TPROF_UNWIND_H

#include <linux/ptrace.h>
#include <linux/sched.h>

/* Capacity of the kernel call stack of a staged sample. */
#define TPROF_UNWIND_MAX	127

/*
 * Walks the kernel call stack of @task from @regs, which are of kernel code: of the code that an interrupt hit, or of
 * the current code as perf_fetch_caller_regs() fills them. Any context.
 */
unsigned int tprof_unwind_kernel(struct pt_regs *regs, struct task_struct *task, u64 *frames, unsigned int max);

/* Walks the user call stack by frame pointers. @regs are the user registers of the current task. Any context. */
unsigned int tprof_unwind_user(struct pt_regs *regs, u64 *frames, unsigned int max);

#endif
