// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The ledger of a session of the module. */
#include "kmod_ledger.h"

#include <bpf/libbpf.h>
#include <stdlib.h>

#include "cpu_missing.h"
#include "cpu_idle.h"
#include "host/kmod_device.h"
#include "profile/ledger.h"
#include "weight_missing.h"

/* One CPU's counter. */
struct counter {
	struct weight_missing weight;
	struct cpu_missing clock;
	uint64_t value;			/* last reading, in units of the event */
	uint64_t running_ns;		/* last reading */
	uint64_t looked_value;		/* value when the rate was last computed */
	uint64_t earlier_value;		/* value when the period was last changed */
};

struct kmod_ledger {
	int session_fd;
	const struct event *event;
	uint64_t period;
	double earlier_periods;		/* periods that had elapsed when the period was last changed */
	struct counter *counters;	/* by CPU number */
	uint64_t *idle_start_ns, *idle_now_ns;
	size_t nr_cpus;			/* possible CPUs */
	uint32_t period_factor;		/* the largest so far */
};

bool kmod_event_is_timer(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && event->config == PERF_COUNT_SW_CPU_CLOCK;
}

struct kmod_ledger *kmod_ledger_new(int session_fd, const struct event *event, uint64_t period)
{
	struct kmod_ledger *module = calloc(1, sizeof(*module));
	int nr_cpus = libbpf_num_possible_cpus();

	if (!module)
		goto fail;
	*module = (struct kmod_ledger){
		.session_fd = session_fd, .event = event, .period = period, .nr_cpus = (size_t)nr_cpus,
		.period_factor = 1,
	};
	module->counters = calloc(module->nr_cpus, sizeof(*module->counters));
	module->idle_start_ns = calloc(module->nr_cpus, sizeof(*module->idle_start_ns));
	module->idle_now_ns = calloc(module->nr_cpus, sizeof(*module->idle_now_ns));
	if (module->counters && module->idle_start_ns && module->idle_now_ns)
		return module;
fail:
	kmod_ledger_free(module);
	return NULL;
}

void kmod_ledger_free(struct kmod_ledger *module)
{
	if (!module)
		return;
	free(module->counters);
	free(module->idle_start_ns);
	free(module->idle_now_ns);
	free(module);
}

int kmod_ledger_start(struct kmod_ledger *module)
{
	return event_is_clock(module->event) ? cpu_idle_read(module->idle_start_ns, module->nr_cpus) : 0;
}

static void add_read(struct tprof_ledger *ledger, const struct tprof_ledger_read *read)
{
	ledger_add_tallies(&ledger->fired, &read->fired, 1);
	ledger_add_tallies(&ledger->idle, &read->idle, 1);
	ledger_add_tallies(ledger->outcomes, read->outcomes, TPROF_NR_OUTCOMES);
	ledger_add_tallies(ledger->lost, read->lost, TPROF_NR_LOST_REASONS);
}

static int read_counts(struct kmod_ledger *module, struct tprof_counts *counts)
{
	int err = kmod_call(module->session_fd, TPROF_IOC_COUNTS, counts);

	if (!err && counts->period_factor > module->period_factor)
		module->period_factor = counts->period_factor;
	return err;
}

/* The timer's period never changes, so the sums over all CPUs are enough. */
static int add_timer(struct kmod_ledger *module, struct tprof_ledger *ledger)
{
	struct tprof_ledger_read read = { .size = sizeof(read), .cpu = -1 };
	struct tprof_counts counts = { .size = sizeof(counts), .cpu = -1 };
	int err = read_counts(module, &counts);

	if (!err)
		err = kmod_call(module->session_fd, TPROF_IOC_LEDGER, &read);
	if (err)
		return err;
	add_read(ledger, &read);
	ledger->counter = (double)counts.value / (double)module->period;
	return 0;
}

static int read_counter(struct kmod_ledger *module, size_t cpu)
{
	struct tprof_counts counts = { .size = sizeof(counts), .cpu = (int32_t)cpu };
	int err = read_counts(module, &counts);

	module->counters[cpu].value = counts.value;
	module->counters[cpu].running_ns = counts.running_ns;
	return err;
}

/* A perf clock event: kernels do not sample every idle CPU, and may throttle a clock. */
static void add_missing_time(struct kmod_ledger *module, struct tprof_ledger *ledger, size_t cpu,
			     const struct tprof_ledger_read *read)
{
	struct counter *counter = &module->counters[cpu];
	uint64_t period = module->period, value = counter->value, factor = module->period_factor;
	const struct cpu_reading reading = {
		/* One sample may be in progress. */
		.counter = value / period > factor ? value / period - factor : 0,
		.throttled = counter->running_ns > value ? (counter->running_ns - value) / period : 0,
		.arrived = read->fired.weight / period,
		.idle = (module->idle_now_ns[cpu] - module->idle_start_ns[cpu]) / period,
		.idle_arrived = read->idle.weight / period,
		.period = period,
	};

	cpu_missing_update(&counter->clock, &reading);
	ledger_add_missing(ledger, TPROF_LOST_ENGINE_MISSED, &counter->clock.engine_missed);
	ledger_add_missing(ledger, TPROF_LOST_THROTTLED, &counter->clock.throttled);
	ledger_add_missing(ledger, TPROF_LOST_IDLE_MISSED, &counter->clock.idle_missed);
}

static int add_cpu(struct kmod_ledger *module, struct tprof_ledger *ledger, size_t cpu)
{
	struct tprof_ledger_read read = { .size = sizeof(read), .cpu = (int32_t)cpu };
	struct counter *counter = &module->counters[cpu];
	/* Counter first: a sample in between is never taken for missing. */
	int err = read_counter(module, cpu);

	if (!err)
		err = kmod_call(module->session_fd, TPROF_IOC_LEDGER, &read);
	if (err)
		return err;
	add_read(ledger, &read);
	ledger->counter += (double)(counter->value - counter->earlier_value) / (double)module->period;
	if (event_is_clock(module->event)) {
		add_missing_time(module, ledger, cpu, &read);
		return 0;
	}
	weight_missing_update(&counter->weight, counter->value, read.fired.weight, module->period,
			      module->period_factor);
	ledger_add_missing(ledger, TPROF_LOST_ENGINE_MISSED, &counter->weight.missed);
	return 0;
}

int kmod_ledger_read(struct kmod_ledger *module, struct tprof_ledger *ledger)
{
	int err = 0;

	if (kmod_event_is_timer(module->event))
		return add_timer(module, ledger);
	if (event_is_clock(module->event))
		err = cpu_idle_read(module->idle_now_ns, module->nr_cpus);
	ledger->counter = module->earlier_periods;
	for (size_t cpu = 0; cpu < module->nr_cpus && !err; cpu++)
		err = add_cpu(module, ledger, cpu);
	return err;
}

uint32_t kmod_ledger_period_factor(const struct kmod_ledger *module)
{
	return module->period_factor;
}

double kmod_ledger_rate(struct kmod_ledger *module, double seconds)
{
	double busiest = 0;

	for (size_t cpu = 0; cpu < module->nr_cpus; cpu++) {
		struct counter *counter = &module->counters[cpu];
		double rate;

		if (read_counter(module, cpu))
			continue;
		rate = (double)(counter->value - counter->looked_value) / seconds;
		counter->looked_value = counter->value;
		if (rate > busiest)
			busiest = rate;
	}
	return busiest;
}

void kmod_ledger_set_period(struct kmod_ledger *module, uint64_t period)
{
	for (size_t cpu = 0; cpu < module->nr_cpus; cpu++) {
		struct counter *counter = &module->counters[cpu];

		module->earlier_periods += (double)(counter->value - counter->earlier_value) / (double)module->period;
		counter->earlier_value = counter->value;
		weight_missing_cut(&counter->weight, module->period);
	}
	module->period = period;
}
