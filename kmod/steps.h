/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Learned steps: a table of return addresses of the kernel and how a stack walk goes on from them, for kernels with the
 * ORC unwinder. A walk by the table gives the frames that the kernel's unwinder would give, and takes a tenth of the
 * instructions. Where the table has no answer, the walk uses the unwinder, so the table may be empty at any time.
 */
#ifndef _TPROF_STEPS_H
#define _TPROF_STEPS_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "step.h"

struct seq_file;

#ifdef CONFIG_UNWINDER_ORC

#define TPROF_STEPS_BITS	14
#define TPROF_STEPS_SIZE	(1U << TPROF_STEPS_BITS)
#define TPROF_STEPS_WAYS	4U	/* places of an address, in one cache line */

/* A: the lower half of the address above, its step below; read and written as a whole. */
extern u64 tprof_steps[TPROF_STEPS_SIZE];
/* Whether walks use the table. */
extern bool tprof_steps_on;

static __always_inline u32 steps_hash(unsigned long ip)
{
	return (u32)ip * 0x9e3779b1U >> (32 - TPROF_STEPS_BITS);
}

/* All addresses of kernel code are in the upper 2 GiB, so half of them is sufficient. */
static __always_inline bool steps_is_of(u64 entry, unsigned long ip)
{
	return (unsigned long)((s64)entry >> 32) == ip;
}

/* Returns the step of an address. Mostly it is in its first place. */
static __always_inline u32 tprof_steps_find(unsigned long ip)
{
	u32 hash = steps_hash(ip);
	u64 entry = READ_ONCE(tprof_steps[hash]);
	unsigned int i;

	if (likely(steps_is_of(entry, ip)))
		return (u32)entry;
	for (i = 1; i < TPROF_STEPS_WAYS; i++) {
		entry = READ_ONCE(tprof_steps[hash ^ i]);
		if (steps_is_of(entry, ip))
			return (u32)entry;
	}
	return TPROF_STEP_UNKNOWN;
}

/* Asks for the step of a return address that the unwinder has found. Interrupts disabled, or NMI. */
void tprof_steps_miss(unsigned long ip);
/* Queues the work item. Interrupts disabled, or NMI. */
void tprof_steps_kick(void);

struct tprof_steps_cpu {
	unsigned long walks, frames, learned;	/* c: written by one instruction each */
	u32 random;				/* c: also written in NMI; any value is valid */
};

DECLARE_PER_CPU(struct tprof_steps_cpu, tprof_steps_cpu);
/* One of so many walks is checked. */
extern unsigned int tprof_steps_share;

/* Count a walk with all its frames, and frames that were found by learned steps. Interrupts disabled, or NMI. */
static __always_inline void tprof_steps_count_walk(unsigned int frames)
{
	this_cpu_inc(tprof_steps_cpu.walks);
	this_cpu_add(tprof_steps_cpu.frames, frames);
}

static __always_inline void tprof_steps_count_learned(unsigned int frames)
{
	this_cpu_add(tprof_steps_cpu.learned, frames);
}

/* Tests whether this walk is to be checked. Interrupts disabled, or NMI. */
static __always_inline bool tprof_steps_check_due(void)
{
	u32 random = this_cpu_read(tprof_steps_cpu.random) * 1664525U + 1013904223U;

	this_cpu_write(tprof_steps_cpu.random, random);
	return !((u64)random * READ_ONCE(tprof_steps_share) >> 32);
}

/*
 * Gives a buffer of TPROF_UNWIND_MAX frames for the walk by learned steps; NULL if this CPU is checking already.
 * Interrupts disabled, or NMI.
 */
u64 *tprof_steps_check_begin(void);
/* Compares it with the walk by the unwinder. If they differ, learned steps are not used any more. */
void tprof_steps_check_end(unsigned int nr_learned, const u64 *unwound, unsigned int nr_unwound);
/* Logs a difference. Process context. */
void tprof_steps_report(void);

/* For debugfs. */
void tprof_steps_show(struct seq_file *m);

/* Finds out how an address is unwound. One at a time, process context. */
u32 tprof_steps_ask(unsigned long ip);
void tprof_steps_ask_init(void);

/* Errors: those of register_module_notifier(). */
int tprof_steps_init(void);
void tprof_steps_exit(void);

#else

static inline int tprof_steps_init(void)
{
	return 0;
}

static inline void tprof_steps_exit(void)
{
}

#endif

#endif
