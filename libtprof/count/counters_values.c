// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Results of counters: events, units, values. */
#include <errno.h>
#include <unistd.h>

#include "base/sized.h"
#include "counters.h"

size_t tprof_counters__nr_events(const struct tprof_counters *counters)
{
	return counters->nr_events;
}

const struct tprof_counter_event *tprof_counters__event(const struct tprof_counters *counters, size_t event)
{
	return event < counters->nr_events ? &counters->events[event].shown : NULL;
}

size_t tprof_counters__nr_units(const struct tprof_counters *counters)
{
	return counters->nr_units;
}

const struct tprof_counter_unit *tprof_counters__unit(const struct tprof_counters *counters, size_t unit)
{
	return unit < counters->nr_units ? &counters->units[unit]->shown : NULL;
}

int tprof_counters__value(const struct tprof_counters *counters, size_t unit, size_t event,
			  struct tprof_counter_value *value)
{
	struct tprof_counter_value ours = { .sz = sizeof(ours), .state = TPROF_NOT_SUPPORTED };
	const struct count_reading *reading;

	if (unit >= counters->nr_units || event >= counters->nr_events)
		return -EINVAL;
	reading = &counters->units[unit]->readings[event];
	if (counters->events[event].shown.supported)
		ours.state = reading->running_ns ? TPROF_COUNTED : TPROF_NOT_COUNTED;
	ours.enabled_ns = reading->enabled_ns;
	if (ours.state == TPROF_COUNTED) {
		ours.running_ns = reading->running_ns;
		ours.raw = reading->raw;
		ours.value = (uint64_t)(counters->units[unit]->scaled[event] + 0.5);
	}
	return sized_give(value, &ours, sizeof(ours));
}

int tprof_counters__epoll_fd(const struct tprof_counters *counters)
{
	return counters->epoll_fd;
}

bool tprof_counters__targets_gone(struct tprof_counters *counters)
{
	/* A child of the process would change the epoll instance of its parent. */
	if (!counters->targets.nr || counters->owner != getpid())
		return false;
	targets_reap(&counters->targets, counters->epoll_fd);
	return targets_gone(&counters->targets);
}
