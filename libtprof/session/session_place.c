// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Looks up the place in code that an event names. */
#include <errno.h>
#include <stdio.h>

#include "dso/function_place.h"
#include "session.h"
#include "symbol/kernel_function.h"

/* If there is no list of symbols, the kernel will say whether it has the function. */
static int look_up_kernel(const struct event *event, struct tprof_error *error)
{
	const char *function = event->place.function;
	FILE *kallsyms = fopen("/proc/kallsyms", "re");
	unsigned int nr;

	if (!kallsyms)
		return 0;
	nr = kernel_function_count(kallsyms, function);
	fclose(kallsyms);
	if (nr == 1)
		return 0;
	if (nr > 1) {
		error_set(error, EINVAL, "event %s: the kernel has %u functions of this name", event->name, nr);
		error_hint(error, "kprobe:ADDRESS selects one: sudo grep -w '%s' /proc/kallsyms", function);
		return -EINVAL;
	}
	error_set(error, ENOENT, "event %s: the kernel has no such function", event->name);
	error_hint(error, "grep -i '%s' /proc/kallsyms; functions that the compiler has inlined are not there",
		   function);
	return -ENOENT;
}

static int look_up_file(struct event *event, struct tprof_error *error)
{
	struct event_place *place = &event->place;
	struct function_place found;
	int err = function_place_find(place->path, place->function, &found, error);

	if (err)
		return err;
	if (place->offset && place->offset >= found.size) {
		error_set(error, EINVAL, "event %s: the function has only %llu bytes", event->name,
			  (unsigned long long)found.size);
		error_hint(error, "objdump --disassemble='%s' %s", place->function, place->path);
		return -EINVAL;
	}
	place->offset += found.offset;
	return 0;
}

int session_look_up_place(struct event *event, struct tprof_error *error)
{
	/* The kernel matches patterns. */
	if (!event->place.function[0] || event->place.is_pattern)
		return 0;
	return event->place.path[0] ? look_up_file(event, error) : look_up_kernel(event, error);
}
