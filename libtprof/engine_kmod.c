// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Engine kmod: the module takes the samples, tests the scope, runs the filters and keeps the account. What is left to
 * do here is to tell it what is wanted, and to hold its counters against its samples.
 */
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "kmod_device.h"
#include "kmod_scope.h"
#include "kmod_session.h"
#include "ledger.h"
#include "probe.h"
#include "rate.h"
#include "stream.h"
#include "weight_account.h"

/* A filter object; each of its filters has a link that attaches it. */
struct attachment {
	struct tprof_filter *filter;
	const struct tprof_cpu_ledger *countings;	/* all that the module's half writes there; by CPU number */
	struct bpf_link **links;
};

/* One CPU's counter. */
struct counter {
	struct weight_account account;
	uint64_t value;			/* as last read: units of the event */
	uint64_t adapted_value;		/* when the period was last looked at */
	uint64_t earlier_value;		/* when it was last changed */
};

struct engine {
	const struct sampling *sampling;
	const struct log *log;
	int fd;				/* of the module's session */
	struct attachment *attachments;
	size_t nr_attachments;
	struct counter *counters;	/* by CPU number */
	size_t nr_cpus;			/* that can exist */
	struct stream *stream;
	uint64_t period;
	uint64_t adapted_ns;		/* when the period was last looked at */
	double earlier_periods;		/* how many had passed when it was last changed */
};

/* Without @why, nothing is looked into that takes time. */
static int kmod_usable(struct tprof_error *why)
{
	struct tprof_module_info info;
	struct finding finding = { 0 };
	int fd = kmod_open(), err;

	if (fd == -ENOENT) {
		error_set(why, ENODEV, "engine kmod: the module tprof is not loaded");
		error_hint(why, "sudo modprobe tprof, or sudo make install-kmod; --engine perf works without it");
		return -ENODEV;
	}
	err = fd < 0 ? fd : kmod_check(fd, &info);
	if (!err && access(KMOD_BTF_PATH, F_OK))
		err = -EOPNOTSUPP;
	if (fd >= 0)
		close(fd);
	if (!err || !why)
		return err == -EACCES ? -EPERM : err == -EPROTO ? -EOPNOTSUPP : err;
	probe_module(&finding);
	error_set(why, finding.err, "engine kmod: %s", finding.text);
	finding_advise(&finding, why);
	return err == -EPERM || err == -EACCES ? -EPERM : -EOPNOTSUPP;
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
	free(engine->counters);
	free(engine);
}

static struct engine *kmod_open_engine(const struct sampling *sampling, const struct log *log,
				       struct tprof_error *error)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	int nr_cpus = libbpf_num_possible_cpus(), err = -ENOMEM;

	if (!engine || nr_cpus < 0)
		goto no_memory;
	engine->fd = -1;
	engine->sampling = sampling;
	engine->log = log;
	engine->nr_cpus = (size_t)nr_cpus;
	engine->period = rate_first_period(&sampling->event, sampling->rate_hz, sampling->period);
	engine->counters = calloc(engine->nr_cpus, sizeof(*engine->counters));
	engine->fd = kmod_session_open(sampling, engine->period, error);
	err = engine->fd;
	if (err < 0)
		goto fail;
	engine->stream = stream_new(engine->fd);
	if (engine->stream && engine->counters)
		return engine;
no_memory:
	err = error_set(error, ENOMEM, "engine kmod: no memory");
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
	grown = realloc(engine->attachments, (engine->nr_attachments + 1) * sizeof(*grown));
	if (!grown)
		return error_set(error, ENOMEM, "engine kmod: no memory");
	engine->attachments = grown;
	attachment = &grown[engine->nr_attachments];
	*attachment = (struct attachment){ .filter = filter, .countings = filter_ledger(filter) };
	attachment->links = calloc(filter->nr_entries, sizeof(*attachment->links));
	if (!attachment->links)
		return error_set(error, ENOMEM, "engine kmod: no memory");
	engine->nr_attachments++;
	if (!attachment->countings)
		return error_set(error, errno, "filter %s: its ledger cannot be mapped: %s",
				 tprof_filter__name(filter), strerror(errno));
	for (size_t e = 0; e < filter->nr_entries && !err; e++)
		err = filter_attach_kmod(filter, e, &attachment->links[e], error);
	return err;
}

static int kmod_target(struct engine *engine, enum tprof_scope_kind kind, pid_t id)
{
	return kmod_scope_add(engine->fd, kind, id);
}

static int kmod_enable(struct engine *engine)
{
	engine->adapted_ns = clock_now_ns();
	return kmod_call(engine->fd, TPROF_IOC_START, NULL);
}

static int kmod_disable(struct engine *engine)
{
	int err = kmod_call(engine->fd, TPROF_IOC_STOP, NULL);

	stream_stopped(engine->stream);
	return err;
}

static int read_counter(const struct engine *engine, size_t cpu)
{
	struct tprof_counts counts = { .size = sizeof(counts), .cpu = (int32_t)cpu };
	int err = kmod_call(engine->fd, TPROF_IOC_COUNTS, &counts);

	engine->counters[cpu].value = counts.value;
	return err;
}

static void add_read(struct tprof_ledger *ledger, const struct tprof_ledger_read *read)
{
	tally_add(&ledger->fired, &read->fired, 1);
	tally_add(&ledger->idle, &read->idle, 1);
	tally_add(ledger->outcomes, read->outcomes, TPROF_NR_OUTCOMES);
	tally_add(ledger->lost, read->lost, TPROF_NR_LOST_REASONS);
}

static bool is_timer(const struct engine *engine)
{
	return event_is_clock(&engine->sampling->event);
}

/* The timer accounts for all of its time itself, so sums will do. Its period never changes. */
static int add_timer(struct engine *engine, struct tprof_ledger *ledger)
{
	struct tprof_ledger_read read = { .size = sizeof(read), .cpu = -1 };
	struct tprof_counts counts = { .size = sizeof(counts), .cpu = -1 };
	int err = kmod_call(engine->fd, TPROF_IOC_COUNTS, &counts);

	if (!err)
		err = kmod_call(engine->fd, TPROF_IOC_LEDGER, &read);
	if (err)
		return err;
	add_read(ledger, &read);
	ledger->counter = (double)counts.value / (double)engine->period;
	return 0;
}

/* Other counters count what may never become a sample. Counter first: what fires in between is not missing. */
static int add_cpu(struct engine *engine, struct tprof_ledger *ledger, size_t cpu)
{
	struct tprof_ledger_read read = { .size = sizeof(read), .cpu = (int32_t)cpu };
	struct counter *counter = &engine->counters[cpu];
	int err = read_counter(engine, cpu);

	if (!err)
		err = kmod_call(engine->fd, TPROF_IOC_LEDGER, &read);
	if (err)
		return err;
	add_read(ledger, &read);
	ledger->counter += (double)(counter->value - counter->earlier_value) / (double)engine->period;
	weight_account_update(&counter->account, counter->value, read.fired.weight, engine->period);
	ledger_add_missing(ledger, TPROF_LOST_ENGINE_MISSED, &counter->account.missed);
	return 0;
}

static int kmod_ledger(struct engine *engine, struct tprof_ledger *ledger)
{
	int err = 0;

	if (is_timer(engine)) {
		err = add_timer(engine, ledger);
	} else {
		ledger->counter = engine->earlier_periods;
		for (size_t cpu = 0; cpu < engine->nr_cpus && !err; cpu++)
			err = add_cpu(engine, ledger, cpu);
	}
	for (size_t i = 0; i < engine->nr_attachments && !err; i++) {
		for (size_t cpu = 0; cpu < engine->nr_cpus; cpu++)
			ledger_add_cpu(ledger, &engine->attachments[i].countings[cpu]);
	}
	return err;
}

/* Events per second on the busiest CPU since the last look. */
static double busiest_rate(struct engine *engine, double seconds)
{
	double busiest = 0;

	for (size_t cpu = 0; cpu < engine->nr_cpus; cpu++) {
		struct counter *counter = &engine->counters[cpu];
		double rate;

		if (read_counter(engine, cpu))
			continue;
		rate = (double)(counter->value - counter->adapted_value) / seconds;
		counter->adapted_value = counter->value;
		if (rate > busiest)
			busiest = rate;
	}
	return busiest;
}

static int set_period(struct engine *engine, uint64_t period)
{
	struct tprof_period change = { .size = sizeof(change), .period = period };
	int err = kmod_call(engine->fd, TPROF_IOC_PERIOD, &change);

	if (err)
		return err;
	for (size_t cpu = 0; cpu < engine->nr_cpus; cpu++) {
		struct counter *counter = &engine->counters[cpu];

		engine->earlier_periods += (double)(counter->value - counter->earlier_value) / (double)engine->period;
		counter->earlier_value = counter->value;
		weight_account_cut(&counter->account, engine->period);
	}
	engine->period = period;
	return 0;
}

static int kmod_adapt(struct engine *engine)
{
	const struct sampling *sampling = engine->sampling;
	uint64_t now = clock_now_ns(), period;
	double seconds = (double)(now - engine->adapted_ns) / 1e9;

	if (!sampling->rate_hz || is_timer(engine) || seconds < 1)
		return 0;
	engine->adapted_ns = now;
	period = rate_next_period(engine->period, sampling->rate_hz, busiest_rate(engine, seconds));
	return period == engine->period ? 0 : set_period(engine, period);
}

static uint64_t kmod_period(const struct engine *engine)
{
	return engine->period;
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
	.usable = kmod_usable,
	.open = kmod_open_engine,
	.close = kmod_close,
	.attach = kmod_attach,
	.target = kmod_target,
	.enable = kmod_enable,
	.disable = kmod_disable,
	.ledger = kmod_ledger,
	.adapt = kmod_adapt,
	.period = kmod_period,
	.samples_fd = kmod_samples_fd,
	.read_samples = kmod_read_samples,
};
