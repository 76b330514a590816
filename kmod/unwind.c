// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks call stacks. NMI-safe: all of this file. No locks, no allocation, no printk().
 *
 * Kernel call stacks: on x86-64 by the unwinder that the kernel was built with; on arm64, which exports no unwinder, by
 * frame records. User call stacks: by frame pointers. A frame record is the caller's frame pointer and the return
 * address on both architectures.
 */
#include <linux/uaccess.h>

#include "frames.h"
#include "unwind.h"

struct record {
	unsigned long fp;
	unsigned long lr;
};

#if defined(CONFIG_X86_64)
#include <asm/unwind.h>

#ifdef CONFIG_MITIGATION_RETPOLINE
#include <asm/nospec-branch.h>

/* The register with the target of each retpoline thunk, in the order of the thunks in memory. */
static const u8 thunk_targets[] = {
	offsetof(struct pt_regs, ax), offsetof(struct pt_regs, cx), offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, bx), offsetof(struct pt_regs, sp), offsetof(struct pt_regs, bp),
	offsetof(struct pt_regs, si), offsetof(struct pt_regs, di), offsetof(struct pt_regs, r8),
	offsetof(struct pt_regs, r9), offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13), offsetof(struct pt_regs, r14),
	offsetof(struct pt_regs, r15),
};

static unsigned long thunk_of(unsigned long ip)
{
	return (ip - (unsigned long)__x86_indirect_thunk_rax) / RETPOLINE_THUNK_SIZE;
}

/*
 * The unwinder has no data for a retpoline thunk, or takes its target for its caller. If @regs->ip is in a thunk, fills
 * @caller with the registers at the call of the thunk and returns true. The return address is on top of the stack, or
 * the second word if the thunk has put its own return address or its target on top.
 */
static bool leave_thunk(const struct pt_regs *regs, struct pt_regs *caller)
{
	unsigned long thunk = thunk_of(regs->ip), stack[2], target;
	unsigned int at;

	if (likely(thunk >= ARRAY_SIZE(thunk_targets)) ||
	    copy_from_kernel_nofault(stack, (void *)regs->sp, sizeof(stack)))
		return false;
	target = *(const unsigned long *)((const char *)regs + thunk_targets[thunk]);
	at = stack[0] == target || thunk_of(stack[0]) == thunk;
	*caller = *regs;
	caller->ip = stack[at];
	caller->sp += (at + 1) * sizeof(stack[0]);
	return true;
}
#else
static bool leave_thunk(const struct pt_regs *regs, struct pt_regs *caller)
{
	return false;
}
#endif

static noinline void walk_kernel(struct tprof_frames *walk, struct pt_regs *regs, struct task_struct *task)
{
	struct unwind_state state;
	struct pt_regs caller;

	if (regs->flags & X86_EFLAGS_FIXED) {
		/* Complete registers of an interrupt. The unwinder starts with the caller, so add the leaf here. */
		if (!frames_add(walk, regs->ip, 0))
			return;
		if (leave_thunk(regs, &caller)) {
			if (!frames_add(walk, caller.ip, 0))
				return;
			/* The address of the call: the next instruction may belong to another function. */
			caller.ip--;
			regs = &caller;
		}
		unwind_start(&state, task, regs, NULL);
	} else {
		/* From perf_fetch_caller_regs(), ip and sp only: walk from here, and skip the frames below sp. */
		unwind_start(&state, task, NULL, (void *)regs->sp);
	}
	for (; !unwind_done(&state); unwind_next_frame(&state)) {
		unsigned long ip = unwind_get_return_address(&state);

		if (!ip || !frames_add(walk, ip, 0))
			return;
	}
}

#define has_user_records(regs)		user_64bit_mode(regs)
#define user_frame_pointer(regs)	((regs)->bp)
#define strip_user(ip)			(ip)

#elif defined(CONFIG_ARM64)
#include <linux/sched/task_stack.h>
#include <asm/pointer_auth.h>

/* Where a walk is. All stacks have the same size, and CONFIG_VMAP_STACK aligns them to it. */
struct position {
	unsigned long stack;		/* lowest address of the stack that is walked */
	unsigned long task_stack;	/* the same of the task's stack */
	unsigned long fp;		/* the frame record; 0: none yet */
};

static bool is_on(unsigned long stack, unsigned long fp)
{
	return fp - stack <= THREAD_SIZE - sizeof(struct record);
}

/*
 * Moves to the frame record at @fp: further up on the same stack, or on the stack of the task if this code runs on the
 * stack of interrupts. Returns false if it is elsewhere: assembly may use the frame pointer for other values.
 */
static bool move_to(struct position *at, unsigned long fp)
{
	if (!IS_ALIGNED(fp, sizeof(long)))
		return false;
	if (fp <= at->fp || !is_on(at->stack, fp)) {
		if (at->stack == at->task_stack || !is_on(at->task_stack, fp))
			return false;
		at->stack = at->task_stack;
	}
	at->fp = fp;
	return true;
}

#ifdef FRAME_META_TYPE_PT_REGS
/*
 * Since Linux 6.13, a record of two zeros is followed by its type. It is part of the registers that were saved at an
 * exception. If the exception was in the kernel, fills @record with the frame pointer and the address of the code that
 * it interrupted, which older kernels store in the record itself.
 */
static bool read_exception(struct record *record, unsigned long fp)
{
	const struct pt_regs *regs = (void *)(fp - offsetof(struct pt_regs, stackframe));
	u64 type;

	return !copy_from_kernel_nofault(&type, &regs->stackframe.type, sizeof(type)) &&
	       type == FRAME_META_TYPE_PT_REGS &&
	       !copy_from_kernel_nofault(&record->fp, &regs->regs[29], sizeof(record->fp)) &&
	       !copy_from_kernel_nofault(&record->lr, &regs->pc, sizeof(record->lr));
}
#else
static bool read_exception(struct record *record, unsigned long fp)
{
	return false;
}
#endif

static noinline void walk_kernel(struct tprof_frames *walk, struct pt_regs *regs, struct task_struct *task)
{
	struct position at = {
		.stack = ALIGN_DOWN(current_stack_pointer, THREAD_SIZE),
		.task_stack = (unsigned long)task_stack_page(task),
	};
	struct record record = { .fp = regs->regs[29], .lr = instruction_pointer(regs) };

	while (frames_add(walk, record.lr, 0) && move_to(&at, record.fp)) {
		if (copy_from_kernel_nofault(&record, (void *)at.fp, sizeof(record)))
			return;
		if (!record.fp && !record.lr && !read_exception(&record, at.fp))
			return;
		record.lr = ptrauth_strip_kernel_insn_pac(record.lr);
		if (!record.lr)
			return;
	}
}

#define has_user_records(regs)		(!compat_user_mode(regs))
#define user_frame_pointer(regs)	((regs)->regs[29])
#define strip_user(ip)			ptrauth_strip_user_insn_pac(ip)
#endif

/*
 * Reads a frame record from user memory, with page faults disabled. The first read of a walk uses
 * copy_from_user_nofault(), which checks that the loaded mm is that of the task; it is not during a context switch. The
 * mm cannot change during the walk, so later reads skip this check.
 */
static bool read_user_record(struct record *record, unsigned long fp, bool first)
{
	const struct record __user *from = (const void __user *)fp;

	if (first)
		return !copy_from_user_nofault(record, from, sizeof(*record));
	if (!user_read_access_begin(from, sizeof(*from)))
		return false;
	unsafe_get_user(record->fp, &from->fp, fault);
	unsafe_get_user(record->lr, &from->lr, fault);
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}

/*
 * A frame record is at most that far above the one before it, or above the stack pointer: where it cannot be read, its
 * page is not present. Farther away, the frame pointer is taken for another value, in code without frame pointers.
 */
#define MAX_FRAME	SZ_1M

static void walk_user(struct tprof_frames *walk, struct pt_regs *regs)
{
	unsigned long fp = user_frame_pointer(regs), before = user_stack_pointer(regs);
	struct record record;
	bool first = true;

	/* 32-bit programs have another frame record layout. */
	if (!frames_add(walk, instruction_pointer(regs), 0) || !has_user_records(regs))
		return;
	pagefault_disable();
	/* Stacks grow down: the frame pointer must increase, so the loop terminates. */
	while (fp && IS_ALIGNED(fp, sizeof(long))) {
		if (!read_user_record(&record, fp, first)) {
			walk->cut = fp - before < MAX_FRAME;
			break;
		}
		first = false;
		before = fp;
		record.lr = strip_user(record.lr);
		if (!record.lr || !frames_add(walk, record.lr, fp) || record.fp <= fp)
			break;
		fp = record.fp;
	}
	pagefault_enable();
}

unsigned int tprof_unwind_kernel(struct pt_regs *regs, struct task_struct *task, u64 *frames, unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .capacity = max };

	do {
		walk_kernel(&walk, regs, task);
	} while (frames_again(&walk));
	return frames_end(&walk);
}

unsigned int tprof_unwind_user(struct pt_regs *regs, u64 *frames, unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .capacity = max };

	do {
		walk_user(&walk, regs);
	} while (frames_again(&walk));
	return frames_end(&walk);
}
