// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* One perf event on one CPU with a filter's program attached. */
#include "perf_counter.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

int perf_counter_open(struct perf_counter *counter, const struct event *event, uint64_t period, int cpu,
		      int program_fd)
{
	struct perf_event_attr attr;

	*counter = (struct perf_counter){ .fd = -1, .link_fd = -1, .period = period };
	event_attr_init(&attr, event, period);
	counter->fd = event_open_cpu(&attr, cpu);
	if (counter->fd < 0)
		return counter->fd;
	/* Not bpf_program__attach_perf_event(): that would enable the event at once. */
	counter->link_fd = bpf_link_create(program_fd, counter->fd, BPF_PERF_EVENT, NULL);
	return counter->link_fd < 0 ? counter->link_fd : 0;
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
	return counter->running_ns > counter->value ? (counter->running_ns - counter->value) / counter->period : 0;
}

int perf_counter_set_period(struct perf_counter *counter, uint64_t period)
{
	int err = perf_counter_read(counter);

	if (err)
		return err;
	if (ioctl(counter->fd, PERF_EVENT_IOC_PERIOD, &period))
		return -errno;
	counter->earlier_fired = perf_counter_fired(counter);
	counter->earlier_value = counter->value;
	counter->period = period;
	return 0;
}
