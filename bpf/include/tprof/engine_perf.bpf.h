/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a filter for the perf engine: a program of type perf_event that builds the sample, tests the scope, runs
 * the body and keeps the ledger. Not for filter authors.
 *
 * Runs in the interrupt or NMI of the event, with interrupts disabled. It always returns 0, so that perf writes no
 * record of its own.
 */
#ifndef __TPROF_ENGINE_PERF_BPF_H
#define __TPROF_ENGINE_PERF_BPF_H

#include <tprof/ledger.bpf.h>
#include <tprof/sample_perf.bpf.h>
#include <tprof/scope_perf.bpf.h>

struct {
	__uint(type, TPROF_MAP_RINGBUF);
	__uint(max_entries, 256 * 1024);
} tprof_stream SEC(".maps");

/* Fills the sample and counts it as fired. Returns 0 if it is out of scope, and then has counted it as that, too. */
static __always_inline int tprof_perf_enter(struct tprof_perf_sample *p, struct tprof_run *run, void *ctx)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tprof_cpu_ledger *ledger = bpf_map_lookup_elem(&tprof_ledger, &cpu);
	struct tprof_sample *s = &p->sample;
	struct tprof_program_ledger *counted;
	int in_scope;

	if (!ledger)
		return 0;
	/* All counts of this sample go to one generation. */
	run->current = *(volatile __u32 *)&ledger->wanted & 1;
	ledger->current = run->current;
	ledger->cpu = cpu;
	counted = ledger->generations[run->current];
	if (tprof_has_events()) {
		s->event = bpf_get_attach_cookie(ctx) & (TPROF_OBJECT_EVENTS - 1);
		counted += s->event;
	}
	/* One pointer, instead of a base and an offset that are added for each use. */
	barrier_var(counted);
	run->ledger = counted;
	p->ctx = ctx;
	tprof_perf_context(s, ctx);
	in_scope = tprof_in_scope(s->ip);
	tprof_perf_fill(s, ledger);

	tprof_tally_add(&counted->fired, s->weight);
	if (s->flags & TPROF_SAMPLE_IDLE)
		tprof_tally_add(&counted->idle, s->weight);
	if (in_scope)
		return 1;
	tprof_tally_add(&counted->outcomes.out_of_scope, s->weight);
	return 0;
}

/* Keeps the sample if the verdict is TPROF_KEEP, and counts its outcome in the ledger. */
static __always_inline void tprof_perf_leave(const struct tprof_sample *s, struct tprof_program_ledger *counted,
					     int verdict)
{
	struct tprof_tally *tally;

	if (verdict == TPROF_DONE) {
		tally = &counted->outcomes.done;
	} else if (verdict != TPROF_KEEP) {
		tally = &counted->lost.bad_verdict;
	} else {
		/* A copy, so that the sample of the filter needs no address. */
		struct tprof_sample copy = *s;

		tally = bpf_ringbuf_output(&tprof_stream, &copy, sizeof(copy), 0) ? &counted->lost.stream_full :
			&counted->outcomes.kept;
	}
	tprof_tally_add(tally, s->weight);
}

#define TPROF_PERF_ENTRY(name)								\
	SEC("perf_event")								\
	int name##_perf(void *ctx)							\
	{										\
		struct tprof_run run = { .engine = TPROF_OBJECT_PERF };			\
		struct tprof_perf_sample p = {};					\
											\
		if (tprof_perf_enter(&p, &run, ctx))					\
			tprof_perf_leave(&p.sample, run.ledger, name##_body(&p.sample, &run)); \
		return 0;								\
	}

#endif
