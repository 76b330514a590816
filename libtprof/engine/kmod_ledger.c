// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The ledger of an event of a session of the module. */
#include "kmod_ledger.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_missing.h"
#include "host/kmod_device.h"
#include "idle_time.h"
#include "kmod_session.h"
#include "profile/ledger.h"
#include "weight_missing.h"

/* Readings of a CPU. */
struct clock_reading {
	uint64_t value, running_ns, idle_ns;
	uint64_t fired_weight, idle_weight;
};

/* A clock of one CPU, with the current period. */
struct clock {
	struct cpu_missing missing;
	struct cpu_missing earlier;	/* with other periods */
	struct clock_reading base;	/* when the period was last changed */
	struct clock_reading now;
	uint64_t cut;			/* weight of periods that a stop cut off since then */
};

/* One CPU's counter. */
struct counter {
	struct weight_missing weight;
	struct clock clock;
	uint64_t value;			/* last reading, in units of the event */
	uint64_t running_ns;		/* last reading */
	uint64_t enabled_ns;		/* last reading */
	uint64_t looked_value;		/* value when the rate was last computed */
	uint64_t earlier_value;		/* value when the period was last changed */
};

struct kmod_ledger {
	struct kmod_ledger_of of;
	uint64_t period;
	double earlier_periods;		/* periods that had elapsed when the period was last changed */
	struct counter *counters;	/* by CPU number */
	uint64_t timer_value;		/* sum of all CPUs' timers: last reading */
	uint64_t timer_enabled_ns;	/* likewise: time enabled, in all of which a timer runs */
	uint64_t timer_earlier_value;	/* likewise when the period was last changed */
	struct idle_time idle;
	size_t nr_cpus;			/* possible CPUs */
	bool started;			/* at least once */
	uint32_t period_factor;		/* the largest so far */
};

bool kmod_event_is_timer(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && event->config == PERF_COUNT_SW_CPU_CLOCK;
}

struct kmod_ledger *kmod_ledger_new(const struct kmod_ledger_of *of, uint64_t period)
{
	struct kmod_ledger *module = calloc(1, sizeof(*module));
	int nr_cpus = libbpf_num_possible_cpus();

	if (!module)
		goto fail;
	*module = (struct kmod_ledger){
		.of = *of, .period = period, .nr_cpus = (size_t)nr_cpus, .period_factor = 1,
	};
	module->counters = calloc(module->nr_cpus, sizeof(*module->counters));
	if (module->counters && !idle_time_init(&module->idle, 1, module->nr_cpus))
		return module;
fail:
	kmod_ledger_free(module);
	return NULL;
}

/* The state with which another process continues. The counters of each CPU follow, and then its idle time. */
struct kmod_ledger_noted {
	uint64_t period;
	double earlier_periods;
	uint64_t timer_value, timer_enabled_ns, timer_earlier_value;
	uint32_t period_factor;
	bool started, idle_runs;
};

size_t kmod_ledger_noted_bytes(size_t nr_cpus)
{
	return sizeof(struct kmod_ledger_noted) + nr_cpus * (sizeof(struct counter) + sizeof(struct idle_cpu));
}

void kmod_ledger_note(const struct kmod_ledger *module, void *into)
{
	struct kmod_ledger_noted *noted = into;
	struct counter *counters = (struct counter *)(noted + 1);

	*noted = (struct kmod_ledger_noted){
		.period = module->period, .earlier_periods = module->earlier_periods,
		.timer_value = module->timer_value, .timer_enabled_ns = module->timer_enabled_ns,
		.timer_earlier_value = module->timer_earlier_value, .period_factor = module->period_factor,
		.started = module->started, .idle_runs = module->idle.running,
	};
	memcpy(counters, module->counters, module->nr_cpus * sizeof(*counters));
	memcpy(counters + module->nr_cpus, module->idle.cpus, module->nr_cpus * sizeof(*module->idle.cpus));
}

/* The idle time of a CPU is that since the machine has started, so it goes on, too. */
int kmod_ledger_continue(struct kmod_ledger *module, const void *from, bool is_running)
{
	const struct kmod_ledger_noted *noted = from;
	const struct counter *counters = (const struct counter *)(noted + 1);

	if (!noted->period || !noted->period_factor)
		return -EPROTO;
	module->period = noted->period;
	module->earlier_periods = noted->earlier_periods;
	module->timer_value = noted->timer_value;
	module->timer_enabled_ns = noted->timer_enabled_ns;
	module->timer_earlier_value = noted->timer_earlier_value;
	module->period_factor = noted->period_factor;
	module->started = noted->started;
	memcpy(module->counters, counters, module->nr_cpus * sizeof(*counters));
	memcpy(module->idle.cpus, counters + module->nr_cpus, module->nr_cpus * sizeof(*module->idle.cpus));
	module->idle.running = noted->idle_runs;
	/* The last process was killed between the change and this. */
	if (is_running && !noted->idle_runs)
		return kmod_ledger_start(module);
	if (!is_running && noted->idle_runs)
		kmod_ledger_stop(module);
	return 0;
}

uint64_t kmod_ledger_period(const struct kmod_ledger *module)
{
	return module->period;
}

void kmod_ledger_free(struct kmod_ledger *module)
{
	if (!module)
		return;
	free(module->counters);
	idle_time_fini(&module->idle);
	free(module);
}

/* A period in progress that is cut off produces no sample. It may be a multiple of the session's. */
static uint64_t longest_period(const struct kmod_ledger *module)
{
	return module->period * module->period_factor;
}

int kmod_ledger_start(struct kmod_ledger *module)
{
	int err = event_is_clock(module->of.event) ? idle_time_read(&module->idle) : 0;

	/* Since the stop. */
	for (size_t cpu = 0; cpu < module->nr_cpus && module->started; cpu++) {
		weight_missing_cut(&module->counters[cpu].weight, longest_period(module));
		module->counters[cpu].clock.cut += longest_period(module);
	}
	module->started = true;
	idle_time_start(&module->idle);
	return err;
}

void kmod_ledger_stop(struct kmod_ledger *module)
{
	if (event_is_clock(module->of.event))
		idle_time_read(&module->idle);
	idle_time_stop(&module->idle);
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
	int err;

	counts->event = module->of.index;
	err = kmod_call(module->of.session_fd, TPROF_IOC_COUNTS, counts);
	if (!err && counts->period_factor > module->period_factor)
		module->period_factor = counts->period_factor;
	return err;
}

/* An older module has no ledger by event, and is not used for several events. */
static int read_ledger(struct kmod_ledger *module, struct tprof_ledger_read *read)
{
	if (!module->of.alone)
		read->event = module->of.index + 1;
	return kmod_call(module->of.session_fd, TPROF_IOC_LEDGER, read);
}

static int read_timer(struct kmod_ledger *module)
{
	struct tprof_counts counts = { .size = sizeof(counts), .cpu = -1 };
	int err = read_counts(module, &counts);

	if (!err)
		module->timer_value = counts.value;
	if (!err)
		module->timer_enabled_ns = counts.enabled_ns;
	return err;
}

static double timer_periods(const struct kmod_ledger *module)
{
	return (double)(module->timer_value - module->timer_earlier_value) / (double)module->period;
}

/* The timer represents all of its time, so the sums over all CPUs are enough. */
static int add_timer(struct kmod_ledger *module, struct tprof_ledger *ledger)
{
	struct tprof_ledger_read read = { .size = sizeof(read), .cpu = -1 };
	int err = read_timer(module);

	if (!err)
		err = read_ledger(module, &read);
	if (err)
		return err;
	add_read(ledger, &read);
	ledger->counter = module->earlier_periods + timer_periods(module);
	ledger->enabled_ns = ledger->running_ns = module->timer_enabled_ns;
	return 0;
}

static int read_counter(struct kmod_ledger *module, size_t cpu)
{
	struct tprof_counts counts = { .size = sizeof(counts), .cpu = (int32_t)cpu };
	int err = read_counts(module, &counts);

	module->counters[cpu].value = counts.value;
	module->counters[cpu].running_ns = counts.running_ns;
	module->counters[cpu].enabled_ns = counts.enabled_ns;
	return err;
}

/* A perf clock event: kernels do not sample every idle CPU, and may throttle a clock. */
static void update_clock(struct kmod_ledger *module, size_t cpu, const struct tprof_ledger_read *read)
{
	struct counter *counter = &module->counters[cpu];
	struct clock *clock = &counter->clock;
	const struct clock_reading *base = &clock->base, *now = &clock->now;
	uint64_t period = module->period, factor = module->period_factor, value, running_ns;
	struct cpu_reading reading = { .period = period };

	clock->now = (struct clock_reading){
		.value = counter->value, .running_ns = counter->running_ns,
		.idle_ns = idle_time_ns(&module->idle, 0, (unsigned int)cpu),
		.fired_weight = read->fired.weight, .idle_weight = read->idle.weight,
	};
	value = now->value - base->value;
	running_ns = now->running_ns - base->running_ns;
	reading.throttled = running_ns > value ? (running_ns - value) / period : 0;
	value = value > clock->cut ? value - clock->cut : 0;
	/* One sample may be in progress. */
	reading.counter = value / period > factor ? value / period - factor : 0;
	reading.arrived = (now->fired_weight - base->fired_weight) / period;
	reading.idle = (now->idle_ns - base->idle_ns) / period;
	reading.idle_arrived = (now->idle_weight - base->idle_weight) / period;
	cpu_missing_update(&clock->missing, &reading);
}

static void add_missing_time(struct tprof_ledger *ledger, const struct cpu_missing *missing)
{
	ledger_add_missing(ledger, TPROF_LOST_ENGINE_MISSED, &missing->engine_missed);
	ledger_add_missing(ledger, TPROF_LOST_THROTTLED, &missing->throttled);
	ledger_add_missing(ledger, TPROF_LOST_IDLE_MISSED, &missing->idle_missed);
}

/*
 * A CPU that counts in NMIs with interrupts disabled delivers its samples when it enables them. Until then they have
 * not fired, so what seems to be missing is delivered first.
 */
static int read_delivered(struct kmod_ledger *module, const struct counter *counter, struct tprof_ledger_read *read)
{
	int err;

	if (!weight_missing_finds(&counter->weight, counter->value, read->fired.weight, module->period,
				  module->period_factor))
		return 0;
	err = kmod_session_flush(module->of.session_fd);
	return err ? err : read_ledger(module, read);
}

static int add_cpu(struct kmod_ledger *module, struct tprof_ledger *ledger, size_t cpu)
{
	struct tprof_ledger_read read = { .size = sizeof(read), .cpu = (int32_t)cpu };
	struct counter *counter = &module->counters[cpu];
	/* Counter first: a sample in between is never taken for missing. */
	int err = read_counter(module, cpu);

	if (!err)
		err = read_ledger(module, &read);
	if (!err && !event_is_clock(module->of.event))
		err = read_delivered(module, counter, &read);
	if (err)
		return err;
	add_read(ledger, &read);
	ledger->counter += (double)(counter->value - counter->earlier_value) / (double)module->period;
	ledger->enabled_ns += counter->enabled_ns;
	ledger->running_ns += counter->running_ns;
	if (event_is_clock(module->of.event)) {
		update_clock(module, cpu, &read);
		add_missing_time(ledger, &counter->clock.missing);
		add_missing_time(ledger, &counter->clock.earlier);
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

	if (kmod_event_is_timer(module->of.event))
		return add_timer(module, ledger);
	if (event_is_clock(module->of.event))
		err = idle_time_read(&module->idle);
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

/* Missing samples count with the period that they had. */
static void change_clock(struct clock *clock)
{
	ledger_add_tallies(&clock->earlier.engine_missed, &clock->missing.engine_missed, 1);
	ledger_add_tallies(&clock->earlier.throttled, &clock->missing.throttled, 1);
	ledger_add_tallies(&clock->earlier.idle_missed, &clock->missing.idle_missed, 1);
	memset(&clock->missing, 0, sizeof(clock->missing));
	clock->base = clock->now;
	clock->cut = 0;
}

void kmod_ledger_set_period(struct kmod_ledger *module, uint64_t period)
{
	struct tprof_ledger read = { .sz = sizeof(read) };

	/* If that fails, the time since the last reading counts with the new period. */
	kmod_ledger_read(module, &read);
	if (kmod_event_is_timer(module->of.event)) {
		module->earlier_periods += timer_periods(module);
		module->timer_earlier_value = module->timer_value;
	}
	for (size_t cpu = 0; cpu < module->nr_cpus; cpu++) {
		struct counter *counter = &module->counters[cpu];

		module->earlier_periods += (double)(counter->value - counter->earlier_value) / (double)module->period;
		counter->earlier_value = counter->value;
		weight_missing_cut(&counter->weight, longest_period(module));
		change_clock(&counter->clock);
	}
	module->period = period;
}
