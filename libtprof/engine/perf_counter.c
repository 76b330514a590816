// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* One perf event on one CPU with a filter's program attached. */
#include "perf_counter.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "host/probe.h"
#include "rights/broker.h"

static int open_event(const struct event *event, uint64_t period, int cpu, const struct perf_attached *with)
{
	const struct broker_request request = {
		.question = BROKER_COUNTER, .pid = cpu, .start = with->cookie, .end = period,
	};
	struct perf_event_attr attr;

	if (with->broker)
		return broker_ask(with->broker, &request);
	event_attr_init(&attr, event, period);
	return event_open_cpu(&attr, cpu);
}

int perf_counter_open(struct perf_counter *counter, const struct event *event, uint64_t period, int cpu,
		      const struct perf_attached *with)
{
	*counter = (struct perf_counter){ .fd = -1, .link_fd = -1, .period = period };
	counter->fd = open_event(event, period, cpu, with);
	return counter->fd < 0 ? counter->fd : perf_counter_attach(counter, with);
}

int perf_counter_attach(struct perf_counter *counter, const struct perf_attached *with)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = with->cookie);

	if (counter->link_fd >= 0)
		close(counter->link_fd);
	/* Not bpf_program__attach_perf_event(): that would enable the event at once. */
	counter->link_fd = bpf_link_create(with->program_fd, counter->fd, BPF_PERF_EVENT, &opts);
	return counter->link_fd < 0 ? counter->link_fd : 0;
}

int perf_counter_explain(const struct event *event, unsigned int cpu, int err, struct tprof_error *error)
{
	if ((err == EPERM || err == EACCES) && probe_explain(error))
		return -EPERM;
	if (err == EOPNOTSUPP || err == ENOENT || err == ENODEV) {
		error_set(error, EOPNOTSUPP, "event %s: CPU %u cannot sample it", event->name, cpu);
		error_hint(error, "choose CPUs of its PMU with -C: grep . /sys/bus/event_source/devices/*/cpu*");
		return -EOPNOTSUPP;
	}
	if (err == EMFILE) {
		error_set(error, err, "event %s: too many open files", event->name);
		error_hint_files(error, err);
		return -err;
	}
	return error_set(error, err, "event %s: cannot be opened on CPU %u: %s", event->name, cpu, strerror(err));
}

void perf_counter_close(struct perf_counter *counter)
{
	if (counter->link_fd >= 0)
		close(counter->link_fd);
	if (counter->fd >= 0)
		close(counter->fd);
	counter->fd = counter->link_fd = -1;
}

int perf_counter_enable(const struct perf_counter *counter)
{
	if (counter->fd < 0)
		return 0;
	return ioctl(counter->fd, PERF_EVENT_IOC_ENABLE, 0) ? -errno : 0;
}

int perf_counter_disable(const struct perf_counter *counter)
{
	return ioctl(counter->fd, PERF_EVENT_IOC_DISABLE, 0) ? -errno : 0;
}

int perf_counter_read(struct perf_counter *counter)
{
	uint64_t words[3];
	ssize_t size = read(counter->fd, words, sizeof(words));

	if (size != (ssize_t)sizeof(words))
		return size < 0 ? -errno : -EIO;
	counter->value = words[0];
	counter->enabled_ns = words[1];
	counter->running_ns = words[2];
	return 0;
}

uint64_t perf_counter_fired(const struct perf_counter *counter)
{
	return counter->earlier_fired + (counter->value - counter->earlier_value) / counter->period;
}

double perf_counter_quotient(const struct perf_counter *counter)
{
	return (double)counter->earlier_fired +
	       (double)(counter->value - counter->earlier_value) / (double)counter->period;
}

uint64_t perf_counter_throttled(const struct perf_counter *counter)
{
	uint64_t value = counter->value - counter->earlier_value;
	uint64_t running_ns = counter->running_ns - counter->earlier_running_ns;

	return counter->earlier_throttled + (running_ns > value ? (running_ns - value) / counter->period : 0);
}

int perf_counter_set_period(struct perf_counter *counter, uint64_t period)
{
	if (counter->fd >= 0 && ioctl(counter->fd, PERF_EVENT_IOC_PERIOD, &period))
		return -errno;
	counter->earlier_fired = perf_counter_fired(counter);
	counter->earlier_throttled = perf_counter_throttled(counter);
	counter->earlier_value = counter->value;
	counter->earlier_running_ns = counter->running_ns;
	counter->period = period;
	return 0;
}

void perf_counter_continue(struct perf_counter *counter, const struct perf_counter *with)
{
	struct perf_counter next = *with;

	next.earlier_fired = perf_counter_fired(counter);
	next.earlier_throttled = perf_counter_throttled(counter);
	next.past_enabled_ns = counter->past_enabled_ns + counter->enabled_ns;
	next.past_running_ns = counter->past_running_ns + counter->running_ns;
	perf_counter_close(counter);
	*counter = next;
}
