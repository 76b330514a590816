// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Engine kmod: the module takes the samples, tests the scope, runs the filters and keeps the ledger. This file
 * configures it and compares its counters with its samples.
 */
#include "engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "event/rate.h"
#include "host/kmod_device.h"
#include "host/probe.h"
#include "kmod_ledger.h"
#include "kmod_scope.h"
#include "kmod_session.h"
#include "profile/ledger.h"
#include "stream.h"

/* A filter object, with a link for each of its filters. */
struct attachment {
	struct tprof_filter *filter;
	const struct tprof_cpu_ledger *countings;	/* all that the module's half counts here; by CPU number */
	struct bpf_link **links;
};

struct engine {
	const struct sampling *sampling;
	const struct log *log;
	int fd;				/* the module's session */
	struct attachment *attachments;
	size_t nr_attachments, attachments_capacity;
	size_t nr_cpus;			/* possible CPUs */
	struct kmod_ledger *module;
	struct stream *stream;
	struct tprof_ledger observed;	/* ledger of the module and its counters at observe(), without countings */
	uint64_t period;
	uint64_t adapted_ns;		/* when the period was last checked */
};

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

static void kmod_close(struct engine *engine)
{
	if (!engine)
		return;
	for (size_t i = 0; i < engine->nr_attachments; i++) {
		struct attachment *attachment = &engine->attachments[i];

		for (size_t e = 0; e < attachment->filter->nr_entries; e++)
			bpf_link__destroy(attachment->links[e]);
		free(attachment->links);
	}
	stream_free(engine->stream);
	if (engine->fd >= 0)
		close(engine->fd);
	free(engine->attachments);
	kmod_ledger_free(engine->module);
	free(engine);
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
	engine->period = rate_first_period(&sampling->event, sampling->rate_hz, sampling->period);
	engine->fd = kmod_session_open(sampling, engine->period, error);
	err = engine->fd;
	if (err < 0)
		goto fail;
	engine->module = kmod_ledger_new(engine->fd, &sampling->event, engine->period);
	engine->stream = stream_new(engine->fd);
	if (engine->module && engine->stream)
		return engine;
no_memory:
	err = error_set(error, ENOMEM, "engine kmod: not enough memory");
fail:
	kmod_close(engine);
	errno = -err;
	return NULL;
}

static int kmod_attach(struct engine *engine, struct tprof_filter *filter, struct tprof_error *error)
{
	struct attachment *grown, *attachment;
	int err = filter_load_kmod(filter, engine->fd, engine->log, error);

	if (err)
		return err;
	grown = array_grow(engine->attachments, engine->nr_attachments, &engine->attachments_capacity, sizeof(*grown));
	if (!grown)
		return error_set(error, ENOMEM, "engine kmod: not enough memory");
	engine->attachments = grown;
	attachment = &grown[engine->nr_attachments];
	*attachment = (struct attachment){ .filter = filter, .countings = filter_ledger(filter) };
	attachment->links = calloc(filter->nr_entries, sizeof(*attachment->links));
	if (!attachment->links)
		return error_set(error, ENOMEM, "engine kmod: not enough memory");
	engine->nr_attachments++;
	if (!attachment->countings)
		return error_set(error, errno, "filter %s: its ledger cannot be mapped: %s",
				 tprof_filter__name(filter), strerror(errno));
	for (size_t e = 0; e < filter->nr_entries && !err; e++)
		err = filter_attach_kmod(filter, e, &attachment->links[e], error);
	return err;
}

static int kmod_target(struct engine *engine, const struct target *targets, size_t nr, pid_t *failed)
{
	return kmod_scope_add(engine->fd, targets, nr, failed);
}

static int kmod_enable(struct engine *engine)
{
	int err = kmod_ledger_start(engine->module);

	engine->adapted_ns = clock_own_ns();
	return err ? err : kmod_call(engine->fd, TPROF_IOC_START, NULL);
}

static int kmod_disable(struct engine *engine)
{
	int err = kmod_call(engine->fd, TPROF_IOC_STOP, NULL);

	stream_stopped(engine->stream);
	return err;
}

static int kmod_ledger(struct engine *engine, struct tprof_ledger *ledger)
{
	int err = kmod_ledger_read(engine->module, ledger);

	for (size_t i = 0; i < engine->nr_attachments && !err; i++) {
		for (size_t cpu = 0; cpu < engine->nr_cpus; cpu++) {
			struct tprof_program_ledger counted;

			ledger_copy_cpu(&engine->attachments[i].countings[cpu], &counted);
			ledger_add_programs(ledger, &counted);
		}
	}
	return err;
}

/* The module has no generations: its ledger is that of the moment before the swap. */
static int kmod_observe(struct engine *engine)
{
	engine->observed = (struct tprof_ledger){ .sz = sizeof(engine->observed) };
	return kmod_ledger_read(engine->module, &engine->observed);
}

static void kmod_settle(struct engine *engine, struct tprof_ledger *ledger)
{
	ledger_add(ledger, &engine->observed);
	for (size_t i = 0; i < engine->nr_attachments; i++) {
		for (size_t cpu = 0; cpu < engine->nr_cpus; cpu++) {
			const struct tprof_filter *filter = engine->attachments[i].filter;
			const struct tprof_program_ledger counted = filter_settled(filter, (unsigned int)cpu);

			ledger_add_programs(ledger, &counted);
		}
	}
}

static int set_period(struct engine *engine, uint64_t period)
{
	struct tprof_period change = { .size = sizeof(change), .period = period };
	int err = kmod_call(engine->fd, TPROF_IOC_PERIOD, &change);

	if (err)
		return err;
	kmod_ledger_set_period(engine->module, period);
	engine->period = period;
	return 0;
}

static int kmod_adapt(struct engine *engine)
{
	const struct sampling *sampling = engine->sampling;
	uint64_t now = clock_own_ns(), period;
	double seconds = (double)(now - engine->adapted_ns) / 1e9;

	if (!sampling->rate_hz || event_is_clock(&sampling->event) || seconds < 1)
		return 0;
	engine->adapted_ns = now;
	period = rate_next_period(engine->period, sampling->rate_hz, kmod_ledger_rate(engine->module, seconds));
	return period == engine->period ? 0 : set_period(engine, period);
}

static uint64_t kmod_period(const struct engine *engine)
{
	return engine->period;
}

static uint32_t kmod_period_factor(const struct engine *engine)
{
	return kmod_ledger_period_factor(engine->module);
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
	.any_namespace = true,
	.own_event = kmod_own_event,
	.usable = kmod_usable,
	.open = kmod_open_engine,
	.close = kmod_close,
	.attach = kmod_attach,
	.target = kmod_target,
	.enable = kmod_enable,
	.disable = kmod_disable,
	.ledger = kmod_ledger,
	.observe = kmod_observe,
	.settle = kmod_settle,
	.adapt = kmod_adapt,
	.period = kmod_period,
	.period_factor = kmod_period_factor,
	.samples_fd = kmod_samples_fd,
	.read_samples = kmod_read_samples,
};
