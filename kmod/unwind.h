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

struct mm_struct;

/* Capacity of the kernel call stack of a staged sample. */
#define TPROF_UNWIND_MAX	127

/*
 * Walks the kernel call stack of @task from @regs, which are of kernel code: of the code that an interrupt hit, or of
 * the current code as perf_fetch_caller_regs() fills them. Any context.
 *
 * @leaf: the address of the sample. If it is not that of @regs, TPROF_FRAME_SKID is between the two; if @regs are of
 *        user mode, the kernel has returned since, and TPROF_FRAME_CUT follows the leaf
 */
unsigned int tprof_unwind_kernel(struct pt_regs *regs, u64 leaf, struct task_struct *task, u64 *frames,
				 unsigned int max);

/*
 * Walks the kernel call stack of a task that is not on a CPU, from where it has left it. Interrupts disabled.
 *
 * @stays: it cannot run meanwhile. Else the caller holds rcu_read_lock(), and the frames are true if the task has not
 *         run when they were read
 */
unsigned int tprof_unwind_waiting(struct task_struct *task, bool stays, u64 *frames, unsigned int max);

/*
 * Walks the user call stack by frame pointers. @regs are the user registers of the current task; @leaf as above. Any
 * context.
 */
unsigned int tprof_unwind_user(struct pt_regs *regs, u64 leaf, u64 *frames, unsigned int max);

/*
 * Likewise of a task that waits, with these user registers in this memory. Returns 0 also if another thread changes
 * what is mapped there. Process context.
 */
unsigned int tprof_unwind_user_of(struct mm_struct *mm, struct pt_regs *regs, u64 *frames, unsigned int max);

#ifdef CONFIG_ARM64
/* For debugfs. */
struct seq_file;
void tprof_unwind_show(struct seq_file *m);
#endif

/* Returns the registers of the code that the current interrupt or NMI has interrupted; NULL: unknown. */
struct pt_regs *tprof_unwind_interrupted(void);

#endif
