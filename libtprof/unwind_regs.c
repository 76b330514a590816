// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Registers as the kernel keeps them, and as DWARF numbers them. */
#include "unwind_regs.h"

#include <string.h>

#if defined(__x86_64__)

/* Where struct pt_regs has rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip. */
static const uint8_t places[CFI_NR_REGS] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16 };

void unwind_frame_init(struct cfi_frame *frame, const __u64 *regs)
{
	for (unsigned int i = 0; i < CFI_NR_REGS; i++)
		frame->regs[i] = regs[places[i]];
	frame->known = (1ULL << CFI_NR_REGS) - 1;
	frame->pc = regs[places[CFI_NR_REGS - 1]];
}

bool unwind_knows_signal(void)
{
	return false;
}

bool unwind_is_signal_return(const char *name)
{
	(void)name;
	return false;
}

bool unwind_signal(struct cfi_frame *frame, const struct cfi_memory *memory)
{
	(void)frame;
	(void)memory;
	return false;
}

#elif defined(__aarch64__)

/*
 * What stands on the stack when a handler returns (struct rt_sigframe): siginfo and ucontext, in which, aligned to 16
 * bytes, the context has the fault's address, and then the registers as in struct user_pt_regs. The vdso of older
 * kernels describes only the frame record there, which lacks the address that was interrupted; that of newer ones,
 * nothing.
 */
#define SIGNAL_REGS (304 + 8)

void unwind_frame_init(struct cfi_frame *frame, const __u64 *regs)
{
	memcpy(frame->regs, regs, sizeof(frame->regs));
	frame->known = (1ULL << CFI_NR_REGS) - 1;
	frame->pc = regs[CFI_NR_REGS];
}

bool unwind_knows_signal(void)
{
	return true;
}

/* The vdso's, where it describes nothing of it on purpose; that of C libraries which bring their own. */
bool unwind_is_signal_return(const char *name)
{
	return !strcmp(name, "__kernel_rt_sigreturn") || !strcmp(name, "__restore_rt");
}

bool unwind_signal(struct cfi_frame *frame, const struct cfi_memory *memory)
{
	__u64 regs[CFI_NR_REGS + 1];

	if (!memory->read(memory->ctx, frame->regs[CFI_SP] + SIGNAL_REGS, regs, sizeof(regs)))
		return false;
	unwind_frame_init(frame, regs);
	return true;
}

#endif
