/* SPDX-License-Identifier: GPL-2.0-only */
/* cpu: what each CPU does: user code, kernel code, or idle. */
#include <tprof/filter.bpf.h>

TPROF_ABOUT("Counts samples by CPU and mode: user, kernel or idle.");

struct cpu_key {
	tprof_cpu_t cpu;
	tprof_event_t event;
	tprof_flags_t mode;
};

TPROF_TABLE(cpu, struct cpu_key, 4096);

TPROF_FILTER(cpu, s)
{
	struct cpu_key key = {
		.cpu = s->cpu,
		.event = s->event,
		.mode = s->flags & TPROF_SAMPLE_IDLE ? TPROF_SAMPLE_IDLE : s->flags & TPROF_SAMPLE_MODE,
	};

	tprof_count(cpu, key, s->weight);
	return TPROF_DONE;
}

TPROF_LICENSE("GPL");
