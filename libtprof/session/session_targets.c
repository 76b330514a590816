// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Targets that are added to a session and removed from it: processes, threads and cgroups. */
#include <errno.h>
#include <string.h>

#include "host/cgroup.h"
#include "session.h"

/* More rounds than a process can keep forking through. */
#define MAX_ROUNDS 1000

static const char *kind_name(enum tprof_scope_kind kind)
{
	return kind == TPROF_SCOPE_KIND_TGID ? "process" : "thread";
}

static int check_change(struct tprof_session *session)
{
	int err = session_check_process(session);

	return err ? err : session_check_fixed(session, "its targets");
}

static int add_id(struct tprof_session *session, enum tprof_scope_kind kind, pid_t id)
{
	bool tasks = session->sampling.object.scope & TPROF_SCOPE_TASKS;
	int err = check_change(session);

	if (err)
		return err;
	if (session->state != SESSION_OPEN && !tasks)
		return error_set(&session->error, EBUSY, "%s %d: the session samples all processes already",
				 kind_name(kind), id);
	err = scope_add_id(session, kind, id, &session->error);
	if (err || session->state == SESSION_OPEN)
		return err;
	err = scope_load_from(session, session->targets.nr - 1);
	if (!err && session->state >= SESSION_RUNNING && kind == TPROF_SCOPE_KIND_TGID)
		aspaces_look_up(session->aspaces, id);
	if (err)
		session->targets.nr--;
	else
		session_note_target(session, TPROF_NOTE_ADDED, &session->targets.all[session->targets.nr - 1]);
	targets_reap(&session->targets, session->epoll_fd);
	return err;
}

int tprof_session__add_pid(struct tprof_session *session, pid_t pid)
{
	return add_id(session, TPROF_SCOPE_KIND_TGID, pid);
}

int tprof_session__add_tid(struct tprof_session *session, pid_t tid)
{
	return add_id(session, TPROF_SCOPE_KIND_TID, tid);
}

/*
 * A process that a program or the module found just before can still be added. Each round ends with no such program
 * running, and with the process events read.
 */
static int remove_from_engine(struct tprof_session *session, const struct target *target)
{
	int removed, err = 0;

	for (int i = 0; i < MAX_ROUNDS && !err; i++) {
		removed = session->ops->untarget(session->engine, target, session->targets.all, session->targets.nr);
		if (removed <= 0)
			return removed;
		err = program_barrier_wait(&session->barrier);
		if (!err)
			err = sideband_drain(session->sideband);
		err = err < 0 ? err : 0;
	}
	return err;
}

static int remove_id(struct tprof_session *session, enum tprof_scope_kind kind, pid_t id)
{
	struct target target = { .kind = kind, .id = id };
	int err = check_change(session);

	if (err)
		return err;
	if (!targets_remove(&session->targets, kind, id)) {
		error_set(&session->error, ENOENT, "%s %d: it is not a target of the session", kind_name(kind), id);
		error_hint(&session->error, "only what was given or added can be removed, not its descendants");
		return -ENOENT;
	}
	if (session->state == SESSION_OPEN)
		return 0;
	targets_reap(&session->targets, session->epoll_fd);
	err = remove_from_engine(session, &target);
	session_note_target(session, TPROF_NOTE_REMOVED, &target);
	return err ? error_set(&session->error, -err, "%s %d: cannot be removed: %s", kind_name(kind), id,
			       err == -EPERM ? "the session is sealed" : strerror(-err)) : 0;
}

int tprof_session__remove_pid(struct tprof_session *session, pid_t pid)
{
	return remove_id(session, TPROF_SCOPE_KIND_TGID, pid);
}

int tprof_session__remove_tid(struct tprof_session *session, pid_t tid)
{
	return remove_id(session, TPROF_SCOPE_KIND_TID, tid);
}

static struct tprof_scope_cgroup *find_cgroup(struct tprof_object *object, uint64_t id)
{
	for (uint32_t i = 0; i < object->nr_cgroups; i++) {
		if (object->cgroups[i].id == id)
			return &object->cgroups[i];
	}
	return NULL;
}

static int explain_cgroup(struct tprof_session *session, const char *path, int err)
{
	return error_set(&session->error, -err, "cgroup %s: the session cannot be changed: %s", path,
			 err == -EPERM ? "it is sealed" : strerror(-err));
}

int tprof_session__add_cgroup(struct tprof_session *session, const char *path)
{
	struct tprof_object *object = &session->sampling.object;
	const struct tprof_scope_cgroup *added;
	int err = check_change(session);

	if (err)
		return err;
	if (session->state != SESSION_OPEN && !(object->scope & TPROF_SCOPE_CGROUPS))
		return error_set(&session->error, EBUSY, "cgroup %s: the session samples all cgroups already", path);
	err = scope_add_cgroup(session, path, &session->error);
	if (err)
		return err;
	added = &object->cgroups[object->nr_cgroups - 1];
	if (find_cgroup(object, added->id) != added) {
		object->nr_cgroups--;
		return 0;
	}
	err = session->engine ? session->ops->add_cgroup(session->engine, added) : 0;
	if (!err) {
		session_note_cgroup(session, TPROF_NOTE_ADDED, added);
		return 0;
	}
	object->nr_cgroups--;
	return explain_cgroup(session, path, err);
}

int tprof_session__remove_cgroup(struct tprof_session *session, const char *path)
{
	struct tprof_object *object = &session->sampling.object;
	struct tprof_scope_cgroup *found = NULL, removed;
	int err = check_change(session);
	uint32_t level;
	uint64_t id;

	if (err)
		return err;
	if (!cgroup_lookup(path, &id, &level))
		found = find_cgroup(object, id);
	if (!found) {
		error_set(&session->error, ENOENT, "cgroup %s: it is not a target of the session", path);
		error_hint(&session->error, "give the path with which it was added, of a cgroup that exists");
		return -ENOENT;
	}
	removed = *found;
	*found = object->cgroups[--object->nr_cgroups];
	err = session->engine ? session->ops->remove_cgroup(session->engine, &removed) : 0;
	if (!err) {
		session_note_cgroup(session, TPROF_NOTE_REMOVED, &removed);
		return 0;
	}
	object->cgroups[object->nr_cgroups++] = removed;
	return explain_cgroup(session, path, err);
}
