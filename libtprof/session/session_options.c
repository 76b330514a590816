// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Checks the options of a session, sets defaults, and chooses the engine. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session.h"
#include "uapi/tprof_device.h"

/* Inode number of the first pid namespace (PROC_PID_INIT_INO), the same on every kernel. */
#define INITIAL_PID_NAMESPACE 0xEFFFFFFCUL

static int check_stream(const struct tprof_session_opts *opts, struct tprof_error *error)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE), bytes = opts->stream_bytes;

	if (!bytes || (bytes >= page_bytes && bytes <= TPROF_MAX_STREAM_BYTES && !(bytes & (bytes - 1))))
		return 0;
	error_set(error, EINVAL, "stream_bytes %llu: is not a power of two from %llu to %llu",
		  (unsigned long long)bytes, (unsigned long long)page_bytes, TPROF_MAX_STREAM_BYTES + 0ULL);
	error_hint(error, "a kept sample takes some 100 bytes; 0 is the default of the engine");
	return -EINVAL;
}

static int check_stall(const struct tprof_session *session, const struct tprof_session_opts *opts,
		       struct tprof_error *error)
{
	if (!opts->stall || session->ops->stalls)
		return 0;
	error_set(error, EOPNOTSUPP, "stall: engine %s calls filters also while a stream is full", session->ops->name);
	error_hint(error, "load the kernel module tprof.ko: docs/module.md");
	return -EOPNOTSUPP;
}

/* Messages begin with the members of @opts, as tprof.h promises. */
static int check(const struct tprof_session_opts *opts, struct tprof_error *error)
{
	if (opts->kernel_only && opts->user_only) {
		error_set(error, EINVAL, "kernel_only and user_only exclude each other");
		error_hint(error, "leave both out to sample both");
		return -EINVAL;
	}
	if (opts->comm && (!opts->comm[0] || strlen(opts->comm) >= TPROF_COMM_LEN))
		return error_set(error, EINVAL, "thread name %s: the kernel keeps names of 1 to %d characters",
				 opts->comm, TPROF_COMM_LEN - 1);
	return check_stream(opts, error);
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

/* Without a sample in common, the session would sample nothing. */
static int check_modes(const struct tprof_session_opts *opts, const struct sampling *sampling,
		       struct tprof_error *error)
{
	uint8_t excluded = opts->user_only ? EVENT_EXCLUDE_USER : opts->kernel_only ? EVENT_EXCLUDE_KERNEL : 0;

	for (size_t e = 0; e < sampling->nr_events; e++) {
		const struct event *event = &sampling->events[e].event;

		if (!(event->excludes & excluded))
			continue;
		error_set(error, EINVAL, "%s and the modifiers of event %s exclude each other",
			  opts->user_only ? "user_only" : "kernel_only", event->name);
		error_hint(error, "leave one of them out");
		return -EINVAL;
	}
	return 0;
}

/* Refuses options that do not apply to waits and runs, and sets the constants of the programs for them. */
static int configure_waits(const struct tprof_session_opts *opts, struct sampling *sampling, struct tprof_error *error)
{
	const struct event *of_switches = NULL;

	for (size_t e = 0; e < sampling->nr_events; e++) {
		const struct event *event = &sampling->events[e].event;

		if (event_is_wait(event))
			sampling->object.wait_event = (uint32_t)e + 1;
		if (event_is_run(event))
			sampling->object.run_event = (uint32_t)e + 1;
		if (event_is_wakeup(event))
			sampling->object.wake_event = (uint32_t)e + 1;
		if (!of_switches && event_is_of_switches(event))
			of_switches = event;
	}
	sampling->object.wait_min_ns = opts->wait_min_ns;
	if (!sampling->object.wait_event && !sampling->object.wake_event && opts->wait_min_ns) {
		error_set(error, EINVAL, "wait_min_ns is for waits and wake-ups, and the session has none%s",
			  sampling->object.run_event ? ": runs are counted however short they are" : "");
		error_hint(error, sampling->object.run_event ? "leave it out; the event " EVENT_WAIT_NAME " has the "
			   "waits between the runs" : "add the event " EVENT_WAIT_NAME " or " EVENT_WAKEUP_NAME);
		return -EINVAL;
	}
	if (!of_switches || (!opts->user_only && !opts->kernel_only && !opts->cpus))
		return 0;
	error_set(error, EINVAL, "%s cannot select %s: they belong to no %s", opts->cpus ? "cpus" :
		  opts->user_only ? "user_only" : "kernel_only", event_of_switches_plural(of_switches),
		  opts->cpus ? "CPU" : "mode");
	error_hint(error, "leave it out%s", opts->cpus ? "" : "; the filters ustacks and kstacks count one part of "
		   "each call stack");
	return -EINVAL;
}

/* The engine for waits and runs, if none is named: the module, or an older one, may have none. */
static const char *engine_for(const struct tprof_session_opts *opts, const struct tprof_event_opts *events)
{
	size_t nr = opts->nr_events ? opts->nr_events : 1;

	for (size_t e = 0; e < nr && !opts->engine; e++) {
		const char *name = events[e].event;

		if (name && tprof_event__is_of_switches(name) && !engine_kmod.samples_switches(name))
			return engine_perf.name;
	}
	return opts->engine;
}

int session_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error)
{
	struct tprof_event_opts events[TPROF_EVENTS_MAX];
	struct sampling *sampling = &session->sampling;
	int err = session_take_events(opts, events, error);

	if (!err)
		err = check(opts, error);
	if (err)
		return err;
	session->ops = engine_find(engine_for(opts, events), &session->log, error);
	if (!session->ops)
		return -errno;
	err = check_stall(session, opts, error);
	if (err)
		return err;
	sampling->stream_bytes = (uint32_t)opts->stream_bytes;
	sampling->stall = opts->stall;
	err = cpus_init(&sampling->cpus, opts->cpus, error);
	if (err == 0)
		err = session_choose_events(session, events, opts->nr_events ? opts->nr_events : 1, error);
	if (!err)
		err = check_modes(opts, sampling, error);
	if (!err)
		err = configure_waits(opts, sampling, error);
	if (err)
		return err;
	sampling->object.nr_events = (uint32_t)sampling->nr_events;
	for (size_t e = 0; e < sampling->nr_events; e++)
		sampling->object.has_address |= (uint32_t)event_has_address(&sampling->events[e].event) << e;
	set_pid_namespace(&sampling->object);
	set_scope(&sampling->object, opts);
	return scope_configure(session, opts, error);
}
