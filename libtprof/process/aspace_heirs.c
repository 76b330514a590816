// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Processes that a scan of /proc deferred, when they fork or exit.
 *
 * A parent that was not read yet is read when its fork event arrives, some time after the fork. Its child inherits the
 * mappings of that later time. Until the events of the time in between have been read, that is not certain: if the
 * parent has mapped anything, the child keeps nothing.
 */
#include <errno.h>

#include "aspace_tasks.h"
#include "base/array.h"

#define MAX_HEIRS 4096

static int heir_add(struct aspaces *aspaces, const struct heir *heir)
{
	struct heir *grown;

	if (aspaces->nr_heirs >= MAX_HEIRS)
		return -E2BIG;
	grown = array_grow(aspaces->heirs, aspaces->nr_heirs, &aspaces->heirs_capacity, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	aspaces->heirs = grown;
	grown[aspaces->nr_heirs++] = *heir;
	return 0;
}

const struct image *heir_parent(struct aspaces *aspaces, pid_t parent, pid_t child, uint64_t fork_ns)
{
	const struct task *task = task_find(aspaces, parent);

	if (!aspaces->has_deferred || aspaces->is_blind)
		return NULL;
	/* It has been read, or all of it was reported. */
	if (task && task->newest && (task->scan_ns || !task->newest->partial))
		return NULL;
	if (heir_add(aspaces, &(struct heir){ parent, child, fork_ns }) || aspaces_scan_process(aspaces, parent))
		return NULL;
	task = task_find(aspaces, parent);
	return task ? image_at(task->newest, fork_ns) : NULL;
}

void heirs_check(struct aspaces *aspaces, pid_t parent, uint64_t time_ns)
{
	for (size_t i = 0; i < aspaces->nr_heirs; i++) {
		const struct heir *heir = &aspaces->heirs[i];
		const struct task *task = heir->parent == parent ? task_find(aspaces, heir->child) : NULL;
		struct image *image = task && heir->fork_ns <= time_ns ? image_at(task->newest, heir->fork_ns) : NULL;

		if (image && image->birth_ns == heir->fork_ns && image->partial)
			image_set_partial(&aspaces->images, image);
	}
}

/*
 * Without this image, samples of the process would be those of the next process with its id. The id may also be that of
 * a thread, which does no harm.
 */
void deferred_exit(struct aspaces *aspaces, pid_t tgid, uint64_t time_ns)
{
	struct task *task = aspaces->has_deferred ? task_get_process(aspaces, tgid) : NULL;
	struct image *image = task ? task_add_image(aspaces, task, 0) : NULL;

	if (!image)
		return;
	image->partial = image->unknown = true;
	image_end(&aspaces->images, image, time_ns);
}
