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
#include <asm/pointer_auth.h>

/*
 * The walk may switch once from the IRQ stack to the task stack: there a frame pointer may be lower than the previous.
 */
static noinline void walk_kernel(struct tprof_frames *walk, struct pt_regs *regs, struct task_struct *task)
{
	struct record record = { .fp = regs->regs[29], .lr = instruction_pointer(regs) };
	unsigned int moves = 0;
	unsigned long fp = 0;

	while (frames_add(walk, record.lr, 0) && record.fp && IS_ALIGNED(record.fp, 8)) {
		if (record.fp <= fp && moves++)
			return;
		fp = record.fp;
		if (copy_from_kernel_nofault(&record, (void *)fp, sizeof(record)))
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

static void walk_user(struct tprof_frames *walk, struct pt_regs *regs)
{
	unsigned long fp = user_frame_pointer(regs);
	struct record record;
	bool first = true;

	/* 32-bit programs have another frame record layout. */
	if (!frames_add(walk, instruction_pointer(regs), 0) || !has_user_records(regs))
		return;
	pagefault_disable();
	/* Stacks grow down: the frame pointer must increase, so the loop terminates. */
	while (fp && IS_ALIGNED(fp, sizeof(long))) {
		if (!read_user_record(&record, fp, first))
			break;
		first = false;
		record.lr = strip_user(record.lr);
		if (!record.lr || !frames_add(walk, record.lr, fp) || record.fp <= fp)
			break;
		fp = record.fp;
	}
	pagefault_enable();
}

unsigned int tprof_unwind_kernel(struct pt_regs *regs, struct task_struct *task, u64 *frames, unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .room = max };

	do {
		walk_kernel(&walk, regs, task);
	} while (frames_again(&walk));
	return frames_end(&walk);
}

unsigned int tprof_unwind_user(struct pt_regs *regs, u64 *frames, unsigned int max)
{
	struct tprof_frames walk = { .ip = frames, .room = max };

	do {
		walk_user(&walk, regs);
	} while (frames_again(&walk));
	return frames_end(&walk);
}
