/* SPDX-License-Identifier: GPL-2.0-only */
/* Pseudorandom numbers for guest tests in C (splitmix64): a sequence for each thread, the same in every run. */
#ifndef TPROF_TESTS_VM_DRAW_H
#define TPROF_TESTS_VM_DRAW_H

#include <stdint.h>

static uint64_t draw_from(uint64_t *drawn)
{
	uint64_t z = *drawn += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static unsigned int draw_from_below(uint64_t *drawn, unsigned int limit)
{
	return (unsigned int)(draw_from(drawn) % limit);
}

#endif
