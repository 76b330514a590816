// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The life of counters: open, start, read, stop, close. */
#include "counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/sized.h"
#include "host/proc.h"
#include "switch_count.h"

static int no_memory(struct tprof_error *error)
{
	return error_set(error, ENOMEM, "counters: not enough memory");
}

static int exclude(const char *one, const char *other, struct tprof_error *error)
{
	error_set(error, EINVAL, "%s and %s exclude each other", one, other);
	error_hint(error, "leave one of them out");
	return -EINVAL;
}

/* A client that has no memory for its list must not count everything instead. */
static int check_list(const char *name, const void *list, size_t nr, struct tprof_error *error)
{
	return list || !nr ? 0 : error_set(error, EINVAL, "%s is NULL, but nr_%s is %zu", name, name, nr);
}

static int check_lists(const struct tprof_counters_opts *opts, struct tprof_error *error)
{
	int err = check_list("events", opts->events, opts->nr_events, error);

	if (!err)
		err = check_list("pids", opts->pids, opts->nr_pids, error);
	if (!err)
		err = check_list("tids", opts->tids, opts->nr_tids, error);
	if (!err)
		err = check_list("cgroups", opts->cgroups, opts->nr_cgroups, error);
	for (size_t i = 0; !err && i < opts->nr_cgroups; i++)
		if (!opts->cgroups[i])
			err = error_set(error, EINVAL, "cgroups[%zu] is NULL", i);
	return err;
}

static int check(const struct tprof_counters_opts *opts, struct tprof_error *error)
{
	int err = check_lists(opts, error);

	if (err)
		return err;
	if (opts->per > TPROF_PER_CGROUP)
		return error_set(error, EINVAL, "per %u: there is no such unit", opts->per);
	if (opts->user_only && opts->kernel_only)
		return exclude("user_only", "kernel_only", error);
	if (opts->nr_pids && opts->nr_tids)
		return exclude("pids", "tids", error);
	if (opts->nr_cgroups && (opts->nr_pids || opts->nr_tids))
		return exclude("cgroups", opts->nr_pids ? "pids" : "tids", error);
	if (opts->per == TPROF_PER_CGROUP && opts->nr_tids)
		return exclude("TPROF_PER_CGROUP", "tids", error);
	if (opts->enable_on_exec && opts->nr_pids != 1)
		return error_set(error, EINVAL, "enable_on_exec needs one process in pids");
	return 0;
}

static bool is_by_switch(const struct tprof_counters_opts *opts)
{
	bool per_task = opts->per == TPROF_PER_THREAD || opts->per == TPROF_PER_PROCESS;

	return opts->nr_cgroups || opts->per == TPROF_PER_CGROUP || (per_task && !opts->nr_tids);
}

static bool is_target(const struct targets *targets, pid_t id)
{
	for (size_t i = 0; i < targets->nr; i++)
		if (targets->all[i].id == id)
			return true;
	return false;
}

static int add_target(struct tprof_counters *counters, enum tprof_scope_kind kind, pid_t id,
		      struct tprof_error *error)
{
	const char *what = kind == TPROF_SCOPE_KIND_TGID ? "process" : "thread";
	int err;

	if (id <= 0)
		return error_set(error, EINVAL, "%s %d: not the id of a %s", what, id, what);
	if (is_target(&counters->targets, id))
		return 0;
	err = targets_add(&counters->targets, kind, id);
	if (err == -ESRCH) {
		error_set(error, ESRCH, "%s %d: there is no such %s", what, id, what);
		error_hint(error, "ps -e%s", kind == TPROF_SCOPE_KIND_TGID ? "" : "L");
	} else if (err) {
		error_set(error, -err, "%s %d: cannot be looked up in /proc: %s", what, id, strerror(-err));
		error_hint_files(error, -err);
	}
	return err;
}

static int add_targets(struct tprof_counters *counters, const struct tprof_counters_opts *opts,
		       struct tprof_error *error)
{
	int err = 0;

	for (size_t i = 0; i < opts->nr_pids && !err; i++)
		err = add_target(counters, TPROF_SCOPE_KIND_TGID, opts->pids[i], error);
	for (size_t i = 0; i < opts->nr_tids && !err; i++)
		err = add_target(counters, TPROF_SCOPE_KIND_TID, opts->tids[i], error);
	if (err || !counters->targets.nr)
		return err;
	counters->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (counters->epoll_fd >= 0) {
		targets_reap(&counters->targets, counters->epoll_fd);
		return 0;
	}
	err = error_set(error, errno, "epoll: %s", strerror(errno));
	error_hint_files(error, -err);
	return err;
}

static int open_events(struct tprof_counters *counters, const struct tprof_counters_opts *opts,
		       struct tprof_error *error)
{
	return opts->nr_events ? counters_add_events(counters, opts->events, opts->nr_events, error) :
				 counters_add_default_events(counters, error);
}

static int configure(struct tprof_counters *counters, const struct tprof_counters_opts *opts,
		     struct tprof_error *error)
{
	int err = check(opts, error);

	if (err)
		return err;
	counters->log = (struct log){ .fn = opts->log, .ctx = opts->log_ctx };
	counters->per = (enum tprof_counter_per)opts->per;
	counters->user_only = opts->user_only;
	counters->kernel_only = opts->kernel_only;
	err = proc_require(error);
	if (!err)
		err = cpus_init(&counters->cpus, opts->cpus, error);
	if (!err)
		err = add_targets(counters, opts, error);
	if (!err)
		event_core_pmus(&counters->core_pmus, EVENT_SYSFS, &counters->cpus);
	if (!err)
		err = open_events(counters, opts, error);
	if (err)
		return err;
	counters->on_exec = opts->enable_on_exec;
	if (!is_by_switch(opts)) {
		counters->inherits = opts->nr_pids;
		return counters->targets.nr ? counters_open_targets(counters, error) :
					      counters_open_cpus(counters, error);
	}
	err = switch_count_open(counters, opts, error);
	/* The counters are those of CPUs; exec changes the scope. */
	counters->on_exec = false;
	return err ? err : counters_open_cpus(counters, error);
}

struct tprof_counters *tprof_counters__open(const struct tprof_counters_opts *opts, struct tprof_error *error)
{
	const struct tprof_counters_opts defaults = { .sz = sizeof(defaults) };
	struct tprof_counters_opts known = defaults;
	struct tprof_counters *counters = calloc(1, sizeof(*counters));
	int err = opts ? sized_error(error, sized_take(&known, sizeof(known), opts), "counters options") : 0;

	if (counters) {
		counters->epoll_fd = -1;
		counters->owner = getpid();
	}
	if (!err && !counters)
		err = no_memory(error);
	if (!err)
		err = configure(counters, &known, error);
	/* Threads that have ended and CPUs that have gone are no failure, but have set a sentence. */
	if (!err && error)
		*error = (struct tprof_error){ 0 };
	if (!err)
		return counters;
	tprof_counters__close(counters);
	errno = -err;
	return NULL;
}

void tprof_counters__close(struct tprof_counters *counters)
{
	if (!counters)
		return;
	switch_count_close(counters->by_switch);
	counters_free_slots(counters);
	counters_free_units(counters);
	for (size_t i = 0; i < counters->nr_events; i++)
		free(counters->events[i].name);
	free(counters->events);
	targets_release(&counters->targets);
	cpus_release(&counters->cpus);
	if (counters->epoll_fd >= 0)
		close(counters->epoll_fd);
	free(counters);
}

const char *tprof_counters__error(const struct tprof_counters *counters)
{
	return counters->error.text;
}

const char *tprof_counters__hint(const struct tprof_counters *counters)
{
	return counters->error.hint;
}

/* A child inherits the descriptors: what it changes would be changed for its parent. */
static int check_owner(struct tprof_counters *counters)
{
	if (counters->owner == getpid())
		return 0;
	error_set(&counters->error, EBUSY, "counters: belong to process %d, which has forked this one",
		  counters->owner);
	error_hint(&counters->error, "open counters of its own in the child");
	return -EBUSY;
}

static int enable(struct tprof_counters *counters, bool enabled)
{
	int err = 0;

	for (size_t i = 0; i < counters->nr_slots && !err; i++)
		err = count_slot_enable(counters, &counters->slots[i], enabled);
	return err ? error_set(&counters->error, -err, "the counters cannot be %s: %s",
			       enabled ? "enabled" : "disabled", strerror(-err)) : 0;
}

int tprof_counters__start(struct tprof_counters *counters)
{
	bool at_exec = counters->on_exec && !counters->was_started;
	int err = check_owner(counters);

	if (err)
		return err;
	if (counters->is_started)
		return error_set(&counters->error, EBUSY, "the counters are started already");
	err = counters->by_switch ? switch_count_attach(counters, &counters->error) : 0;
	if (!err && !at_exec)
		err = enable(counters, true);
	counters->is_started |= !err;
	counters->was_started |= !err;
	return err;
}

int tprof_counters__stop(struct tprof_counters *counters)
{
	int err = check_owner(counters);

	if (err)
		return err;
	if (!counters->is_started)
		return error_set(&counters->error, EINVAL, "the counters are not started");
	err = enable(counters, false);
	counters->is_started = false;
	if (!err)
		err = tprof_counters__read(counters);
	if (counters->by_switch)
		switch_count_detach(counters);
	return err;
}

static int read_targets(struct tprof_counters *counters)
{
	int err = 0;

	for (size_t i = 0; i < counters->nr_slots && !err; i++)
		if (counters->slots[i].is_open)
			err = count_slot_read(counters, &counters->slots[i]);
	if (!err)
		err = counters_follow_targets(counters);
	return err ? error_set(&counters->error, -err, "the counters cannot be read: %s", strerror(-err)) : 0;
}

int tprof_counters__read(struct tprof_counters *counters)
{
	int err = check_owner(counters);

	if (err)
		return err;
	if (!counters->was_started)
		return error_set(&counters->error, EINVAL, "the counters were not started");
	err = !counters->by_switch && counters->targets.nr ? read_targets(counters) :
							     counters_follow_cpus(counters, &counters->error);
	if (!err && counters->by_switch)
		err = switch_count_read(counters, &counters->error);
	if (!err && !counters->by_switch)
		counters_sum_slots(counters);
	return err;
}
