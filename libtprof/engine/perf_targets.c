// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The processes and threads that the engine perf samples. The maps of all filters have the same content. */
#include <errno.h>
#include <string.h>

#include "host/descendants.h"
#include "perf_engine.h"
#include "perf_scope.h"

static int add_to_scopes(const struct engine *engine, enum tprof_scope_kind kind, pid_t id, pid_t root)
{
	int err = 0;

	for (size_t i = 0; i < engine->nr_objects && !err; i++)
		err = perf_scope_add(engine->objects[i].filter, kind, id, root);
	return err;
}

/* A full map is not an error: the program finds the process by its ancestors. */
static int add_descendant(void *ctx, pid_t pid, pid_t root)
{
	int err = add_to_scopes(ctx, TPROF_SCOPE_KIND_TGID, pid, root);

	return err == -E2BIG ? 0 : err;
}

/*
 * Adds existing descendants. The programs find descendants themselves, but not if an ancestor in between has exited,
 * nor beyond a number of generations. A failure here costs some samples and does not prevent sampling.
 */
static void target_descendants(struct engine *engine, const struct target *targets, size_t nr)
{
	pid_t failed;
	int err = descendants_each(targets, nr, add_descendant, engine, &failed);

	if (err)
		log_warn(engine->log, "descendants whose parent has exited may not be sampled: cannot look them up: %s",
			 strerror(-err));
}

int perf_target(struct engine *engine, const struct target *targets, size_t nr, pid_t *failed)
{
	bool processes = false;

	for (size_t i = 0; i < nr; i++) {
		int err = add_to_scopes(engine, targets[i].kind, targets[i].id, targets[i].id);

		if (err) {
			*failed = targets[i].id;
			return err;
		}
		processes |= targets[i].kind == TPROF_SCOPE_KIND_TGID;
	}
	if (processes)
		target_descendants(engine, targets, nr);
	return 0;
}

void perf_forked(struct engine *engine, pid_t parent, pid_t child)
{
	pid_t root = perf_scope_root(engine->objects[0].filter, TPROF_SCOPE_KIND_TGID, parent);

	if (root)
		add_descendant(engine, child, root);
}

void perf_exited(struct engine *engine, pid_t tgid)
{
	for (size_t i = 0; i < engine->nr_objects; i++)
		perf_scope_remove(engine->objects[i].filter, TPROF_SCOPE_KIND_TGID, tgid);
}

/*
 * A program may be adding a descendant of the process, whose parent it has just found in the map. Hence the number,
 * which the caller waits for to become 0.
 */
int perf_untarget(struct engine *engine, const struct target *target, const struct target *others, size_t nr)
{
	bool process = target->kind == TPROF_SCOPE_KIND_TGID, processes = false;
	int removed = 0;

	for (size_t i = 0; i < engine->nr_objects; i++) {
		const struct tprof_filter *filter = engine->objects[i].filter;
		int found = process ? perf_scope_remove_all(filter, target->id) : 0;

		if (found < 0)
			return found;
		removed += found;
		if (!process)
			perf_scope_remove(filter, target->kind, target->id);
	}
	for (size_t i = 0; i < nr; i++)
		processes |= others[i].kind == TPROF_SCOPE_KIND_TGID;
	/* Those that are left without a target among their parents, because these have exited. */
	if (process && processes && !removed)
		target_descendants(engine, others, nr);
	return removed;
}

int perf_change_cgroup(struct engine *engine, const struct tprof_scope_cgroup *cgroup)
{
	int err = 0;

	(void)cgroup;
	for (size_t i = 0; i < engine->nr_objects && !err; i++)
		err = perf_scope_set_cgroups(engine->objects[i].filter, &engine->sampling->object);
	return err;
}
