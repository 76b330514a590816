// SPDX-License-Identifier: GPL-2.0-only
/* The events of a sampling command: those of -e, --off-cpu and --wall, and those that other options add. */
#include "events.h"

#include <errno.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/grow.h"
#include "base/out.h"
#include "event_list.h"

/* The event of --off-cpu. Of the events of context switches, only this one may have a period. */
#define WAITS "off-cpu"

static int out_of_memory(void)
{
	out_error(NULL, "%s", strerror(ENOMEM));
	return EXIT_FAIL;
}

/* Appends one event. */
static int add_event(struct sampling *sampling, const char *name, size_t length)
{
	char **more = grow_array(sampling->events, sampling->nr_events, &sampling->events_capacity, sizeof(*more));

	if (!more)
		return out_of_memory();
	sampling->events = more;
	more[sampling->nr_events] = strndup(name, length);
	if (!more[sampling->nr_events])
		return out_of_memory();
	sampling->nr_events++;
	return 0;
}

static int add_events(struct sampling *sampling, const struct opt *opt, const char *value)
{
	int code = 0;

	for (const char *at = value; at && !code;) {
		size_t length = event_list_length(at);

		if (at[0] == '{')
			return opt_refuse(opt, value, "has a group of events, which can be counted but not sampled",
					  "leave the braces out; tprof stat counts groups");
		if (!length)
			return opt_refuse(opt, value, "names no event", "tprof list events");
		code = add_event(sampling, at, length);
		at = at[length] ? at + length + 1 : NULL;
	}
	return code;
}

int sampling_add_events(struct sampling *sampling, const char *events)
{
	return add_events(sampling, NULL, events);
}

static void note_option(struct sampling *sampling, const char *option)
{
	if (!sampling->events_option)
		sampling->events_option = option;
}

int events_set(void *ctx, const struct opt *opt, const char *value)
{
	note_option(ctx, "-e");
	return add_events(ctx, opt, value);
}

int events_set_waits(void *ctx, const struct opt *opt, const char *value)
{
	(void)opt;
	(void)value;
	note_option(ctx, "--off-cpu");
	return add_event(ctx, WAITS, strlen(WAITS));
}

bool sampling_has_switches(const struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->nr_events; i++) {
		if (tprof_event__is_of_switches(sampling->events[i]))
			return true;
	}
	return false;
}

int sampling_add_waits(struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->nr_events; i++) {
		if (strcmp(sampling->events[i], WAITS) == 0)
			return 0;
	}
	return add_event(sampling, WAITS, strlen(WAITS));
}

int events_set_wall(void *ctx, const struct opt *opt, const char *value)
{
	(void)value;
	note_option(ctx, "--wall");
	return add_events(ctx, opt, "cpu-clock," WAITS);
}

int sampling_check_one_event(const struct sampling *sampling, const char *what, const char *hint)
{
	if (sampling->nr_events < 2)
		return 0;
	return out_usage(hint, "%s: %s has one event, and %zu are given", sampling->events_option, what,
			 sampling->nr_events);
}

/* -F and -c are for the events beside those of context switches. */
struct tprof_event_opts events_opts(const struct sampling *sampling, size_t index)
{
	const char *event = sampling->events[index];
	bool is_of_switches = tprof_event__is_of_switches(event);

	return (struct tprof_event_opts){
		.sz = sizeof(struct tprof_event_opts), .event = event,
		.rate_hz = is_of_switches ? 0 : sampling->session.rate_hz,
		.period = is_of_switches && strcmp(event, WAITS) != 0 ? 0 : sampling->session.period,
	};
}
