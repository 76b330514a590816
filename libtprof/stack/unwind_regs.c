// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Conversion of the kernel's saved registers to DWARF register numbers, and unwind steps that CFI does not describe. */
#include "unwind_regs.h"

#include <string.h>

#include "tprof/object.h"

#if defined(__x86_64__)

/* Index in struct pt_regs of rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, r8 to r15, rip. */
static const uint8_t places[CFI_NR_REGS] = { 10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16 };

/* Index of eax, ecx, edx, ebx, esp, ebp, esi, edi, eip of a 32-bit program, in the low halves. */
static const uint8_t places_32[CFI_NR_REGS_32] = { 10, 11, 12, 5, 19, 4, 13, 14, 16 };

void unwind_frame_init(struct cfi_frame *frame, const __u64 *regs)
{
	unsigned int nr;

	frame->is_32bit = regs[TPROF_X86_64_CS] == TPROF_X86_64_CS_32;
	nr = frame->is_32bit ? CFI_NR_REGS_32 : CFI_NR_REGS;
	for (unsigned int i = 0; i < nr; i++)
		frame->regs[i] = cfi_word(frame, regs[frame->is_32bit ? places_32[i] : places[i]]);
	frame->known = (1ULL << nr) - 1;
	frame->pc = frame->regs[nr - 1];
}

/*
 * The vdso's system call code for 32-bit programs pushes these three registers before the call and pops them after it.
 * The program is at that place for as long as the call takes.
 */
bool unwind_vdso32(struct cfi_frame *frame, const struct cfi_memory *memory)
{
	enum { ECX = 1, EDX = 2, RETURN = 8 };
	uint32_t words[4];
	uint64_t sp = frame->regs[CFI_SP_32];

	if (!frame->is_32bit || !memory->read(memory->ctx, sp, words, sizeof(words)))
		return false;
	frame->regs[CFI_FP_32] = words[0];
	frame->regs[EDX] = words[1];
	frame->regs[ECX] = words[2];
	frame->regs[RETURN] = frame->pc = words[3];
	frame->regs[CFI_SP_32] = cfi_word(frame, sp + sizeof(words));
	return true;
}

bool unwind_signal_lacks_rules(void)
{
	return false;
}

/*
 * The stack when a signal handler has returned (struct rt_sigframe without its first word): ucontext, which has the
 * registers from r8 to rip after flags, a link and the alternate stack.
 */
#define SIGNAL_REGS 40

bool unwind_signal(struct cfi_frame *frame, const struct cfi_memory *memory)
{
	/* DWARF numbers of r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip. */
	static const uint8_t numbers[CFI_NR_REGS] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 };
	__u64 regs[CFI_NR_REGS];

	/* The signal frames of 32-bit programs have another layout. */
	if (frame->is_32bit || !memory->read(memory->ctx, frame->regs[CFI_SP] + SIGNAL_REGS, regs, sizeof(regs)))
		return false;
	for (unsigned int i = 0; i < CFI_NR_REGS; i++)
		frame->regs[numbers[i]] = regs[i];
	frame->known = (1ULL << CFI_NR_REGS) - 1;
	frame->pc = regs[CFI_NR_REGS - 1];
	return true;
}

#elif defined(__aarch64__)

/*
 * The stack when a signal handler has returned (struct rt_sigframe): siginfo and ucontext. The context in the latter,
 * aligned to 16 bytes, has the fault address and then the registers as in struct user_pt_regs. The vdso of older
 * kernels describes only the frame record there, without the interrupted address; that of newer kernels describes
 * nothing.
 */
#define SIGNAL_REGS (304 + 8)

void unwind_frame_init(struct cfi_frame *frame, const __u64 *regs)
{
	memcpy(frame->regs, regs, sizeof(frame->regs));
	frame->known = (1ULL << CFI_NR_REGS) - 1;
	frame->pc = regs[CFI_NR_REGS];
}

bool unwind_vdso32(struct cfi_frame *frame, const struct cfi_memory *memory)
{
	(void)frame;
	(void)memory;
	return false;
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

/* Reads the frame record: the caller's frame pointer and the return address. */
bool unwind_frame_record(struct cfi_frame *frame, const struct cfi_memory *memory)
{
	unsigned int fp = cfi_fp(frame), sp = cfi_sp(frame);
	uint32_t bytes = cfi_word_bytes(frame);
	uint64_t at = frame->regs[fp], record[2] = { 0 };

	if (!(frame->known >> fp & 1) || at % bytes || !memory->read(memory->ctx, at, &record[0], bytes) ||
	    !memory->read(memory->ctx, at + bytes, &record[1], bytes))
		return false;
	frame->regs[fp] = record[0];
	frame->regs[sp] = cfi_word(frame, at + 2 * bytes);
	frame->pc = cfi_code_address(record[1]);
	/*
	 * All other registers are unknown. On arm64 the frame record may be anywhere in the frame, so the end of the
	 * frame is unknown too.
	 */
	frame->known = 1ULL << fp | (uint64_t)CFI_RECORD_ENDS_FRAME << sp;
	return true;
}
