// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Creates a session of the module and configures it. */
#include "kmod_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/kmod_device.h"
#include "host/sched_text.h"
#include "kmod_ledger.h"
#include "kmod_place.h"

/* The default for each CPU: some 600 samples, read at intervals of at most 100 ms. */
#define STREAM_BYTES (64 * 1024)

static int create(struct tprof_error *error)
{
	struct tprof_create create = { .size = sizeof(create) };
	int device = kmod_open(), fd;

	fd = device < 0 ? device : kmod_call(device, TPROF_IOC_CREATE, &create);
	if (device >= 0)
		close(device);
	if (fd >= 0)
		return fd;
	if (device >= 0 && fd == -EACCES) {
		error_set(error, EPERM, "engine kmod: a security module of the kernel refuses the session");
		error_hint(error, "allow it in its policy; SELinux checks perf_event { kernel }");
		return -EPERM;
	}
	if (fd == -EPERM || fd == -EACCES) {
		error_set(error, EPERM, "engine kmod: creating a session needs CAP_PERFMON");
		error_hint(error, "run it as root; tprof doctor shows what is missing");
		return -EPERM;
	}
	if (fd == -EMFILE) {
		error_set(error, EMFILE, "engine kmod: too many open files, or sessions of this user");
		error_hint_files(error, EMFILE);
		return -EMFILE;
	}
	return error_set(error, -fd, "engine kmod: the session cannot be created: %s", strerror(-fd));
}

/* A mask with a bit for each requested CPU. */
static uint64_t *cpu_mask(const struct cpus *cpus, uint32_t *bytes)
{
	size_t words = cpus->ids[cpus->nr - 1] / 64 + 1;
	uint64_t *mask = calloc(words, sizeof(*mask));

	for (size_t i = 0; mask && i < cpus->nr; i++)
		mask[cpus->ids[i] / 64] |= 1ULL << cpus->ids[i] % 64;
	*bytes = (uint32_t)(words * sizeof(*mask));
	return mask;
}

static int configure(int fd, const struct sampling *sampling)
{
	const struct tprof_object *object = &sampling->object;
	struct tprof_config config = {
		.size = sizeof(config),
		.stream_bytes = sampling->stream_bytes ? sampling->stream_bytes : STREAM_BYTES,
		.flags = sampling->stall ? TPROF_CONFIG_STALL : 0,
	};
	uint64_t *mask = NULL;
	int err;

	/* Wakes the reader when the stream is a quarter full. */
	config.stream_wakeup = config.stream_bytes / 4;
	if (object->scope & TPROF_SCOPE_USER)
		config.flags |= TPROF_CONFIG_USER;
	if (object->scope & TPROF_SCOPE_KERNEL)
		config.flags |= TPROF_CONFIG_KERNEL;
	if (object->scope & TPROF_SCOPE_COMM) {
		config.flags |= TPROF_CONFIG_COMM;
		memcpy(config.comm, object->comm, sizeof(config.comm));
	}
	if (sampling->cpus.chosen) {
		mask = cpu_mask(&sampling->cpus, &config.cpus_size);
		if (!mask)
			return -ENOMEM;
		config.cpus = (uintptr_t)mask;
	}
	err = kmod_call(fd, TPROF_IOC_CONFIGURE, &config);
	free(mask);
	return err;
}

/* Waits, or runs, which have no minimum. */
static int add_waits(int fd, const struct event *event, uint64_t min_ns, uint64_t period)
{
	struct tprof_wait_attr attr = { .min_ns = event_is_wait(event) ? min_ns : 0 };
	struct tprof_event add = {
		.size = sizeof(add), .period = period, .attr = (uintptr_t)&attr, .attr_size = sizeof(attr),
	};
	uint64_t start, end;

	snprintf(add.source, sizeof(add.source), "%s", event->name);
	/* Without the bounds, it is not known where threads wait. */
	sched_text_find(&start, &end);
	attr.sched_start = start;
	attr.sched_end = end;
	return kmod_call(fd, TPROF_IOC_ADD_EVENT, &add);
}

static int add_wakeups(int fd, const struct sampling *sampling, uint64_t period)
{
	struct tprof_wakeup_attr attr = { .min_ns = sampling->object.wait_min_ns };
	struct tprof_event add = {
		.size = sizeof(add), .source = EVENT_WAKEUP_NAME, .period = period, .attr = (uintptr_t)&attr,
		.attr_size = sizeof(attr),
	};
	uint64_t start;

	/* Without it, it is not known where threads are woken. */
	if (!kernel_symbol_find(&start, "try_to_wake_up"))
		attr.wake_start = start;
	return kmod_call(fd, TPROF_IOC_ADD_EVENT, &add);
}

/*
 * cpu-clock uses the module's own timer; a source of another module goes by its name; everything else is a perf event.
 */
static int add_event(int fd, const struct sampling *sampling, const struct event *event, uint64_t period)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	struct tprof_event add = { .size = sizeof(add), .period = period };

	if (event_is_place(event))
		return kmod_place_add(fd, event, period);
	if (event_is_wait(event) || event_is_run(event))
		return add_waits(fd, event, sampling->object.wait_min_ns, period);
	if (event_is_wakeup(event))
		return add_wakeups(fd, sampling, period);
	if (event->source[0]) {
		memcpy(add.source, event->source, sizeof(add.source));
	} else if (kmod_event_is_timer(event)) {
		strcpy(add.source, "timer");
	} else {
		strcpy(add.source, "perf");
		event_attr_choose(&attr, event);
		add.attr = (uintptr_t)&attr;
		add.attr_size = sizeof(attr);
	}
	return kmod_call(fd, TPROF_IOC_ADD_EVENT, &add);
}

static int explain_event(const struct event *event, uint64_t period, int err, struct tprof_error *error)
{
	if (err == -ENOSPC) {
		error_set(error, ENOSPC, "event %s: the sessions of this user have as many events as the kernel module "
			  "permits", event->name);
		error_hint(error, "tprof list sessions shows them; the limits are max_%s_per_user in "
			   "/sys/module/tprof/parameters", event_is_of_switches(event) ? "waits" : "events");
		return -ENOSPC;
	}
	if (event_is_place(event))
		return kmod_place_explain(event, err, error);
	if (err == -EOPNOTSUPP || err == -ENODEV || err == -ENOENT) {
		error_set(error, EOPNOTSUPP, "event %s: this machine cannot sample it", event->name);
		error_hint(error, "tprof list events; cpu-clock works everywhere");
		return -EOPNOTSUPP;
	}
	if (err == -EINVAL && kmod_event_is_timer(event) && period > TPROF_MAX_TIMER_NS)
		return error_set(error, EINVAL, "period %llu: the maximum is one hour, in nanoseconds, for %s",
				 (unsigned long long)period, event->name);
	return error_set(error, -err, "event %s: the kernel module refused it: %s", event->name, strerror(-err));
}

int kmod_session_flush(int fd)
{
	const uint64_t cookie = 0;

	return kmod_call(fd, TPROF_IOC_FLUSH, (void *)&cookie);
}

int kmod_session_cgroup(int fd, unsigned long request, const struct tprof_scope_cgroup *cgroup)
{
	struct tprof_target target = { .size = sizeof(target), .kind = TPROF_TARGET_CGROUP, .id = cgroup->id };

	return kmod_call(fd, request, &target);
}

static int attach_cgroups(int fd, const struct tprof_object *object, struct tprof_error *error)
{
	for (uint32_t i = 0; i < object->nr_cgroups; i++) {
		int err = kmod_session_cgroup(fd, TPROF_IOC_ATTACH, &object->cgroups[i]);

		if (err)
			return error_set(error, -err, "cgroup %llu: cannot be sampled: %s",
					 (unsigned long long)object->cgroups[i].id, strerror(-err));
	}
	return 0;
}

/* The ledger of each event is needed to find its missing samples. */
static int require_ledgers(const struct sampling *sampling, struct tprof_error *error)
{
	struct tprof_module_info info;
	int device, err;

	if (sampling->nr_events == 1)
		return 0;
	device = kmod_open();
	err = device < 0 ? device : kmod_check(device, &info);
	if (device >= 0)
		close(device);
	if (!err && (info.features & TPROF_FEATURE_EVENT_LEDGER))
		return 0;
	error_set(error, EOPNOTSUPP, "events: the loaded module has no ledger for each of several events");
	error_hint(error, "load the module of this version of tprof, or use --engine perf");
	return -EOPNOTSUPP;
}

static int add_events(int fd, const struct sampling *sampling, const uint64_t *periods, struct tprof_error *error)
{
	for (size_t e = 0; e < sampling->nr_events; e++) {
		const struct event *event = &sampling->events[e].event;
		int err = add_event(fd, sampling, event, periods[e]);

		if (err < 0)
			return explain_event(event, periods[e], err, error);
	}
	return 0;
}

int kmod_session_open(const struct sampling *sampling, const uint64_t *periods, struct tprof_error *error)
{
	int err = require_ledgers(sampling, error), fd = err ? err : create(error);

	if (fd < 0)
		return fd;
	err = configure(fd, sampling);
	if (err == -ENOSPC) {
		error_set(error, ENOSPC, "engine kmod: the streams of all sessions have reached their memory limit");
		error_hint(error, "echo 1024 | sudo tee /sys/module/tprof/parameters/stream_limit_mb");
	} else if (err == -ENOMEM) {
		error_set(error, ENOMEM, "engine kmod: memory is short, or the streams of this user take all they may");
		error_hint(error, "the memory.max of its cgroup, or max_stream_mb_per_user in tprof(4)");
	} else if (err) {
		error_set(error, -err, "engine kmod: the session cannot be configured: %s", strerror(-err));
	} else {
		err = add_events(fd, sampling, periods, error);
		if (!err)
			err = attach_cgroups(fd, &sampling->object, error);
	}
	if (!err)
		return fd;
	close(fd);
	return err;
}
