/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Why samples of one CPU are missing, when what arrived is held against the counter. Pure arithmetic.
 *
 * What the counter says and what the program counted are read one after the other, so a difference can shrink
 * again by the next reading; the account only ever grows, so that the ledger of any interval is sound.
 */
#ifndef TPROF_CPU_ACCOUNT_H
#define TPROF_CPU_ACCOUNT_H

#include <stdint.h>

#include "uapi/tprof.h"

struct cpu_account {
	struct tprof_tally engine_missed;
	struct tprof_tally throttled;
	struct tprof_tally idle_missed;
};

/* One reading, all in samples since the start; the counter is read before the program's count. */
struct cpu_reading {
	uint64_t counter;	/* firings by the counter */
	uint64_t throttled;	/* firings that the kernel prevented */
	uint64_t arrived;	/* calls of the program */
	uint64_t idle;		/* samples that the CPU's idle time is worth; 0 if not known */
	uint64_t idle_arrived;	/* calls of the program in the idle task */
	uint64_t period;	/* what a sample that is missing now weighs */
};

/*
 * Names what is missing beyond what has been named. As much of it as idle time can explain is idle_missed:
 * kernels do not run the event's program for every idle CPU (docs/design.md has the measurement).
 */
void cpu_account_update(struct cpu_account *account, const struct cpu_reading *reading);

#endif
