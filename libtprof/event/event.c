// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Events by name. */
#include "event.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "event_modifiers.h"
#include "event_numbers.h"
#include "event_pfm.h"
#include "event_place.h"
#include "event_pmu.h"
#include "event_tracepoint.h"

#define TRACEPOINT "tracepoint:"

/* Does the part of the name before @end name an event that may have modifiers? */
static bool has_modifiers(const char *name, const char *end)
{
	struct event event = { 0 };
	char base[sizeof(event.name)];

	snprintf(base, sizeof(base), "%.*s", (int)(end - name), name);
	return event_parse_numbered(&event, base) || event_parse_cache(&event, base) || event_parse_raw(&event, base);
}

/* The modifiers after the name of an event that may have them; NULL: there are none. */
static const char *modifiers_of(const char *name)
{
	const char *slash = strchr(name, '/'), *colon = strchr(name, ':');

	slash = slash && slash > name ? strchr(slash + 1, '/') : NULL;
	if (slash && slash[1] && !strchr(slash + 1, '/'))
		return slash + 1;
	return colon && colon > name && has_modifiers(name, colon) ? colon + 1 : NULL;
}

/* The events that may have modifiers. The name is in event->name. */
static int parse_counted(struct event *event, const char *name, struct tprof_error *error)
{
	if (event_parse_numbered(event, name) || event_parse_cache(event, name) || event_parse_raw(event, name))
		return 0;
	return event_pmu_parse(event, name, error);
}

/* @modifiers: the end of @name. An alias has the name of its event; other names stay. */
static int parse_modified(struct event *event, const char *name, const char *modifiers, struct tprof_error *error)
{
	char base[sizeof(event->name)];
	int err;

	snprintf(base, sizeof(base), "%.*s", (int)(modifiers - name) - (modifiers[-1] == ':'), name);
	err = parse_counted(event, base, error);
	if (err)
		return err;
	if (strcmp(event->name, name) != 0) {
		strncat(event->name, ":", sizeof(event->name) - strlen(event->name) - 1);
		strncat(event->name, modifiers, sizeof(event->name) - strlen(event->name) - 1);
	}
	return event_modifiers_apply(event, modifiers, error);
}

/* The events of context switches, which the kernel does not count. */
static const struct {
	const char *name, *plural, *singular;
	uint32_t type;
} of_switches[] = {
	{ EVENT_WAIT_NAME, "waits", "wait", EVENT_TYPE_WAIT },
	{ EVENT_RUN_NAME, "runs", "run", EVENT_TYPE_RUN },
	{ EVENT_WAKEUP_NAME, "wake-ups", "wake-up", EVENT_TYPE_WAKEUP },
};

/* 1: it is one of them; 0: it is not. Errors: EINVAL. */
static int parse_of_switches(struct event *event, const char *name, struct tprof_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_switches); i++) {
		size_t length = strlen(of_switches[i].name);

		if (strncmp(name, of_switches[i].name, length) != 0 || (name[length] && name[length] != ':'))
			continue;
		if (name[length]) {
			error_set(error, EINVAL, "event %s: %s have no modifiers", name, of_switches[i].plural);
			error_hint(error, "-e %s", of_switches[i].name);
			return -EINVAL;
		}
		event->type = of_switches[i].type;
		event->unit = "ns";
		return 1;
	}
	return 0;
}

int event_parse(struct event *event, const char *name, struct tprof_error *error)
{
	const char *modifiers;
	int found;

	memset(event, 0, sizeof(*event));
	event->unit = "events";
	if (strlen(name) >= sizeof(event->name))
		return error_set(error, EINVAL, "event: the name is too long");
	if (event_parse_numbered(event, name))
		return 0;
	snprintf(event->name, sizeof(event->name), "%s", name);
	found = parse_of_switches(event, name, error);
	if (found)
		return found < 0 ? found : 0;
	if (event_pfm_is_name(name))
		return event_pfm_parse(event, name, error);
	if (event_place_is_name(name))
		return event_place_parse(event, name, error);
	modifiers = modifiers_of(name);
	if (modifiers)
		return parse_modified(event, name, modifiers, error);
	if (strncmp(name, TRACEPOINT, strlen(TRACEPOINT)) == 0)
		return event_tracepoint_parse(event, name + strlen(TRACEPOINT), error);
	if (strchr(name, '/'))
		return event_pmu_parse(event, name, error);
	if (event_parse_cache(event, name) || event_parse_raw(event, name))
		return 0;
	if (strchr(name, ':'))
		return event_tracepoint_parse(event, name, error);
	error_set(error, ENOENT, "event %s: there is no event of this name", name);
	error_hint(error, "tprof list events");
	return -ENOENT;
}

bool event_is_place(const struct event *event)
{
	return event->type == EVENT_TYPE_SOURCE &&
	       (strcmp(event->source, EVENT_SOURCE_KPROBE) == 0 || strcmp(event->source, EVENT_SOURCE_UPROBE) == 0 ||
		strcmp(event->source, EVENT_SOURCE_FUNCTION) == 0);
}

bool event_is_wait(const struct event *event)
{
	return event->type == EVENT_TYPE_WAIT;
}

bool event_is_run(const struct event *event)
{
	return event->type == EVENT_TYPE_RUN;
}

bool event_is_wakeup(const struct event *event)
{
	return event->type == EVENT_TYPE_WAKEUP;
}

bool event_is_of_switches(const struct event *event)
{
	return event_is_wait(event) || event_is_run(event) || event_is_wakeup(event);
}

bool tprof_event__is_of_switches(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(of_switches); i++) {
		if (strcmp(name, of_switches[i].name) == 0)
			return true;
	}
	return false;
}

/* The entry of the event, which is one of them. */
static size_t index_of_switches(const struct event *event)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(of_switches) - 1 && of_switches[i].type != event->type)
		i++;
	return i;
}

const char *event_of_switches_plural(const struct event *event)
{
	return of_switches[index_of_switches(event)].plural;
}

const char *event_of_switches_singular(const struct event *event)
{
	return of_switches[index_of_switches(event)].singular;
}

bool event_is_counted_singly(const struct event *event)
{
	return event->type == PERF_TYPE_TRACEPOINT || event_is_place(event) || event_is_of_switches(event);
}

bool event_is_clock(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE &&
	       (event->config == PERF_COUNT_SW_CPU_CLOCK || event->config == PERF_COUNT_SW_TASK_CLOCK);
}

bool event_may_leave_guests(const struct event *event)
{
	return event->type != PERF_TYPE_SOFTWARE && !(event->excludes & (EVENT_EXCLUDE_GUEST | EVENT_EXCLUDE_HOST));
}

bool event_has_address(const struct event *event)
{
	if (event->type != PERF_TYPE_SOFTWARE)
		return event->type == PERF_TYPE_BREAKPOINT;
	switch (event->config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		return true;
	default:
		return false;
	}
}

/* The kernel would drop samples of a clock in other modes without a count of them, so the session does it. */
void event_attr_choose(struct perf_event_attr *attr, const struct event *event)
{
	uint8_t excludes = event_is_clock(event) ? 0 : event->excludes;

	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->config2 = event->config2;
	attr->exclude_user = !!(excludes & EVENT_EXCLUDE_USER);
	attr->exclude_kernel = !!(excludes & EVENT_EXCLUDE_KERNEL);
	attr->exclude_hv = !!(excludes & EVENT_EXCLUDE_HYPERVISOR);
	attr->exclude_guest = !!(excludes & EVENT_EXCLUDE_GUEST);
	attr->exclude_host = !!(excludes & EVENT_EXCLUDE_HOST);
	attr->precise_ip = event->precise & 3;
}

void event_attr_init(struct perf_event_attr *attr, const struct event *event, uint64_t period)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	event_attr_choose(attr, event);
	attr->sample_period = period;
	attr->disabled = 1;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

int event_open_cpu(const struct perf_event_attr *attr, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

static int probe_cpu(const struct perf_event_attr *attr, unsigned int cpu)
{
	int fd = event_open_cpu(attr, (int)cpu);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

bool event_is_missing(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -EINVAL;
}

int event_probe(const struct event *event, const struct cpus *cpus)
{
	struct perf_event_attr attr;
	int first_err = -ENODEV;

	event_attr_init(&attr, event, 1000000);
	for (size_t i = 0; i < cpus->nr; i++) {
		int err = probe_cpu(&attr, cpus->ids[i]);

		if (!event_is_missing(err))
			return err;
		/* A CPU of another type does not have the event; one that has it tells more. */
		if (!i || err == -EOPNOTSUPP)
			first_err = err;
	}
	return first_err;
}

int event_probe_online(const struct event *event)
{
	unsigned int first = 0;
	/* The fallback if /sys cannot be read. */
	struct cpus online, cpus = { .ids = &first, .nr = 1 };
	int err;

	if (cpus_init(&online, NULL, NULL))
		return event_probe(event, &cpus);
	err = event_probe(event, &online);
	cpus_release(&online);
	return err;
}
