// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source "wakeup": a sample of each thread or interrupt that ends the time in which another thread is blocked, which
 * weighs as many nanoseconds as that was blocked.
 *
 * A wake-up has all of that time, also what came before a session that starts meanwhile. So sessions do not share this
 * source: each has a table of its own, in which threads that wait begin to do so when the session starts.
 */
#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/seq_file.h>

#include "deliver.h"
#include "wait_follow.h"
#include "wake_source.h"

static atomic64_t nr_events;

/* Threads that waited when the session started are followed even if they are out of scope. */
static void woken(struct tprof_waits *waits, struct tprof_waited *waited)
{
	/* A filter, or the delivery of a sample, wakes a thread: its sample would cause the next one. */
	if (__this_cpu_read(tprof_delivery.running)) {
		tprof_sample_missed(waits->source, TPROF_MISSED_REENTRY, 0);
		return;
	}
	if (tprof_wait_in_scope(waits->source, waited->task) && tprof_waits_measure(waits, waited))
		tprof_wake_fire(waits->source, waited);
}

/* The wake-up of a thread that is not followed will not be seen. Those of threads out of scope do not count. */
static void missed(struct tprof_waits *waits, enum tprof_missed_reason reason, bool blocked)
{
	if (blocked && reason == TPROF_MISSED_THREADS)
		tprof_sample_missed(waits->source, reason, 0);
}

static const struct tprof_waits_ops waits_ops = {
	.woken = woken,
	.missed = missed,
};

static int wakeup_prepare(struct tprof_source *source)
{
	return tprof_waits_prepare(source, &waits_ops);
}

static int wakeup_parse(const void *attr, size_t size, void *event)
{
	const struct tprof_wakeup_attr *from = attr;
	struct tprof_wait_event *to = event;

	if (size > sizeof(*from))
		return -E2BIG;
	if (size && size < sizeof(*from))
		return -EINVAL;
	if (size) {
		to->wake_start = from->wake_start;
		to->min_ns = from->min_ns;
	}
	to->unique = atomic64_inc_return(&nr_events);
	return 0;
}

static void wakeup_describe(const void *event, struct seq_file *m)
{
	const struct tprof_wait_event *wait = event;

	seq_printf(m, "min_ns=%llu", wait->min_ns);
}

const struct tprof_source_ops tprof_source_wakeup = {
	.version = TPROF_SOURCE_VERSION,
	.name = "wakeup",
	.owner = THIS_MODULE,
	.event_size = sizeof(struct tprof_wait_event),
	.cpu_size = sizeof(struct tprof_wait_cpu),
	.min_period = 1,
	.parse = wakeup_parse,
	.prepare = wakeup_prepare,
	.unprepare = tprof_waits_unprepare,
	.start = tprof_waits_set_period,
	.stop = tprof_waits_stop,
	.offline = tprof_waits_offline,
	.set_period = tprof_waits_set_period,
	.settle = tprof_waits_settle,
	.describe = wakeup_describe,
};
