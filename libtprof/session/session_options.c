// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Checks the options of a session, sets defaults, and chooses engine and event. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "session.h"
#include "uapi/tprof_device.h"

TPROF_ASSERT(1000000000 / TPROF_RATE_HZ_MAX >= TPROF_MIN_TIMER_NS);

/* The event if none is requested. */
#define DEFAULT_EVENT "cycles"
#define FALLBACK_EVENT "cpu-clock"

/* Inode number of the first pid namespace (PROC_PID_INIT_INO), the same on every kernel. */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCUL

/* Messages begin with the members of @opts, as tprof.h promises. */
static int check(const struct tprof_session_opts *opts, struct tprof_error *error)
{
	if (opts->rate_hz && opts->period) {
		error_set(error, EINVAL, "rate_hz and period exclude each other");
		error_hint(error, "give a rate, or a fixed period");
		return -EINVAL;
	}
	if (opts->kernel_only && opts->user_only) {
		error_set(error, EINVAL, "kernel_only and user_only exclude each other");
		error_hint(error, "leave both out to sample both");
		return -EINVAL;
	}
	if (opts->rate_hz > TPROF_RATE_HZ_MAX) {
		error_set(error, EINVAL, "rate_hz %llu: the range is 1 to %d samples a second on each CPU",
			  (unsigned long long)opts->rate_hz, TPROF_RATE_HZ_MAX);
		error_hint(error, "99 is enough for most questions, 997 for short ones");
		return -EINVAL;
	}
	if (opts->period > INT64_MAX) {
		error_set(error, EINVAL, "period %llu: too large", (unsigned long long)opts->period);
		error_hint(error, "the maximum is %lld", (long long)INT64_MAX);
		return -EINVAL;
	}
	if (opts->comm && (!opts->comm[0] || strlen(opts->comm) >= TPROF_COMM_LEN))
		return error_set(error, EINVAL, "thread name %s: the kernel keeps names of 1 to %d characters",
				 opts->comm, TPROF_COMM_LEN - 1);
	return 0;
}

static int refuse_singly_counted(const struct event *event, struct tprof_error *error)
{
	const char *kind = event_is_place(event) ? event->source : "tracepoint";

	error_set(error, EOPNOTSUPP, "event %s: the perf engine cannot run filters on %ss", event->name, kind);
	error_hint(error, "use the kernel module, --engine kmod; tprof doctor shows how to load it");
	return -EOPNOTSUPP;
}

static int choose_event(struct tprof_session *session, const char *name, struct tprof_error *error)
{
	const struct engine_ops *ops = session->ops;
	struct sampling *sampling = &session->sampling;
	struct event *event = &sampling->event;
	int err;

	if (name && ops->own_event && ops->own_event(event, name))
		return 0;
	err = event_parse(event, name ? name : DEFAULT_EVENT, error);
	if (err)
		return err;
	if (event_is_counted_singly(event) && !ops->samples_tracepoints)
		return refuse_singly_counted(event, error);
	if (event_is_place(event))
		return session_look_up_place(event, error);
	/* For other errors, such as a missing capability, the engine reports and explains the failure. */
	if (!event_is_missing(event_probe(event, &sampling->cpus)))
		return 0;
	if (name) {
		error_set(error, EOPNOTSUPP, "event %s: %s sample it", name,
			  sampling->cpus.chosen ? "none of the chosen CPUs can" : "this machine cannot");
		error_hint(error, "tprof list events; " FALLBACK_EVENT " works everywhere");
		return -EOPNOTSUPP;
	}
	snprintf(sampling->fallback, sizeof(sampling->fallback), "%s -> %s: %s", DEFAULT_EVENT, FALLBACK_EVENT,
		 "no hardware counters on this machine");
	log_info(&session->log, "%s", sampling->fallback);
	return event_parse(event, FALLBACK_EVENT, error);
}

static int choose_rate(struct sampling *sampling, const struct tprof_session_opts *opts, struct tprof_error *error)
{
	bool clock = event_is_clock(&sampling->event);

	sampling->period = opts->period;
	if (!opts->period && !opts->rate_hz && event_is_counted_singly(&sampling->event))
		sampling->period = 1;
	if (!sampling->period)
		sampling->rate_hz = opts->rate_hz ? opts->rate_hz : TPROF_RATE_HZ_DEFAULT;
	/* On both engines: with a shorter period, a clock spends all its time in the interrupt. */
	if (clock && opts->period && opts->period < TPROF_MIN_TIMER_NS) {
		error_set(error, EINVAL, "period %llu: the minimum is %d nanoseconds for %s",
			  (unsigned long long)opts->period, TPROF_MIN_TIMER_NS, sampling->event.name);
		error_hint(error, "-c 1000000 takes a sample every millisecond");
		return -EINVAL;
	}
	return 0;
}

/* Samples have ids of the initial pid namespace, and also those of ours if it is another one. */
static void set_pid_namespace(struct tprof_object *object)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == INITIAL_PID_NAMESPACE)
		return;
	object->pidns_dev = st.st_dev;
	object->pidns_ino = st.st_ino;
}

static void set_scope(struct tprof_object *object, const struct tprof_session_opts *opts)
{
	if (opts->user_only)
		object->scope |= TPROF_SCOPE_USER;
	if (opts->kernel_only)
		object->scope |= TPROF_SCOPE_KERNEL;
	if (!opts->comm)
		return;
	object->scope |= TPROF_SCOPE_COMM;
	snprintf(object->comm, sizeof(object->comm), "%s", opts->comm);
}

int session_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error)
{
	struct sampling *sampling = &session->sampling;
	int err = check(opts, error);

	if (err)
		return err;
	session->ops = engine_find(opts->engine, &session->log, error);
	if (!session->ops)
		return -errno;
	err = cpus_init(&sampling->cpus, opts->cpus, error);
	if (err == 0)
		err = choose_event(session, opts->event, error);
	if (err == 0)
		err = choose_rate(sampling, opts, error);
	if (err)
		return err;
	set_pid_namespace(&sampling->object);
	set_scope(&sampling->object, opts);
	return scope_configure(session, opts, error);
}
