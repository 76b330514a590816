/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Names of the events with fixed numbers in the kernel ABI, spelled as in perf. The parser, `tprof list events` and
 * shell completion derive from these tables.
 */
#ifndef TPROF_EVENT_NAMES_H
#define TPROF_EVENT_NAMES_H

#include <linux/perf_event.h>

/* X(NAME, "name", "other name" or NULL, type, config, "unit of the weight") */
#define EVENTS_HARDWARE(X)								\
	X(CYCLES, "cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles") \
	X(INSTRUCTIONS, "instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions") \
	X(CACHE_REFERENCES, "cache-references", NULL, PERF_TYPE_HARDWARE,		\
	  PERF_COUNT_HW_CACHE_REFERENCES, "events")					\
	X(CACHE_MISSES, "cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "events") \
	X(BRANCHES, "branches", "branch-instructions", PERF_TYPE_HARDWARE,		\
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "events")					\
	X(BRANCH_MISSES, "branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "events") \
	X(BUS_CYCLES, "bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "cycles") \
	X(STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE, \
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "cycles")				\
	X(STALLED_CYCLES_BACKEND, "stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE, \
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "cycles")				\
	X(REF_CYCLES, "ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "cycles")

#define EVENTS_SOFTWARE(X)								\
	X(CPU_CLOCK, "cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "ns") \
	X(TASK_CLOCK, "task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "ns") \
	X(PAGE_FAULTS, "page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "events") \
	X(MINOR_FAULTS, "minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "events") \
	X(MAJOR_FAULTS, "major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "events") \
	X(CONTEXT_SWITCHES, "context-switches", "cs", PERF_TYPE_SOFTWARE,		\
	  PERF_COUNT_SW_CONTEXT_SWITCHES, "events")					\
	X(CPU_MIGRATIONS, "cpu-migrations", "migrations", PERF_TYPE_SOFTWARE,		\
	  PERF_COUNT_SW_CPU_MIGRATIONS, "events")					\
	X(ALIGNMENT_FAULTS, "alignment-faults", NULL, PERF_TYPE_SOFTWARE,		\
	  PERF_COUNT_SW_ALIGNMENT_FAULTS, "events")					\
	X(EMULATION_FAULTS, "emulation-faults", NULL, PERF_TYPE_SOFTWARE,		\
	  PERF_COUNT_SW_EMULATION_FAULTS, "events")					\
	X(CGROUP_SWITCHES, "cgroup-switches", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, "events")

#define EVENTS_NUMBERED(X) EVENTS_HARDWARE(X) EVENTS_SOFTWARE(X)

/*
 * A cache event is named CACHE-ACCESSES or CACHE-MISSES ("L1-dcache-loads", "LLC-store-misses"). EVENT_CACHE_CONFIG()
 * computes its config; the result argument is PERF_COUNT_HW_CACHE_RESULT_ACCESS or _MISS.
 */

/* X("name", number, has stores, has prefetches) */
#define EVENT_CACHES(X)									\
	X("L1-dcache", PERF_COUNT_HW_CACHE_L1D, true, true)				\
	X("L1-icache", PERF_COUNT_HW_CACHE_L1I, false, true)				\
	X("LLC", PERF_COUNT_HW_CACHE_LL, true, true)					\
	X("dTLB", PERF_COUNT_HW_CACHE_DTLB, true, true)					\
	X("iTLB", PERF_COUNT_HW_CACHE_ITLB, false, false)				\
	X("branch", PERF_COUNT_HW_CACHE_BPU, false, false)				\
	X("node", PERF_COUNT_HW_CACHE_NODE, true, true)

/* X("name of an access", "name of a miss", number) */
#define EVENT_CACHE_OPS(X)							\
	X("loads", "load-misses", PERF_COUNT_HW_CACHE_OP_READ)				\
	X("stores", "store-misses", PERF_COUNT_HW_CACHE_OP_WRITE)			\
	X("prefetches", "prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH)

#define EVENT_CACHE_CONFIG(cache, operation, result) \
	((uint64_t)(cache) | (uint64_t)(operation) << 8 | (uint64_t)(result) << 16)

#endif
