// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Processes and threads that a session of the module samples. */
#include "kmod_scope.h"

#include <errno.h>
#include <stdlib.h>

#include "host/descendants.h"
#include "host/kmod_device.h"

/* A process that is sampled, and the target that it is or descends from. */
struct relative {
	struct hash_node node;
	pid_t root;
	bool removed;			/* the target is no target any more; its next event removes it */
};

static struct relative *find(const struct kmod_scope *scope, pid_t pid)
{
	return (struct relative *)hash_find(&scope->family, (uint64_t)pid);
}

static int remember(struct kmod_scope *scope, pid_t pid, pid_t root)
{
	struct relative *relative = find(scope, pid);

	if (!relative) {
		relative = calloc(1, sizeof(*relative));
		if (!relative || hash_add(&scope->family, &relative->node, (uint64_t)pid)) {
			free(relative);
			return -ENOMEM;
		}
	}
	relative->root = root;
	relative->removed = false;
	return 0;
}

static bool drop(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

void kmod_scope_fini(struct kmod_scope *scope)
{
	hash_filter(&scope->family, drop, NULL);
	hash_fini(&scope->family);
}

static int call(const struct kmod_scope *scope, unsigned long request, uint32_t kind, pid_t id)
{
	struct tprof_target target = { .size = sizeof(target), .kind = kind, .id = (uint64_t)id };

	return kmod_call(scope->session_fd, request, &target);
}

static int attach_process(void *ctx, pid_t pid, pid_t root)
{
	struct kmod_scope *scope = ctx;
	int err = call(scope, TPROF_IOC_ATTACH, TPROF_TARGET_PROCESS, pid);

	return err ? err : remember(scope, pid, root);
}

int kmod_scope_add(struct kmod_scope *scope, const struct target *targets, size_t nr, pid_t *failed)
{
	bool processes = false;

	for (size_t i = 0; i < nr; i++) {
		bool process = targets[i].kind == TPROF_SCOPE_KIND_TGID;
		int err = process ? attach_process(scope, targets[i].id, targets[i].id) :
			  call(scope, TPROF_IOC_ATTACH, TPROF_TARGET_THREAD, targets[i].id);

		if (err) {
			*failed = targets[i].id;
			return err;
		}
		processes |= process;
	}
	return processes ? descendants_each(targets, nr, attach_process, scope, failed) : 0;
}

/* Processes that still descend from another target belong to that one. */
static int keep(void *ctx, pid_t pid, pid_t root)
{
	struct relative *relative = find(ctx, pid);

	if (relative)
		relative->root = root;
	return 0;
}

/* The search of one removal. */
struct removal {
	struct kmod_scope *scope;
	pid_t root;
	int nr, err;
};

static int detach(void *ctx, pid_t pid, pid_t root)
{
	struct removal *removal = ctx;
	struct relative *relative = find(removal->scope, pid);
	int err;

	(void)root;
	if (relative && (relative->removed || relative->root != removal->root))
		return 0;
	err = call(removal->scope, TPROF_IOC_DETACH, TPROF_TARGET_PROCESS, pid);
	if (err && err != -ENOENT)
		return err;
	removal->nr += !err;
	if (relative)
		relative->removed = true;
	return 0;
}

static bool detach_relative(void *ctx, struct hash_node *node)
{
	struct removal *removal = ctx;

	if (!removal->err)
		removal->err = detach(removal, (pid_t)node->key, 0);
	return true;
}

int kmod_scope_remove(struct kmod_scope *scope, const struct target *target, const struct target *others, size_t nr)
{
	struct removal removal = { .scope = scope, .root = target->id };
	pid_t failed;
	int err = 0;

	if (target->kind == TPROF_SCOPE_KIND_TID) {
		err = call(scope, TPROF_IOC_DETACH, TPROF_TARGET_THREAD, target->id);
		return err == -ENOENT ? 0 : err ? err : 1;
	}
	if (nr)
		err = descendants_each(others, nr, keep, scope, &failed);
	if (!err)
		hash_filter(&scope->family, detach_relative, &removal);
	return err ? err : removal.err ? removal.err : removal.nr;
}

void kmod_scope_forked(struct kmod_scope *scope, pid_t parent, pid_t child)
{
	struct relative *relative = find(scope, parent);
	struct removal removal = { .scope = scope };

	/* Without memory, it stays in scope if its target is removed. */
	if (!relative || remember(scope, child, relative->root) || !relative->removed)
		return;
	removal.root = relative->root;
	detach(&removal, child, relative->root);
}

void kmod_scope_exited(struct kmod_scope *scope, pid_t pid)
{
	struct relative *relative = find(scope, pid);

	if (!relative)
		return;
	hash_remove(&scope->family, &relative->node);
	free(relative);
}
