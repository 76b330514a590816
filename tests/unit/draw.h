/* SPDX-License-Identifier: GPL-2.0-only */
/* Pseudorandom numbers that are the same in every run (xorshift). */
#ifndef TPROF_TESTS_DRAW_H
#define TPROF_TESTS_DRAW_H

#include <stdint.h>

static uint64_t drawn = 88172645463325252;

static uint64_t draw(void)
{
	drawn ^= drawn << 13;
	drawn ^= drawn >> 7;
	drawn ^= drawn << 17;
	return drawn;
}

#endif
