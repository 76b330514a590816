// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Engine kmod: the module takes the samples, tests the scope, runs the filters and keeps the ledger. This file
 * configures it and compares its counters with its samples.
 */
#include "kmod_engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "host/kmod_device.h"
#include "host/probe.h"
#include "kmod_session.h"
#include "profile/ledger.h"
#include "stream.h"

/* If @why is NULL, skips checks that take time. */
static int kmod_usable(struct tprof_error *why)
{
	struct tprof_module_info info;
	struct finding finding = { 0 };
	int fd = kmod_open(), err;

	err = fd == -ENOENT ? -ENODEV : fd < 0 ? fd : kmod_check(fd, &info);
	if (!err && access(KMOD_BTF_PATH, F_OK))
		err = -EOPNOTSUPP;
	if (fd >= 0)
		close(fd);
	if (!err || !why)
		return err == -EACCES ? -EPERM : err == -EPROTO ? -EOPNOTSUPP : err;
	probe_module(&finding);
	error_set(why, finding.err, "engine kmod: %s", finding.text);
	finding_advise(&finding, why);
	if (err == -ENODEV)
		return err;
	return err == -EPERM || err == -EACCES ? -EPERM : -EOPNOTSUPP;
}

/* An older module has no source for some of them. */
static bool kmod_samples_switches(const char *name)
{
	uint64_t feature = strcmp(name, EVENT_WAIT_NAME) == 0 ? TPROF_FEATURE_WAIT :
			   strcmp(name, EVENT_RUN_NAME) == 0 ? TPROF_FEATURE_RUN : TPROF_FEATURE_WAKEUP;
	struct tprof_module_info info;
	int device = kmod_open();
	bool has = device >= 0 && !kmod_check(device, &info) && (info.features & feature);

	if (device >= 0)
		close(device);
	return has;
}

/* A source that another module has registered. Sources with a choice of events cannot be used by name alone. */
static bool kmod_own_event(struct event *event, const char *name)
{
	struct tprof_source_info source = { .size = sizeof(source) };
	int device = kmod_open();
	bool found = false;

	while (device >= 0 && !found && kmod_call(device, TPROF_IOC_SOURCE, &source) == 0) {
		found = strncmp(source.name, name, sizeof(source.name)) == 0 && strcmp(name, "timer") != 0 &&
			!(source.flags & TPROF_SOURCE_HAS_ATTR);
		source.index++;
	}
	if (device >= 0)
		close(device);
	if (!found)
		return false;
	*event = (struct event){ .unit = "units", .type = EVENT_TYPE_SOURCE };
	_Static_assert(sizeof(event->source) == sizeof(source.name), "names of sources");
	memcpy(event->source, source.name, sizeof(event->source));
	snprintf(event->name, sizeof(event->name), "%s", name);
	return true;
}

void kmod_close(struct engine *engine)
{
	if (!engine)
		return;
	for (size_t i = 0; i < engine->nr_attachments; i++) {
		struct attachment *attachment = &engine->attachments[i];

		for (size_t e = 0; attachment->links && e < attachment->filter->nr_entries; e++)
			bpf_link__destroy(attachment->links[e]);
		free(attachment->links);
		served_fini(&attachment->served);
	}
	stream_free(engine->stream);
	for (size_t i = 0; i < engine->nr_taken_links; i++)
		close(engine->taken_links[i]);
	free(engine->taken_links);
	if (engine->fd >= 0)
		close(engine->fd);
	free(engine->attachments);
	for (size_t e = 0; e < engine->sampling->nr_events; e++)
		kmod_ledger_free(engine->modules[e]);
	kmod_scope_fini(&engine->scope);
	free(engine);
}

int kmod_make_ledgers(struct engine *engine)
{
	for (size_t e = 0; e < engine->sampling->nr_events; e++) {
		const struct kmod_ledger_of of = {
			.session_fd = engine->fd, .event = &engine->sampling->events[e].event, .index = (uint32_t)e,
			.alone = engine->sampling->nr_events == 1,
		};

		engine->modules[e] = kmod_ledger_new(&of, engine->periods[e]);
		if (!engine->modules[e])
			return -ENOMEM;
	}
	return 0;
}

static struct engine *kmod_open_engine(const struct sampling *sampling, const struct log *log,
				       struct tprof_error *error)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	int nr_cpus = libbpf_num_possible_cpus(), err = -ENOMEM;

	if (!engine)
		goto no_memory;
	engine->fd = -1;
	engine->sampling = sampling;
	engine->log = log;
	engine->nr_cpus = (size_t)nr_cpus;
	sampling_first_periods(sampling, engine->periods);
	engine->fd = kmod_session_open(sampling, engine->periods, error);
	err = engine->fd;
	if (err < 0)
		goto fail;
	engine->scope.session_fd = err;
	engine->stream = stream_new(engine->fd);
	if (engine->stream && !kmod_make_ledgers(engine))
		return engine;
no_memory:
	err = error_set(error, ENOMEM, "engine kmod: not enough memory");
fail:
	kmod_close(engine);
	errno = -err;
	return NULL;
}

static int kmod_load(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error)
{
	return filter_load_kmod(filter, engine->fd, &engine->sampling->object, engine->log, error);
}

/* Makes the counts of the filter part of the ledger. */
static int serve(struct attachment *attachment, struct tprof_filter *filter, struct tprof_error *error)
{
	int err = served_prepare(&attachment->served, filter);

	if (err)
		return error_set(error, -err, "filter %s: its ledger cannot be mapped: %s", tprof_filter__name(filter),
				 strerror(-err));
	served_add(&attachment->served, filter);
	return 0;
}

int kmod_add_filter(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error)
{
	struct attachment *grown, *attachment;

	grown = array_grow(engine->attachments, engine->nr_attachments, &engine->attachments_capacity, sizeof(*grown));
	if (!grown)
		return error_set(error, ENOMEM, "engine kmod: not enough memory");
	engine->attachments = grown;
	attachment = &grown[engine->nr_attachments];
	*attachment = (struct attachment){ .filter = filter };
	engine->nr_attachments++;
	return serve(attachment, filter, error);
}

static int kmod_attach(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error)
{
	int err = kmod_add_filter(engine, filter, error);
	struct bpf_link **links;

	if (err)
		return err;
	links = calloc(filter->nr_entries, sizeof(*links));
	if (!links)
		return error_set(error, ENOMEM, "engine kmod: not enough memory");
	engine->attachments[engine->nr_attachments - 1].links = links;
	for (size_t e = 0; e < filter->nr_entries && !err; e++)
		err = filter_attach_kmod(filter, e, &links[e], error);
	return err;
}

/* The module replaces a program between two samples. */
static int kmod_replace(struct engine *engine, size_t place, struct tprof_filter *with, struct tprof_error *error)
{
	struct attachment *attachment = &engine->attachments[place];
	struct tprof_error ignored;
	int err = serve(attachment, with, error);
	size_t e = 0;

	while (!err && e < with->nr_entries)
		err = filter_replace_kmod(with, e++, attachment->links, error);
	if (!err)
		attachment->filter = with;
	while (err && e)
		filter_replace_kmod(attachment->filter, --e, attachment->links, &ignored);
	return err;
}

static int kmod_target(struct engine *engine, const struct target *targets, size_t nr, pid_t *failed)
{
	return kmod_scope_add(&engine->scope, targets, nr, failed);
}

static int kmod_untarget(struct engine *engine, const struct target *target, const struct target *others, size_t nr)
{
	return kmod_scope_remove(&engine->scope, target, others, nr);
}

static void kmod_forked(struct engine *engine, pid_t parent, pid_t child)
{
	kmod_scope_forked(&engine->scope, parent, child);
}

static void kmod_exited(struct engine *engine, pid_t tgid)
{
	kmod_scope_exited(&engine->scope, tgid);
}

static int kmod_add_cgroup(struct engine *engine, const struct tprof_scope_cgroup *cgroup)
{
	return kmod_session_cgroup(engine->fd, TPROF_IOC_ATTACH, cgroup);
}

static int kmod_remove_cgroup(struct engine *engine, const struct tprof_scope_cgroup *cgroup)
{
	return kmod_session_cgroup(engine->fd, TPROF_IOC_DETACH, cgroup);
}

static int kmod_enable(struct engine *engine)
{
	int err = 0;

	for (size_t e = 0; e < engine->sampling->nr_events && !err; e++)
		err = kmod_ledger_start(engine->modules[e]);
	if (!err)
		err = stream_started(engine->stream);
	if (!err)
		err = kmod_call(engine->fd, TPROF_IOC_START, NULL);
	if (err)
		stream_stopped(engine->stream);
	return err;
}

static int kmod_disable(struct engine *engine)
{
	int err = kmod_call(engine->fd, TPROF_IOC_STOP, NULL);

	for (size_t e = 0; e < engine->sampling->nr_events; e++)
		kmod_ledger_stop(engine->modules[e]);
	stream_stopped(engine->stream);
	return err;
}

static int ledger_of(struct engine *engine, size_t event, struct tprof_ledger *ledger)
{
	int err = kmod_ledger_read(engine->modules[event], ledger);

	for (size_t i = 0; i < engine->nr_attachments && !err; i++) {
		for (size_t cpu = 0; cpu < engine->nr_cpus; cpu++) {
			const struct served *served = &engine->attachments[i].served;
			const struct tprof_program_ledger counted = served_counted(served, event, (unsigned int)cpu);

			ledger_add_programs(ledger, &counted);
		}
	}
	return err;
}

static int kmod_ledger(struct engine *engine, struct tprof_ledger *events)
{
	int err = 0;

	for (size_t e = 0; e < engine->sampling->nr_events && !err; e++)
		err = ledger_of(engine, e, &events[e]);
	return err;
}

/* The module has no generations: its ledger is that of the moment before the swap. */
static int kmod_observe(struct engine *engine)
{
	int err = 0;

	for (size_t e = 0; e < engine->sampling->nr_events && !err; e++) {
		engine->observed[e] = (struct tprof_ledger){ .sz = sizeof(engine->observed[e]) };
		err = kmod_ledger_read(engine->modules[e], &engine->observed[e]);
	}
	return err;
}

static void settle_event(struct engine *engine, size_t event, struct tprof_ledger *ledger)
{
	ledger_add(ledger, &engine->observed[event]);
	for (size_t i = 0; i < engine->nr_attachments; i++) {
		for (size_t cpu = 0; cpu < engine->nr_cpus; cpu++) {
			const struct served *served = &engine->attachments[i].served;
			const struct tprof_program_ledger counted = served_settled(served, event, (unsigned int)cpu);

			ledger_add_programs(ledger, &counted);
		}
	}
}

static void kmod_settle(struct engine *engine, struct tprof_ledger *events)
{
	for (size_t e = 0; e < engine->sampling->nr_events; e++)
		settle_event(engine, e, &events[e]);
}

static int kmod_flush(struct engine *engine)
{
	return kmod_session_flush(engine->fd);
}

/* The module gives out the waits and runs in progress when it is flushed. */
static int kmod_count_waits(struct engine *engine)
{
	const struct tprof_object *object = &engine->sampling->object;

	return object->wait_event || object->run_event ? kmod_flush(engine) : 0;
}

static int kmod_set_period(struct engine *engine, size_t event, uint64_t period)
{
	struct tprof_period change = { .size = sizeof(change), .event = (uint32_t)event, .period = period };
	int err = period == engine->periods[event] ? 0 : kmod_call(engine->fd, TPROF_IOC_PERIOD, &change);

	if (err || period == engine->periods[event])
		return err;
	kmod_ledger_set_period(engine->modules[event], period);
	engine->periods[event] = period;
	return 0;
}

static double kmod_event_rate(struct engine *engine, size_t event, double seconds)
{
	return kmod_ledger_rate(engine->modules[event], seconds);
}

static uint64_t kmod_period(const struct engine *engine, size_t event)
{
	return engine->periods[event];
}

static uint32_t kmod_period_factor(const struct engine *engine)
{
	uint32_t most = 1;

	for (size_t e = 0; e < engine->sampling->nr_events; e++) {
		uint32_t factor = kmod_ledger_period_factor(engine->modules[e]);

		most = factor > most ? factor : most;
	}
	return most;
}

/* A rate that is kept by changing the period needs TPROF_IOC_PERIOD. */
static int kmod_seal(struct engine *engine)
{
	const struct sampling *sampling = engine->sampling;
	struct tprof_seal seal = { .size = sizeof(seal), .seals = TPROF_SEALS };

	for (size_t e = 0; e < sampling->nr_events; e++) {
		if (sampled_is_adapted(&sampling->events[e]))
			seal.seals &= ~TPROF_SEAL_EVENTS;
	}
	return kmod_call(engine->fd, TPROF_IOC_SEAL, &seal);
}

static int kmod_enable_filters(struct engine *engine)
{
	struct tprof_filter_info filter = { .size = sizeof(filter) };
	int err, nr = 0;

	for (; (err = kmod_call(engine->fd, TPROF_IOC_FILTER, &filter)) == 0; filter.index++) {
		struct tprof_filter_enable enable = { .size = sizeof(enable), .id = filter.id };

		if (filter.state != TPROF_FILTER_OVER_BUDGET)
			continue;
		err = kmod_call(engine->fd, TPROF_IOC_FILTER_ENABLE, &enable);
		if (err)
			return err;
		nr++;
	}
	return err == -ENOENT ? nr : err;
}

static int kmod_filter_state(struct engine *engine, uint32_t index, struct tprof_filter_state *state)
{
	struct tprof_filter_info info = { .size = sizeof(info), .index = index };
	int err = kmod_call(engine->fd, TPROF_IOC_FILTER, &info);

	if (err)
		return err;
	memcpy(engine->filter_name, info.name, sizeof(engine->filter_name));
	engine->filter_name[sizeof(engine->filter_name) - 1] = '\0';
	*state = (struct tprof_filter_state){
		.sz = sizeof(*state), .name = engine->filter_name,
		.over_budget = info.state == TPROF_FILTER_OVER_BUDGET,
		.calls = info.calls, .run_ns = info.run_ns, .longest_ns = info.longest_ns,
		.kept = info.kept, .bad_verdicts = info.bad,
	};
	return 0;
}

static int kmod_samples_fd(const struct engine *engine)
{
	return stream_epoll_fd(engine->stream);
}

static int kmod_read_samples(struct engine *engine, int (*fn)(void *ctx, const struct tprof_sample *sample), void *ctx)
{
	return stream_read(engine->stream, fn, ctx);
}

const struct engine_ops engine_kmod = {
	.name = "kmod",
	.samples_tracepoints = true,
	.samples_switches = kmod_samples_switches,
	.waits_outlive_filters = true,
	.stalls = true,
	.any_namespace = true,
	.own_event = kmod_own_event,
	.usable = kmod_usable,
	.open = kmod_open_engine,
	.close = kmod_close,
	.load = kmod_load,
	.attach = kmod_attach,
	.replace = kmod_replace,
	.target = kmod_target,
	.forked = kmod_forked,
	.exited = kmod_exited,
	.untarget = kmod_untarget,
	.add_cgroup = kmod_add_cgroup,
	.remove_cgroup = kmod_remove_cgroup,
	.enable = kmod_enable,
	.disable = kmod_disable,
	.count_waits = kmod_count_waits,
	.ledger = kmod_ledger,
	.observe = kmod_observe,
	.settle = kmod_settle,
	.flush = kmod_flush,
	.event_rate = kmod_event_rate,
	.set_period = kmod_set_period,
	.period = kmod_period,
	.period_factor = kmod_period_factor,
	.seal = kmod_seal,
	.enable_filters = kmod_enable_filters,
	.filter_state = kmod_filter_state,
	.descriptors = kmod_descriptors,
	.noted_bytes = kmod_noted_bytes,
	.note = kmod_note,
	.take = kmod_take,
	.adopt = kmod_adopt,
	.samples_fd = kmod_samples_fd,
	.read_samples = kmod_read_samples,
};
