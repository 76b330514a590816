/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call stacks, leaf first; of one that is deeper than @max both ends (frames.h). None of it takes a lock, faults or
 * sleeps.
 */
#ifndef _TPROF_UNWIND_H
#define _TPROF_UNWIND_H

#include <linux/ptrace.h>
#include <linux/sched.h>

/* The deepest stack that is taken along with a sample captured in NMI. */
#define TPROF_UNWIND_MAX	127

/*
 * The stack of the kernel from @regs on, which are of kernel code that runs on @task: of what an interrupt hit, or
 * of an event in the code that calls this, as perf_fetch_caller_regs() makes them. Any context.
 */
unsigned int tprof_unwind_kernel(struct pt_regs *regs, struct task_struct *task, u64 *frames, unsigned int max);

/* The stack of user code by frame pointers; @regs are of the running task in user mode. Any context. */
unsigned int tprof_unwind_user(struct pt_regs *regs, u64 *frames, unsigned int max);

#endif
