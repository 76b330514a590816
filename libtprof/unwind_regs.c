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

bool unwind_signal_lacks_rules(void)
{
	return false;
}

/*
 * What stands on the stack when a handler returns (struct rt_sigframe without its first word): ucontext, which has the
 * registers from r8 to rip behind flags, a link and the alternative stack.
 */
#define SIGNAL_REGS 40

bool unwind_signal(struct cfi_frame *frame, const struct cfi_memory *memory)
{
	/* Of r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip, by DWARF's numbers. */
	static const uint8_t numbers[CFI_NR_REGS] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 };
	__u64 regs[CFI_NR_REGS];

	if (!memory->read(memory->ctx, frame->regs[CFI_SP] + SIGNAL_REGS, regs, sizeof(regs)))
		return false;
	for (unsigned int i = 0; i < CFI_NR_REGS; i++)
		frame->regs[numbers[i]] = regs[i];
	frame->known = (1ULL << CFI_NR_REGS) - 1;
	frame->pc = regs[CFI_NR_REGS - 1];
	return true;
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

bool unwind_signal_lacks_rules(void)
{
	return true;
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

/* The caller's frame pointer, and where it is returned to. */
bool unwind_frame_record(struct cfi_frame *frame, const struct cfi_memory *memory)
{
	uint64_t at = frame->regs[CFI_FP], record[2];

	if (!(frame->known >> CFI_FP & 1) || at % sizeof(at) || !memory->read(memory->ctx, at, record, sizeof(record)))
		return false;
	frame->regs[CFI_FP] = record[0];
	frame->regs[CFI_SP] = at + sizeof(record);
	frame->pc = cfi_code_address(record[1]);
	/* All other registers may have changed. On arm64 a frame has its record at any place: its end is not known. */
	frame->known = 1ULL << CFI_FP | (uint64_t)CFI_RECORD_ENDS_FRAME << CFI_SP;
	return true;
}
