// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Engine perf: a perf event per CPU with the filter's perf_event program attached. Needs no module.
 *
 * Each filter has its own events, because the kernel runs one program per event. The program tests the scope, so that
 * every overflow is counted in the ledger.
 */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "cpu_missing.h"
#include "cpu_idle.h"
#include "event/rate.h"
#include "host/descendants.h"
#include "host/probe.h"
#include "host/proc.h"
#include "perf_counter.h"
#include "perf_scope.h"
#include "profile/ledger.h"
#include "ringbuf.h"

/* One program of a filter object, with its counter on each CPU. */
struct attachment {
	struct tprof_filter *filter;
	struct perf_counter *counters;		/* by index into sampling->cpus */
};

/* One filter object. Its programs share a ledger, so missing samples are determined per object and CPU. */
struct object {
	struct tprof_filter *filter;
	const struct tprof_cpu_ledger *arrived;	/* the object's own ledger, by CPU number */
	struct cpu_missing *cpus;		/* by index into sampling->cpus */
	struct cpu_reading *observed;		/* likewise: last reading of perf_observe() */
	size_t first, nr;			/* attachments */
};

struct engine {
	const struct sampling *sampling;
	const struct log *log;
	struct attachment *attachments;
	size_t nr_attachments, attachments_capacity;
	struct object *objects;
	size_t nr_objects, objects_capacity;
	struct ringbuf *kept;
	size_t nr_possible;			/* possible CPUs */
	uint64_t *idle_start_ns, *idle_now_ns;	/* by CPU number */
	double observed_counter;
	uint64_t period;
	uint64_t adapted_ns;			/* when the period was last checked */
	uint64_t *adapted_values;		/* by CPU index: the first filter's counter at that time */
};

static int perf_usable(struct tprof_error *why)
{
	return probe_explain(why);
}

static void perf_close(struct engine *engine)
{
	if (!engine)
		return;
	for (size_t i = 0; i < engine->nr_attachments; i++) {
		for (size_t c = 0; c < engine->sampling->cpus.nr; c++)
			perf_counter_close(&engine->attachments[i].counters[c]);
		free(engine->attachments[i].counters);
	}
	for (size_t i = 0; i < engine->nr_objects; i++) {
		free(engine->objects[i].cpus);
		free(engine->objects[i].observed);
	}
	ringbuf_free(engine->kept);
	free(engine->attachments);
	free(engine->objects);
	free(engine->idle_start_ns);
	free(engine->idle_now_ns);
	free(engine->adapted_values);
	free(engine);
}

static struct engine *perf_open(const struct sampling *sampling, const struct log *log, struct tprof_error *error)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	int nr_possible = libbpf_num_possible_cpus();

	if (!engine)
		goto fail;
	engine->sampling = sampling;
	engine->log = log;
	engine->nr_possible = (size_t)nr_possible;
	engine->period = rate_first_period(&sampling->event, sampling->rate_hz, sampling->period);
	engine->idle_start_ns = calloc(engine->nr_possible, sizeof(*engine->idle_start_ns));
	engine->idle_now_ns = calloc(engine->nr_possible, sizeof(*engine->idle_now_ns));
	engine->adapted_values = calloc(sampling->cpus.nr, sizeof(*engine->adapted_values));
	engine->kept = ringbuf_new();
	if (engine->idle_start_ns && engine->idle_now_ns && engine->adapted_values && engine->kept)
		return engine;
fail:
	perf_close(engine);
	errno = -error_set(error, ENOMEM, "engine perf: not enough memory");
	return NULL;
}

static int explain_open(const struct engine *engine, unsigned int cpu, int err, struct tprof_error *error)
{
	const char *event = engine->sampling->event.name;

	if ((err == EPERM || err == EACCES) && probe_explain(error))
		return -EPERM;
	if (err == EOPNOTSUPP || err == ENOENT || err == ENODEV) {
		error_set(error, EOPNOTSUPP, "event %s: CPU %u cannot sample it", event, cpu);
		error_hint(error, "choose CPUs of its PMU with -C: grep . /sys/bus/event_source/devices/*/cpu*");
		return -EOPNOTSUPP;
	}
	if (err == EMFILE) {
		error_set(error, err, "event %s: too many open files", event);
		error_hint_files(error, err);
		return -err;
	}
	return error_set(error, err, "event %s: cannot be opened on CPU %u: %s", event, cpu, strerror(err));
}

static int attach_program(struct engine *engine, struct attachment *attachment, int program_fd,
			  struct tprof_error *error)
{
	const struct cpus *cpus = &engine->sampling->cpus;

	for (size_t c = 0; c < cpus->nr; c++) {
		int err = perf_counter_open(&attachment->counters[c], &engine->sampling->event, engine->period,
					    (int)cpus->ids[c], program_fd);

		if (err)
			return explain_open(engine, cpus->ids[c], -err, error);
	}
	return 0;
}

static struct attachment *add_attachment(struct engine *engine, struct tprof_filter *filter)
{
	size_t nr_cpus = engine->sampling->cpus.nr;
	struct attachment *grown, *attachment;

	grown = array_grow(engine->attachments, engine->nr_attachments, &engine->attachments_capacity, sizeof(*grown));
	if (!grown)
		return NULL;
	engine->attachments = grown;
	attachment = &grown[engine->nr_attachments];
	attachment->filter = filter;
	attachment->counters = calloc(nr_cpus, sizeof(*attachment->counters));
	if (!attachment->counters)
		return NULL;
	for (size_t c = 0; c < nr_cpus; c++)
		attachment->counters[c].fd = attachment->counters[c].link_fd = -1;
	engine->nr_attachments++;
	return attachment;
}

static struct object *add_object(struct engine *engine, struct tprof_filter *filter)
{
	struct object *object, *grown = array_grow(engine->objects, engine->nr_objects, &engine->objects_capacity,
						   sizeof(*grown));

	if (!grown)
		return NULL;
	engine->objects = grown;
	object = &grown[engine->nr_objects++];
	*object = (struct object){ .filter = filter, .first = engine->nr_attachments, .nr = filter->nr_entries };
	object->cpus = calloc(engine->sampling->cpus.nr, sizeof(*object->cpus));
	object->observed = calloc(engine->sampling->cpus.nr, sizeof(*object->observed));
	object->arrived = filter_ledger(filter);
	return object->cpus && object->observed && object->arrived ? object : NULL;
}

static int perf_attach(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error)
{
	int err = filter_load_perf(filter, &engine->sampling->object, engine->log, error);

	if (err)
		return err;
	if (!add_object(engine, filter))
		return error_set(error, ENOMEM, "engine perf: not enough memory");
	for (size_t i = 0; i < filter->nr_entries; i++) {
		struct attachment *attachment = add_attachment(engine, filter);

		if (!attachment)
			return error_set(error, ENOMEM, "engine perf: not enough memory");
		err = attach_program(engine, attachment, bpf_program__fd(filter->entries[i].program), error);
		if (err)
			return err;
	}
	err = ringbuf_add(engine->kept, filter);
	return err ? error_set(error, -err, "filter %s: its stream cannot be mapped: %s", tprof_filter__name(filter),
			       strerror(-err)) : 0;
}

static int add_to_scopes(const struct engine *engine, enum tprof_scope_kind kind, pid_t id)
{
	int err = 0;

	for (size_t i = 0; i < engine->nr_objects && !err; i++)
		err = perf_scope_add(engine->objects[i].filter, kind, id);
	return err;
}

/* A full map is not an error: the program finds the process by its ancestors. */
static int add_descendant(void *ctx, pid_t pid)
{
	int err = add_to_scopes(ctx, TPROF_SCOPE_KIND_TGID, pid);

	return err == -E2BIG ? 0 : err;
}

/*
 * Adds existing descendants. The programs find descendants themselves, but not if an ancestor in between has exited,
 * nor beyond a number of generations. A failure here costs some samples and does not prevent sampling.
 */
static void target_descendants(struct engine *engine, const struct target *targets, size_t nr)
{
	pid_t failed;
	int err = descendants_each(targets, nr, add_descendant, engine, &failed);

	if (err)
		log_warn(engine->log, "descendants whose parent has exited may not be sampled: cannot look them up: %s",
			 strerror(-err));
}

static int perf_target(struct engine *engine, const struct target *targets, size_t nr, pid_t *failed)
{
	bool processes = false;

	for (size_t i = 0; i < nr; i++) {
		int err = add_to_scopes(engine, targets[i].kind, targets[i].id);

		if (err) {
			*failed = targets[i].id;
			return err;
		}
		processes |= targets[i].kind == TPROF_SCOPE_KIND_TGID;
	}
	if (processes)
		target_descendants(engine, targets, nr);
	return 0;
}

/* The maps of all filters have the same content. */
static void perf_forked(struct engine *engine, pid_t parent, pid_t child)
{
	if (perf_scope_has(engine->objects[0].filter, TPROF_SCOPE_KIND_TGID, parent))
		add_descendant(engine, child);
}

static void perf_exited(struct engine *engine, pid_t tgid)
{
	for (size_t i = 0; i < engine->nr_objects; i++)
		perf_scope_remove(engine->objects[i].filter, TPROF_SCOPE_KIND_TGID, tgid);
}

static int each_counter(const struct engine *engine, int (*fn)(const struct perf_counter *counter))
{
	int first_err = 0;

	for (size_t i = 0; i < engine->nr_attachments; i++) {
		for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
			int err = fn(&engine->attachments[i].counters[c]);

			if (err && !first_err)
				first_err = err;
		}
	}
	return first_err;
}

static int perf_enable(struct engine *engine)
{
	cpu_idle_read(engine->idle_start_ns, engine->nr_possible);
	engine->adapted_ns = clock_own_ns();
	return each_counter(engine, perf_counter_enable);
}

static int perf_disable(struct engine *engine)
{
	return each_counter(engine, perf_counter_disable);
}

/* A reading of a CPU's counters, without the counts of the programs. */
static struct cpu_reading reading_of(const struct engine *engine, const struct object *object, size_t c)
{
	unsigned int cpu = engine->sampling->cpus.ids[c];
	struct cpu_reading reading = { .period = engine->period };
	bool clock = event_is_clock(&engine->sampling->event);

	for (size_t i = object->first; i < object->first + object->nr; i++) {
		const struct perf_counter *counter = &engine->attachments[i].counters[c];

		reading.counter += perf_counter_fired(counter);
		if (!clock)
			continue;
		reading.throttled += perf_counter_throttled(counter);
		reading.idle += (engine->idle_now_ns[cpu] - engine->idle_start_ns[cpu]) / counter->period;
	}
	return reading;
}

/* Adds what the programs counted, and the rest of the reading as lost. */
static void add_cpu(struct tprof_ledger *ledger, struct cpu_missing *missing, struct cpu_reading reading,
		    const struct tprof_program_ledger *counted)
{
	reading.arrived = counted->fired.samples;
	reading.idle_arrived = counted->idle.samples;
	cpu_missing_update(missing, &reading);
	ledger_add_programs(ledger, counted);
	ledger_add_missing(ledger, TPROF_LOST_ENGINE_MISSED, &missing->engine_missed);
	ledger_add_missing(ledger, TPROF_LOST_THROTTLED, &missing->throttled);
	ledger_add_missing(ledger, TPROF_LOST_IDLE_MISSED, &missing->idle_missed);
}

static int read_counters(struct engine *engine)
{
	int err = 0;

	for (size_t i = 0; i < engine->nr_attachments && !err; i++) {
		for (size_t c = 0; c < engine->sampling->cpus.nr && !err; c++)
			err = perf_counter_read(&engine->attachments[i].counters[c]);
	}
	return err ? err : cpu_idle_read(engine->idle_now_ns, engine->nr_possible);
}

static double sum_of_counters(const struct engine *engine)
{
	double sum = 0;

	for (size_t i = 0; i < engine->nr_attachments; i++) {
		for (size_t c = 0; c < engine->sampling->cpus.nr; c++)
			sum += perf_counter_quotient(&engine->attachments[i].counters[c]);
	}
	return sum;
}

static int perf_ledger(struct engine *engine, struct tprof_ledger *ledger)
{
	/* Counters first: a sample that fires in between counts as arrived, never as missing. */
	int err = read_counters(engine);

	for (size_t i = 0; i < engine->nr_objects && !err; i++) {
		struct object *object = &engine->objects[i];

		for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
			struct tprof_program_ledger counted;

			/* On failure the ledger does not close, and the caller retries. */
			ledger_copy_cpu(&object->arrived[engine->sampling->cpus.ids[c]], &counted);
			add_cpu(ledger, &object->cpus[c], reading_of(engine, object, c), &counted);
		}
	}
	ledger->counter += sum_of_counters(engine);
	return err;
}

/* As in perf_ledger(), the counters come first. */
static int perf_observe(struct engine *engine)
{
	int err = read_counters(engine);

	for (size_t i = 0; i < engine->nr_objects && !err; i++) {
		for (size_t c = 0; c < engine->sampling->cpus.nr; c++)
			engine->objects[i].observed[c] = reading_of(engine, &engine->objects[i], c);
	}
	engine->observed_counter = sum_of_counters(engine);
	return err;
}

static void perf_settle(struct engine *engine, struct tprof_ledger *ledger)
{
	for (size_t i = 0; i < engine->nr_objects; i++) {
		struct object *object = &engine->objects[i];

		for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
			unsigned int cpu = engine->sampling->cpus.ids[c];
			const struct tprof_program_ledger counted = filter_settled(object->filter, cpu);

			add_cpu(ledger, &object->cpus[c], object->observed[c], &counted);
		}
	}
	ledger->counter += engine->observed_counter;
}

/* Events per second on the busiest CPU since the last call. */
static double busiest_rate(struct engine *engine, double seconds)
{
	double busiest = 0;

	for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
		struct perf_counter *counter = &engine->attachments[0].counters[c];
		double rate;

		if (perf_counter_read(counter))
			continue;
		rate = (double)(counter->value - engine->adapted_values[c]) / seconds;
		engine->adapted_values[c] = counter->value;
		if (rate > busiest)
			busiest = rate;
	}
	return busiest;
}

static int perf_adapt(struct engine *engine)
{
	const struct sampling *sampling = engine->sampling;
	uint64_t now = clock_own_ns();
	double seconds = (double)(now - engine->adapted_ns) / 1e9;
	uint64_t period;
	int err = 0;

	if (!sampling->rate_hz || event_is_clock(&sampling->event) || seconds < 1)
		return 0;
	engine->adapted_ns = now;
	period = rate_next_period(engine->period, sampling->rate_hz, busiest_rate(engine, seconds));
	if (period == engine->period)
		return 0;
	engine->period = period;
	for (size_t i = 0; i < engine->nr_attachments && !err; i++) {
		for (size_t c = 0; c < sampling->cpus.nr && !err; c++)
			err = perf_counter_set_period(&engine->attachments[i].counters[c], engine->period);
	}
	return err;
}

static uint64_t perf_period(const struct engine *engine)
{
	return engine->period;
}

static int perf_samples_fd(const struct engine *engine)
{
	return ringbuf_epoll_fd(engine->kept);
}

static int perf_read_samples(struct engine *engine, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx)
{
	return ringbuf_read(engine->kept, fn, ctx);
}

const struct engine_ops engine_perf = {
	.name = "perf",
	.usable = perf_usable,
	.open = perf_open,
	.close = perf_close,
	.attach = perf_attach,
	.target = perf_target,
	.forked = perf_forked,
	.exited = perf_exited,
	.enable = perf_enable,
	.disable = perf_disable,
	.ledger = perf_ledger,
	.observe = perf_observe,
	.settle = perf_settle,
	.adapt = perf_adapt,
	.period = perf_period,
	.samples_fd = perf_samples_fd,
	.read_samples = perf_read_samples,
};
