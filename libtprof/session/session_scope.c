// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The processes, threads and cgroups that a session samples: checks them, stores them until the start, and passes them
 * to the engine.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

/* The perf engine's programs see ids of the initial pid namespace; ids of another namespace cannot be translated. */
static int refuse_namespace(const char *what, pid_t id, struct tprof_error *error)
{
	error_set(error, EOPNOTSUPP, "%s %d: the perf engine cannot translate ids of this pid namespace", what, id);
	error_hint(error, "run it in the pid namespace of the host (containers: --pid=host), or load the module");
	return -EOPNOTSUPP;
}

int scope_add_id(struct tprof_session *session, enum tprof_scope_kind kind, pid_t id, struct tprof_error *error)
{
	const char *what = kind == TPROF_SCOPE_KIND_TGID ? "process" : "thread";
	int err;

	if (id <= 0)
		return error_set(error, EINVAL, "%s %d: not the id of a %s", what, id, what);
	if (session->sampling.object.pidns_ino && !session->ops->any_namespace)
		return refuse_namespace(what, id, error);
	err = targets_add(&session->targets, kind, id);
	if (err == -ESRCH) {
		error_set(error, ESRCH, "%s %d: there is no such %s", what, id, what);
		error_hint(error, "ps -e%s", kind == TPROF_SCOPE_KIND_TGID ? "" : "L");
		return err;
	}
	if (err) {
		error_set(error, -err, "%s %d: cannot be looked up in /proc: %s", what, id, strerror(-err));
		error_hint_files(error, -err);
		return err;
	}
	session->sampling.object.scope |= TPROF_SCOPE_TASKS;
	return 0;
}

int scope_add_cgroup(struct tprof_session *session, const char *path, struct tprof_error *error)
{
	struct tprof_object *object = &session->sampling.object;
	struct tprof_scope_cgroup *cgroup = &object->cgroups[object->nr_cgroups];
	uint64_t id;
	int err;

	if (object->nr_cgroups == TPROF_SCOPE_MAX_CGROUPS)
		return error_set(error, E2BIG, "cgroup %s: at most %d can be given", path, TPROF_SCOPE_MAX_CGROUPS);
	err = cgroup_lookup(path, &id, &cgroup->level);
	if (err == -EOPNOTSUPP) {
		error_set(error, -err, "cgroup %s: no cgroup v2 file system is mounted", path);
		error_hint(error, "mount -t cgroup2 none /sys/fs/cgroup");
		return err;
	}
	if (err) {
		error_set(error, -err, "cgroup %s: %s", path,
			  err == -ENOENT ? "there is no such cgroup" : strerror(-err));
		error_hint(error, "give the path below the root of the cgroup v2 mount, as in /proc/PID/cgroup");
		return err;
	}
	if (cgroup->level == CGROUP_LEVEL_UNKNOWN && !session->ops->any_namespace) {
		error_set(error, EOPNOTSUPP, "cgroup %s: its depth is not visible in this cgroup namespace", path);
		error_hint(error, "run it in a cgroup of the namespace, or in the initial namespace (nsenter -t 1 -C)");
		return -EOPNOTSUPP;
	}
	cgroup->id = id;
	object->nr_cgroups++;
	object->scope |= TPROF_SCOPE_CGROUPS;
	return 0;
}

/* A client that has no memory for its list must not sample everything instead. */
static int check_list(const char *name, const void *list, size_t nr, struct tprof_error *error)
{
	if (list || !nr)
		return 0;
	error_set(error, EINVAL, "%s is NULL, but nr_%s is %zu", name, name, nr);
	error_hint(error, "set both, or leave both out");
	return -EINVAL;
}

static int check_lists(const struct tprof_session_opts *opts, struct tprof_error *error)
{
	int err = check_list("pids", opts->pids, opts->nr_pids, error);

	if (!err)
		err = check_list("tids", opts->tids, opts->nr_tids, error);
	if (!err)
		err = check_list("cgroups", opts->cgroups, opts->nr_cgroups, error);
	for (size_t i = 0; !err && i < opts->nr_cgroups && i < TPROF_SCOPE_MAX_CGROUPS; i++) {
		if (opts->cgroups[i])
			continue;
		error_set(error, EINVAL, "cgroups[%zu] is NULL", i);
		error_hint(error, "give the path of a cgroup below the root of the cgroup v2 mount");
		err = -EINVAL;
	}
	return err;
}

int scope_configure(struct tprof_session *session, const struct tprof_session_opts *opts, struct tprof_error *error)
{
	int err = check_lists(opts, error);

	for (size_t i = 0; i < opts->nr_pids && !err; i++)
		err = scope_add_id(session, TPROF_SCOPE_KIND_TGID, opts->pids[i], error);
	for (size_t i = 0; i < opts->nr_tids && !err; i++)
		err = scope_add_id(session, TPROF_SCOPE_KIND_TID, opts->tids[i], error);
	for (size_t i = 0; i < opts->nr_cgroups && !err; i++)
		err = scope_add_cgroup(session, opts->cgroups[i], error);
	return err;
}

static int explain(struct tprof_session *session, pid_t id, int err)
{
	if (err == -E2BIG)
		return error_set(&session->error, E2BIG, "pid %d: the scope has too many processes", id);
	error_set(&session->error, -err, "pid %d: cannot be sampled: %s", id, strerror(-err));
	error_hint_files(&session->error, -err);
	return err;
}

int scope_load_from(struct tprof_session *session, size_t first)
{
	const struct targets *targets = &session->targets;
	pid_t failed = 0;
	int err = 0;

	if (first < targets->nr)
		err = session->ops->target(session->engine, &targets->all[first], targets->nr - first, &failed);
	return err ? explain(session, failed, err) : 0;
}

int scope_load(struct tprof_session *session)
{
	return scope_load_from(session, 0);
}

void scope_scan(struct tprof_session *session)
{
	for (size_t i = 0; i < session->targets.nr; i++) {
		if (session->targets.all[i].kind == TPROF_SCOPE_KIND_TGID)
			aspaces_look_up(session->aspaces, session->targets.all[i].id);
	}
}

void scope_release(struct tprof_session *session)
{
	targets_release(&session->targets);
}

bool tprof_session__targets_gone(const struct tprof_session *session)
{
	return targets_gone(&session->targets);
}

static void on_fork(void *ctx, pid_t parent, pid_t child)
{
	struct tprof_session *session = ctx;

	session->ops->forked(session->engine, parent, child);
}

static void on_exit_of(void *ctx, pid_t tgid)
{
	struct tprof_session *session = ctx;

	session->ops->exited(session->engine, tgid);
}

struct sideband_listener scope_listener(struct tprof_session *session)
{
	struct sideband_listener listener = { .ctx = session };

	if ((session->sampling.object.scope & TPROF_SCOPE_TASKS) && session->ops->forked) {
		listener.forked = on_fork;
		listener.exited = on_exit_of;
	}
	return listener;
}
