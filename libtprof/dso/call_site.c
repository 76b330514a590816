// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Decides from the instructions around an address whether it is a return address. */
#include "call_site.h"

#include <stddef.h>
#include <string.h>

/* The rt_sigreturn(2) call, as it appears in the vdso and in C libraries. */
struct sequence {
	enum call_site_machine machine;
	uint8_t length, first;		/* length of the whole sequence and of its first instruction */
	uint8_t bytes[CALL_SITE_BEHIND];
};

static const struct sequence signal_returns[] = {
	{ CALL_SITE_X86_64, 9, 7, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 } },	/* mov $15, %rax; syscall */
	{ CALL_SITE_X86_64, 7, 5, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 } },		/* mov $15, %eax; syscall */
	{ CALL_SITE_AARCH64, 8, 4, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 } },	/* mov x8, #139; svc #0 */
};

static const struct sequence *find_sequence(const uint8_t *bytes, enum call_site_machine machine)
{
	for (size_t i = 0; i < sizeof(signal_returns) / sizeof(*signal_returns); i++) {
		const struct sequence *known = &signal_returns[i];

		if (known->machine == machine && !memcmp(bytes, known->bytes, known->length))
			return known;
	}
	return NULL;
}

/* Bytes of SIB and displacement after the ModRM byte of a memory operand; 0 for a register operand. */
static int x86_operand_bytes(uint8_t modrm, uint8_t sib)
{
	bool has_sib = (modrm & 7) == 4;

	switch (modrm >> 6) {
	case 0:
		if (has_sib)
			return (sib & 7) == 5 ? 5 : 1;
		return (modrm & 7) == 5 ? 4 : 0;
	case 1:
		return has_sib + 1;
	case 2:
		return has_sib + 4;
	default:
		return 0;
	}
}

/* Indirect call: ff /2 with any operand. Prefixes come before it and do not matter. */
static bool x86_is_indirect_call(const uint8_t *end, int length)
{
	const uint8_t *at = end - length;

	return at[0] == 0xff && (at[1] >> 3 & 7) == 2 && 2 + x86_operand_bytes(at[1], at[2]) == length;
}

static bool x86_call_ends(const uint8_t *end)
{
	if (end[-5] == 0xe8)
		return true;
	for (int length = 2; length <= 7; length++) {
		if (x86_is_indirect_call(end, length))
			return true;
	}
	return false;
}

/* bl, blr, and the variants with pointer authentication: blraa, blrab, and their forms with a zero modifier. */
static bool aarch64_call_ends(const uint8_t *end)
{
	uint32_t code = (uint32_t)end[-1] << 24 | (uint32_t)end[-2] << 16 | (uint32_t)end[-3] << 8 | end[-4];

	return (code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000 ||
	       (code & 0xfefff800) == 0xd63f0800;
}

enum call_site call_site(const uint8_t *bytes, enum call_site_machine machine)
{
	const uint8_t *end = bytes + CALL_SITE_BEFORE;

	if (find_sequence(end, machine))
		return CALL_SITE_SIGNAL;
	if (machine == CALL_SITE_AARCH64 ? aarch64_call_ends(end) : x86_call_ends(end))
		return CALL_SITE_CALL;
	return CALL_SITE_NONE;
}

bool call_site_in_signal_return(const uint8_t *bytes, enum call_site_machine machine)
{
	const uint8_t *at = bytes + CALL_SITE_BEFORE;

	for (size_t i = 0; i < sizeof(signal_returns) / sizeof(*signal_returns); i++) {
		const struct sequence *known = &signal_returns[i];

		if (known->machine != machine)
			continue;
		if (find_sequence(at, machine) == known || find_sequence(at - known->first, machine) == known)
			return true;
	}
	return false;
}
