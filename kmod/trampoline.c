// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds out whether a trampoline runs a program. A trampoline passes the address of its program to the kernel's
 * functions that account for the call, and the JIT compiler loads kernel addresses by a fixed sequence of instructions.
 * Nothing else in a trampoline is a constant that user space chooses.
 */
#include <linux/string.h>
#include <linux/uaccess.h>

#include "trampoline.h"

#if defined(CONFIG_X86_64)

/* movabs $prog, %reg: the address follows the two bytes of the opcode. */
static bool loads(const u8 *code, unsigned long address)
{
	return (code[0] & 0xfe) == 0x48 && (code[1] & 0xf8) == 0xb8 && !memcmp(code + 2, &address, sizeof(address));
}

#define LOAD_BYTES	10
#define LOAD_ALIGN	1

#elif defined(CONFIG_ARM64)

#define MOVE_BITS	0xffffffe0	/* all but the register */

/* movn reg, #~bits 0-15; movk reg, #bits 16-31, lsl 16; movk reg, #bits 32-47, lsl 32. The upper bits are ones. */
static bool loads(const u8 *code, unsigned long address)
{
	u32 insns[3];

	memcpy(insns, code, sizeof(insns));
	return (insns[0] & MOVE_BITS) == (0x92800000 | (~address & 0xffff) << 5) &&
	       (insns[1] & MOVE_BITS) == (0xf2a00000 | (address >> 16 & 0xffff) << 5) &&
	       (insns[2] & MOVE_BITS) == (0xf2c00000 | (address >> 32 & 0xffff) << 5) && address >> 48 == 0xffff;
}

#define LOAD_BYTES	12
#define LOAD_ALIGN	4

#else

static bool loads(const u8 *code, unsigned long address)
{
	return false;
}

#define LOAD_BYTES	4
#define LOAD_ALIGN	4

#endif

/* How much of a trampoline is read: the address is loaded in its first half. */
#define READ_BYTES	256

bool tprof_trampoline_runs(const void *trampoline, const struct bpf_prog *prog)
{
	u8 code[READ_BYTES];
	unsigned int at;

	if (copy_from_kernel_nofault(code, trampoline, sizeof(code)))
		return false;
	for (at = 0; at + LOAD_BYTES <= sizeof(code); at += LOAD_ALIGN) {
		if (loads(code + at, (unsigned long)prog))
			return true;
	}
	return false;
}
