/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Reads a hardware counter of this CPU from user space. */
#ifndef TPROF_SELF_PMC_H
#define TPROF_SELF_PMC_H

#include <stdbool.h>
#include <stdint.h>

/* In config1 of an event: it is to be readable from user space. x86-64 needs no such bit. */
#if defined(__aarch64__)
#define SELF_PMC_CONFIG1 0x2
#else
#define SELF_PMC_CONFIG1 0
#endif

#if defined(__x86_64__)

#define SELF_HAS_PMC true

static inline uint64_t self_pmc_read(uint32_t counter)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	return (uint64_t)high << 32 | low;
}

#elif defined(__aarch64__)

#define SELF_HAS_PMC true

#define SELF_PMC_COUNTERS(X)					\
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9)	\
	X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) \
	X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30)

/* 31 is the counter of cycles. */
static inline uint64_t self_pmc_read(uint32_t counter)
{
	uint64_t value = 0;

	switch (counter) {
#define X(n) case n: __asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); break;
	SELF_PMC_COUNTERS(X)
#undef X
	case 31:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	}
	return value;
}

#else

#define SELF_HAS_PMC false

static inline uint64_t self_pmc_read(uint32_t counter)
{
	(void)counter;
	return 0;
}

#endif

#endif
