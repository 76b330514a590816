/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Attributes the missing samples of one CPU to causes, by comparing the samples that arrived with the counter. Pure
 * arithmetic.
 *
 * The counter and the program's count are read one after the other, so a difference can be smaller at the next reading.
 * The tallies never decrease, so that the ledger of any interval is valid.
 */
#ifndef TPROF_CPU_MISSING_H
#define TPROF_CPU_MISSING_H

#include <stdint.h>

#include "uapi/tprof.h"

struct cpu_missing {
	struct tprof_tally engine_missed;
	struct tprof_tally throttled;
	struct tprof_tally idle_missed;
};

/* One reading, in samples since the start. The counter is read before the program's count. */
struct cpu_reading {
	uint64_t counter;	/* overflows, computed from the counter */
	uint64_t throttled;	/* overflows that throttling prevented */
	uint64_t arrived;	/* calls of the program */
	uint64_t idle;		/* samples that correspond to the CPU's idle time; 0 if unknown */
	uint64_t idle_arrived;	/* calls of the program in the idle task */
	uint64_t period;	/* weight of a sample that is missing now */
};

/*
 * Attributes the samples that are missing beyond those attributed before. As many as idle time can explain are
 * idle_missed: kernels do not run the event's program on every idle CPU (docs/design.md has the measurement).
 */
void cpu_missing_update(struct cpu_missing *missing, const struct cpu_reading *reading);

#endif
