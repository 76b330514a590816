// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Adds a place in code to a session of the module. */
#include "kmod_place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/kmod_device.h"

int kmod_place_add(int session_fd, const struct event *event, uint64_t period)
{
	const struct event_place *place = &event->place;
	struct {
		struct tprof_place place;
		char text[sizeof(place->path) + sizeof(place->function)];
	} attr = {
		.place = { .flags = place->returns ? TPROF_PLACE_RETURN : 0, .offset = place->offset },
	};
	struct tprof_event add = { .size = sizeof(add), .period = period, .attr = (uintptr_t)&attr };

	memcpy(add.source, event->source, sizeof(add.source));
	snprintf(attr.text, sizeof(attr.text), "%s", place->path[0] ? place->path : place->function);
	add.attr_size = (uint32_t)(sizeof(attr.place) + strlen(attr.text) + 1);
	return kmod_call(session_fd, TPROF_IOC_ADD_EVENT, &add);
}

static bool has_source_of(const struct event *event)
{
	struct tprof_source_info source = { .size = sizeof(source) };
	int device = kmod_open();
	bool found = device < 0;

	for (; !found && kmod_call(device, TPROF_IOC_SOURCE, &source) == 0; source.index++)
		found = strncmp(source.name, event->source, sizeof(source.name)) == 0;
	if (device >= 0)
		close(device);
	return found;
}

/* The hint for a place that does not exist. */
static void hint_at_names(const struct event *event, struct tprof_error *error)
{
	if (event->place.path[0])
		error_hint(error, "ls -l %s", event->place.path);
	else if (event->place.is_pattern)
		error_hint(error, "sudo less /sys/kernel/tracing/available_filter_functions");
	else
		error_hint(error, "sudo less /proc/kallsyms");
}

int kmod_place_explain(const struct event *event, int err, struct tprof_error *error)
{
	const char *name = event->name;

	if (err == -EPERM) {
		error_set(error, EPERM, "event %s: probes are for CAP_PERFMON only, and lockdown forbids them", name);
		error_hint(error, "run it as root, or tprof doctor");
		return -EPERM;
	}
	if (err == -ENOENT && !has_source_of(event)) {
		error_set(error, EOPNOTSUPP, "event %s: the kernel or the module has no source %s", name,
			  event->source);
		error_hint(error, event->place.is_pattern ? "sudo modprobe tprof_function" : "tprof list sources");
		return -EOPNOTSUPP;
	}
	if (err == -ENOENT) {
		error_set(error, ENOENT, "event %s: there is no such %s", name,
			  event->place.path[0] ? "file" : "function in the kernel");
		hint_at_names(event, error);
		return -ENOENT;
	}
	if (err != -EINVAL && err != -EILSEQ && err != -EOPNOTSUPP)
		return error_set(error, -err, "event %s: cannot be probed: %s", name, strerror(-err));
	error_set(error, EINVAL, "event %s: there cannot be a probe at this place", name);
	if (event->place.is_pattern)
		error_hint(error, "the pattern is the name of a function; * and ? may stand for other characters");
	else if (event->place.path[0])
		error_hint(error, "the place must be the first byte of an instruction in a regular file");
	else
		error_hint(error, "it must be the first byte of an instruction, for returns of a function, and not in "
			   "/sys/kernel/debug/kprobes/blacklist");
	return -EINVAL;
}
