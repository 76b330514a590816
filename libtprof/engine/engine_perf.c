// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Engine perf: a perf event per event and CPU with the filter's perf_event program attached. Needs no module.
 *
 * Each filter has its own perf events, because the kernel runs one program for each. The cookie of the attachment is
 * the index of the event. The program tests the scope, so that every overflow is counted in the ledger.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "host/probe.h"
#include "perf_engine.h"
#include "perf_scope.h"

static int perf_usable(struct tprof_error *why)
{
	return probe_explain(why);
}

static void perf_close(struct engine *engine)
{
	if (!engine)
		return;
	for (size_t i = 0; i < engine->nr_attachments; i++) {
		for (size_t s = 0; s < perf_slots(engine); s++)
			perf_counter_close(&engine->attachments[i].counters[s]);
		free(engine->attachments[i].counters);
	}
	for (size_t i = 0; i < engine->nr_objects; i++) {
		perf_waits_detach(&engine->objects[i]);
		free(engine->objects[i].cpus);
		free(engine->objects[i].observed);
		served_fini(&engine->objects[i].served);
	}
	ringbuf_free(engine->kept);
	program_barrier_fini(&engine->wait_barrier);
	free(engine->attachments);
	free(engine->objects);
	idle_time_fini(&engine->idle);
	free(engine->enabled_ns);
	free(engine->rate_values);
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
	sampling_first_periods(sampling, engine->periods);
	engine->rate_values = calloc(perf_slots(engine), sizeof(*engine->rate_values));
	engine->enabled_ns = calloc(engine->nr_possible, sizeof(*engine->enabled_ns));
	engine->kept = ringbuf_new();
	if (!idle_time_init(&engine->idle, sampling->nr_events, engine->nr_possible) && engine->rate_values &&
	    engine->enabled_ns && engine->kept)
		return engine;
fail:
	perf_close(engine);
	errno = -error_set(error, ENOMEM, "engine perf: not enough memory");
	return NULL;
}

int perf_open_counter(const struct engine *engine, const struct attachment *attachment, size_t event, size_t c,
		      uint64_t period, struct perf_counter *counter)
{
	const struct perf_attached with = {
		.program_fd = attachment->program_fd, .cookie = event, .broker = engine->broker,
	};

	int err = perf_counter_open(counter, perf_event_of(engine, event), period,
				    (int)engine->sampling->cpus.ids[c], &with);

	/* A CPU of another type. One CPU at least has the event: event_probe(). */
	if (err == -ENOENT && perf_event_of(engine, event)->core_pmu) {
		perf_counter_close(counter);
		return 0;
	}
	return err;
}

static int attach_event(struct engine *engine, struct attachment *attachment, size_t event, struct tprof_error *error)
{
	const struct cpus *cpus = &engine->sampling->cpus;

	for (size_t c = 0; c < cpus->nr; c++) {
		int err = perf_open_counter(engine, attachment, event, c, engine->periods[event],
					    &attachment->counters[perf_slot(engine, event, c)]);

		if (err)
			return perf_counter_explain(perf_event_of(engine, event), cpus->ids[c], -err, error);
	}
	return 0;
}

static int attach_program(struct engine *engine, struct attachment *attachment, struct tprof_error *error)
{
	int err = 0;

	for (size_t e = 0; e < engine->sampling->nr_events && !err; e++)
		err = perf_is_of_switches(engine, e) ? 0 : attach_event(engine, attachment, e, error);
	return err;
}

static struct attachment *add_attachment(struct engine *engine, struct tprof_filter *filter, int program_fd)
{
	struct attachment *grown, *attachment;

	grown = array_grow(engine->attachments, engine->nr_attachments, &engine->attachments_capacity, sizeof(*grown));
	if (!grown)
		return NULL;
	engine->attachments = grown;
	attachment = &grown[engine->nr_attachments];
	attachment->filter = filter;
	attachment->program_fd = program_fd;
	attachment->counters = calloc(perf_slots(engine), sizeof(*attachment->counters));
	if (!attachment->counters)
		return NULL;
	for (size_t s = 0; s < perf_slots(engine); s++)
		attachment->counters[s].fd = attachment->counters[s].link_fd = -1;
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
	*object = (struct object){
		.filter = filter, .first = engine->nr_attachments, .nr = filter->nr_entries,
	};
	memset(object->wait_fds, -1, sizeof(object->wait_fds));
	object->cpus = calloc(perf_slots(engine), sizeof(*object->cpus));
	object->observed = calloc(perf_slots(engine), sizeof(*object->observed));
	if (!object->cpus || !object->observed || served_prepare(&object->served, filter))
		return NULL;
	served_add(&object->served, filter);
	return object;
}

static int perf_load(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error)
{
	uint32_t bytes = engine->sampling->stream_bytes;
	int err = bytes ? bpf_map__set_max_entries(filter_map(filter, TPROF_STREAM_NAME), bytes) : 0;

	if (err)
		return error_set(error, -err, "filter %s: the size of its stream cannot be set: %s",
				 tprof_filter__name(filter), strerror(-err));
	err = filter_load_perf(filter, &engine->sampling->object, engine->log, error);
	if (err)
		return err;
	err = ringbuf_add(engine->kept, filter);
	if (err)
		return error_set(error, -err, "filter %s: its stream cannot be mapped: %s",
				 tprof_filter__name(filter), strerror(-err));
	/* Not when it is attached: a spare filter is attached in a sandbox, and knows the owners of work by then. */
	return filter_attach_owners(filter, error);
}

static int perf_attach(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error)
{
	int err = 0;

	if (!add_object(engine, filter))
		return error_set(error, ENOMEM, "engine perf: not enough memory");
	if (engine->sampling->object.scope & TPROF_SCOPE_CGROUPS)
		err = perf_scope_set_cgroups(filter, &engine->sampling->object);
	if (err)
		return error_set(error, -err, "filter %s: its cgroups cannot be set: %s", tprof_filter__name(filter),
				 strerror(-err));
	for (size_t i = 0; i < filter->nr_entries; i++) {
		int program_fd = bpf_program__fd(filter->entries[i].program);
		struct attachment *attachment = add_attachment(engine, filter, program_fd);

		if (!attachment)
			return error_set(error, ENOMEM, "engine perf: not enough memory");
		err = attach_program(engine, attachment, error);
		if (err)
			return err;
	}
	return perf_waits_attach(engine, &engine->objects[engine->nr_objects - 1], error);
}

static int each_counter(const struct engine *engine, int (*fn)(const struct perf_counter *counter))
{
	int first_err = 0;

	for (size_t i = 0; i < engine->nr_attachments; i++) {
		for (size_t s = 0; s < perf_slots(engine); s++) {
			const struct perf_counter *counter = &engine->attachments[i].counters[s];
			int err = counter->fd < 0 ? 0 : fn(counter);

			if (err && !first_err)
				first_err = err;
		}
	}
	return first_err;
}

static int perf_enable(struct engine *engine)
{
	int err = perf_waits_enable(engine), counters_err;

	idle_time_read(&engine->idle);
	idle_time_start(&engine->idle);
	engine->enabled = true;
	memset(engine->enabled_ns, 0, engine->nr_possible * sizeof(*engine->enabled_ns));
	counters_err = each_counter(engine, perf_counter_enable);
	return err ? err : counters_err;
}

static int perf_disable(struct engine *engine)
{
	int err = each_counter(engine, perf_counter_disable), waits_err = perf_waits_disable(engine);

	engine->enabled = false;
	idle_time_read(&engine->idle);
	idle_time_stop(&engine->idle);
	return err ? err : waits_err;
}

static void perf_use_broker(struct engine *engine, struct broker *broker)
{
	engine->broker = broker;
}

static double perf_event_rate(struct engine *engine, size_t event, double seconds)
{
	double busiest = 0;

	for (size_t c = 0; c < engine->sampling->cpus.nr; c++) {
		size_t s = perf_slot(engine, event, c);
		struct perf_counter *counter = &engine->attachments[0].counters[s];
		double rate;

		if (perf_counter_read(counter))
			continue;
		rate = (double)(counter->value - engine->rate_values[s]) / seconds;
		engine->rate_values[s] = counter->value;
		if (rate > busiest)
			busiest = rate;
	}
	return busiest;
}

static uint64_t perf_period(const struct engine *engine, size_t event)
{
	return engine->periods[event];
}

static int perf_samples_fd(const struct engine *engine)
{
	return ringbuf_epoll_fd(engine->kept);
}

static int perf_read_samples(struct engine *engine, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx)
{
	return ringbuf_read(engine->kept, fn, ctx);
}

static bool perf_samples_switches(const char *name)
{
	(void)name;
	return true;
}

const struct engine_ops engine_perf = {
	.name = "perf",
	.samples_switches = perf_samples_switches,
	.usable = perf_usable,
	.open = perf_open,
	.close = perf_close,
	.load = perf_load,
	.attach = perf_attach,
	.replace = perf_replace,
	.target = perf_target,
	.forked = perf_forked,
	.exited = perf_exited,
	.untarget = perf_untarget,
	.add_cgroup = perf_change_cgroup,
	.remove_cgroup = perf_change_cgroup,
	.use_broker = perf_use_broker,
	.enable = perf_enable,
	.disable = perf_disable,
	.count_waits = perf_waits_count,
	.ledger = perf_ledger,
	.observe = perf_observe,
	.settle = perf_settle,
	.cpu_online = perf_cpu_online,
	.event_rate = perf_event_rate,
	.set_period = perf_set_period,
	.period = perf_period,
	.samples_fd = perf_samples_fd,
	.read_samples = perf_read_samples,
};
