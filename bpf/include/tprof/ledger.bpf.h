/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The per-CPU ledger that every object keeps of its samples, one for each generation of its tables, so that a reader
 * knows which samples are counted in a generation. Filters do not access it; the entry points and tprof_count() do. No
 * atomics: only the program running on this CPU writes, and it never interrupts itself (perf engine: the kernel's
 * bpf_prog_active; module: tprof_delivery.busy).
 */
#ifndef __TPROF_LEDGER_BPF_H
#define __TPROF_LEDGER_BPF_H

#include <tprof/types.bpf.h>
#include <bpf/bpf_helpers.h>
#include <tprof/object.h>

/* enum bpf_map_type, and flags of maps and map updates, from the kernel's ABI, so that no kernel headers are needed. */
enum {
	TPROF_MAP_HASH = 1,
	TPROF_MAP_ARRAY = 2,
	TPROF_MAP_PERCPU_ARRAY = 6,
	TPROF_MAP_LRU_HASH = 9,
	TPROF_MAP_RINGBUF = 27,
	TPROF_UPDATE_ANY = 0,
	TPROF_UPDATE_NOEXIST = 1,
	TPROF_MAP_NO_PREALLOC = 1 << 0,
	TPROF_MAP_MMAPABLE = 1 << 10,
};

const volatile struct tprof_object tprof_object = {
	.abi = TPROF_ABI_VERSION,
	.size = sizeof(struct tprof_object),
	.layout = TPROF_OBJECT_LAYOUT,
	.stack_frames = TPROF_STACK_FRAMES,
};

struct {
	__uint(type, TPROF_MAP_ARRAY);
	__uint(map_flags, TPROF_MAP_MMAPABLE);
	__uint(max_entries, 1);	/* the loader sets the number of CPUs */
	__type(key, __u32);
	__type(value, struct tprof_cpu_ledger);
} tprof_ledger SEC(".maps");

static __always_inline struct tprof_cpu_ledger *tprof_this_ledger(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&tprof_ledger, &cpu);
}

/* The generation in use on this CPU. The mask shows the verifier that it is 0 or 1. */
static __always_inline __u32 tprof_current(const struct tprof_cpu_ledger *ledger)
{
	return *(volatile __u32 *)&ledger->current & 1;
}

/*
 * The ledger of the current generation on this CPU, of the first event, for functions that do not know the event. Never
 * NULL; the verifier requires the check.
 */
static __always_inline struct tprof_program_ledger *tprof_current_ledger(void)
{
	struct tprof_cpu_ledger *ledger = tprof_this_ledger();

	return ledger ? &ledger->generations[tprof_current(ledger)][0] : 0;
}

/*
 * The constants, as memory of which the compiler knows nothing, so that it removes reads that are not used. The
 * verifier still knows each value.
 */
static __always_inline const struct tprof_object *tprof_constants(void)
{
	const struct tprof_object *constants = (const struct tprof_object *)&tprof_object;

	asm("" : "+r"(constants));
	return constants;
}

/* True if the session has several events. With one, the verifier removes the code for several. */
static __always_inline int tprof_has_events(void)
{
	return tprof_constants()->nr_events > 1;
}

/* Facts that the entry point of an engine has determined, so that the body does not look them up again. */
struct tprof_run {
	int engine;				/* enum tprof_object_engine */
	__u32 event;				/* kmod engine: the event, 0 to TPROF_OBJECT_EVENTS - 1 */
	__u32 current;				/* other engines: the generation in which this sample is counted */
	struct tprof_program_ledger *ledger;	/* likewise: its ledger */
	void *ctx;				/* of a program at sched_waking, from which it walks call stacks */
	__u32 skip;				/* likewise: frames of the program, with which a kernel stack begins */
};

/*
 * The body of a filter has a parameter of this name, which hides this definition. Functions that a filter author
 * defines see this one: they look up what they need.
 */
static const struct tprof_run *const tprof_run = 0;

static __always_inline void tprof_tally_add(struct tprof_tally *tally, __u64 weight)
{
	tally->samples++;
	tally->weight += weight;
}

#endif
