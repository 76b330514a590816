// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The idle time of each CPU while a session was sampling. */
#include "idle_time.h"

#include <errno.h>
#include <stdlib.h>

#include "cpu_idle.h"

int idle_time_init(struct idle_time *idle, size_t nr_events, size_t nr_cpus)
{
	*idle = (struct idle_time){ .nr_events = nr_events, .nr_cpus = nr_cpus };
	idle->cpus = calloc(nr_events * nr_cpus, sizeof(*idle->cpus));
	idle->now_ns = calloc(nr_cpus, sizeof(*idle->now_ns));
	idle->readings = calloc(nr_cpus, sizeof(*idle->readings));
	return idle->cpus && idle->now_ns && idle->readings ? 0 : -ENOMEM;
}

void idle_time_fini(struct idle_time *idle)
{
	free(idle->cpus);
	free(idle->now_ns);
	free(idle->readings);
	*idle = (struct idle_time){ 0 };
}

int idle_time_read(struct idle_time *idle)
{
	int err = cpu_idle_read(idle->readings, idle->nr_cpus);

	/* The kernel's number can decrease when a CPU goes offline. */
	for (size_t cpu = 0; cpu < idle->nr_cpus && !err; cpu++) {
		if (idle->readings[cpu] > idle->now_ns[cpu])
			idle->now_ns[cpu] = idle->readings[cpu];
	}
	return err;
}

static struct idle_cpu *of(const struct idle_time *idle, size_t event, size_t cpu)
{
	return &idle->cpus[event * idle->nr_cpus + cpu];
}

static uint64_t with_this_period(const struct idle_time *idle, size_t event, size_t cpu)
{
	const struct idle_cpu *at = of(idle, event, cpu);

	return at->before_ns + (idle->running ? idle->now_ns[cpu] - at->base_ns : 0);
}

void idle_time_start(struct idle_time *idle)
{
	for (size_t e = 0; e < idle->nr_events && !idle->running; e++) {
		for (size_t cpu = 0; cpu < idle->nr_cpus; cpu++)
			of(idle, e, cpu)->base_ns = idle->now_ns[cpu];
	}
	idle->running = true;
}

void idle_time_stop(struct idle_time *idle)
{
	for (size_t e = 0; e < idle->nr_events; e++) {
		for (size_t cpu = 0; cpu < idle->nr_cpus; cpu++)
			of(idle, e, cpu)->before_ns = with_this_period(idle, e, cpu);
	}
	idle->running = false;
}

void idle_time_join(struct idle_time *idle, unsigned int cpu)
{
	for (size_t e = 0; e < idle->nr_events && cpu < idle->nr_cpus; e++)
		of(idle, e, cpu)->base_ns = idle->now_ns[cpu];
}

void idle_time_cut(struct idle_time *idle, size_t event, uint64_t period)
{
	for (size_t cpu = 0; cpu < idle->nr_cpus; cpu++) {
		struct idle_cpu *at = of(idle, event, cpu);

		at->samples += with_this_period(idle, event, cpu) / period;
		at->before_ns = 0;
		at->base_ns = idle->now_ns[cpu];
	}
}

uint64_t idle_time_ns(const struct idle_time *idle, size_t event, unsigned int cpu)
{
	return with_this_period(idle, event, cpu);
}

uint64_t idle_time_samples(const struct idle_time *idle, size_t event, unsigned int cpu, uint64_t period)
{
	return of(idle, event, cpu)->samples + with_this_period(idle, event, cpu) / period;
}
