// SPDX-License-Identifier: GPL-2.0-only
/* Recognizes calls and signal returns by their bytes, for all architectures on any of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dso/call_site.h"

struct sample {
	enum call_site site;
	enum call_site_machine machine;
	uint8_t before[8], nr_before;
	uint8_t behind[9];
};

#define X86(site, ...) { site, CALL_SITE_X86_64, { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }), { 0 } }
#define ARM(site, ...) { site, CALL_SITE_AARCH64, { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ }), { 0 } }

static const struct sample samples[] = {
	X86(CALL_SITE_CALL, 0xe8, 1, 2, 3, 4),			/* call rel32 */
	X86(CALL_SITE_CALL, 0xff, 0xd0),			/* call *%rax */
	X86(CALL_SITE_CALL, 0x41, 0xff, 0xd7),			/* call *%r15 */
	X86(CALL_SITE_CALL, 0xff, 0x10),			/* call *(%rax) */
	X86(CALL_SITE_CALL, 0xff, 0x14, 0xc8),			/* call *(%rax,%rcx,8) */
	X86(CALL_SITE_CALL, 0xff, 0x50, 0x10),			/* call *16(%rax) */
	X86(CALL_SITE_CALL, 0xff, 0x54, 0x24, 0x08),		/* call *8(%rsp) */
	X86(CALL_SITE_CALL, 0xff, 0x15, 1, 2, 3, 4),		/* call *rel32(%rip) */
	X86(CALL_SITE_CALL, 0xff, 0x90, 1, 2, 0, 0),		/* call *disp32(%rax) */
	X86(CALL_SITE_CALL, 0xff, 0x94, 0xc8, 1, 2, 0, 0),	/* call *disp32(%rax,%rcx,8) */
	X86(CALL_SITE_CALL, 0xff, 0x14, 0xc5, 1, 2, 0, 0),	/* call *disp32(,%rax,8) */
	X86(CALL_SITE_NONE, 0x90, 0x90, 0x90, 0x90, 0xc3),	/* nop, ret */
	X86(CALL_SITE_NONE, 0xe9, 1, 2, 3, 4),			/* jmp rel32 */
	X86(CALL_SITE_NONE, 0xff, 0xe0),			/* jmp *%rax */
	X86(CALL_SITE_NONE, 0xff, 0x25, 1, 2, 3, 4),		/* jmp *rel32(%rip) */
	X86(CALL_SITE_NONE, 0xff, 0x74, 0x24, 0x08),		/* push 8(%rsp) */
	X86(CALL_SITE_NONE, 0x0f, 0x05),			/* syscall */
	X86(CALL_SITE_NONE, 0xe8, 1, 2, 3),			/* shorter than a call */
	X86(CALL_SITE_NONE, 0xff, 0x10, 0x90),			/* a call, and a byte after it */
	X86(CALL_SITE_NONE, 0x66, 0x0f, 0x1f, 0x44, 0, 0),	/* a long nop */
	ARM(CALL_SITE_CALL, 0x03, 0x00, 0x00, 0x94),		/* bl */
	ARM(CALL_SITE_CALL, 0x60, 0x00, 0x3f, 0xd6),		/* blr x3 */
	ARM(CALL_SITE_CALL, 0x22, 0x08, 0x3f, 0xd7),		/* blraa x1, x2 */
	ARM(CALL_SITE_CALL, 0xbf, 0x08, 0x3f, 0xd6),		/* blraaz x5 */
	ARM(CALL_SITE_NONE, 0x03, 0x00, 0x00, 0x14),		/* b */
	ARM(CALL_SITE_NONE, 0x60, 0x00, 0x1f, 0xd6),		/* br x3 */
	ARM(CALL_SITE_NONE, 0xc0, 0x03, 0x5f, 0xd6),		/* ret */
	ARM(CALL_SITE_NONE, 0x1f, 0x20, 0x03, 0xd5),		/* nop */
	/* Code to which signal handlers return, with any bytes before it. */
	{ CALL_SITE_SIGNAL, CALL_SITE_X86_64, { 0x90 }, 1, { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 } },
	{ CALL_SITE_SIGNAL, CALL_SITE_X86_64, { 0xe8, 1, 2, 3, 4 }, 5, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 } },
	{ CALL_SITE_SIGNAL, CALL_SITE_AARCH64, { 0 }, 0, { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 } },
	/* Another system call number, another architecture */
	{ CALL_SITE_NONE, CALL_SITE_X86_64, { 0x90 }, 1, { 0xb8, 0x0e, 0, 0, 0, 0x0f, 0x05 } },
	{ CALL_SITE_NONE, CALL_SITE_I386, { 0x90 }, 1, { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 } },
	{ CALL_SITE_CALL, CALL_SITE_I386, { 0xff, 0xd2 }, 2, { 0 } },
};

static void test_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++) {
		uint8_t bytes[CALL_SITE_BYTES];

		/* The bytes around it are no calls. */
		memset(bytes, 0x90, sizeof(bytes));
		memcpy(bytes + CALL_SITE_BEFORE - samples[i].nr_before, samples[i].before, samples[i].nr_before);
		memcpy(bytes + CALL_SITE_BEFORE, samples[i].behind, sizeof(samples[i].behind));
		if (call_site(bytes, samples[i].machine) != samples[i].site)
			fail_msg("sample %zu", i);
	}
}

/* Recognized at the first and the second instruction only. */
static void test_in_signal_return(void **state)
{
	static const uint8_t code[] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };

	(void)state;
	for (int behind = -3; behind <= 9; behind++) {
		uint8_t bytes[CALL_SITE_BYTES] = { 0 };

		memcpy(bytes + CALL_SITE_BEFORE - behind, code, sizeof(code));
		assert_int_equal(call_site_in_signal_return(bytes, CALL_SITE_X86_64), behind == 0 || behind == 5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples), cmocka_unit_test(test_in_signal_return) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
