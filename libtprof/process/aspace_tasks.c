// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The table of tasks by thread id, and the images of each process. */
#include "aspace_tasks.h"

#include <stdlib.h>

#include "base/log.h"

void aspaces_warn_memory(struct aspaces *aspaces)
{
	if (!aspaces->warned_memory)
		log_warn(aspaces->log, "out of memory: some processes will have no names");
	aspaces->warned_memory = true;
}

struct image *task_add_image(struct aspaces *aspaces, struct task *task, uint64_t birth_ns)
{
	struct image *image = image_add(&aspaces->images, &task->newest, birth_ns);

	if (!image)
		aspaces_warn_memory(aspaces);
	return image;
}

void task_rename_image(struct aspaces *aspaces, struct image *image, const char *comm)
{
	if (image_rename(&aspaces->images, image, comm))
		aspaces_warn_memory(aspaces);
}

struct task *task_find(const struct aspaces *aspaces, pid_t tid)
{
	return (struct task *)hash_find(&aspaces->tasks, (uint64_t)tid);
}

struct task *task_get(struct aspaces *aspaces, pid_t tid)
{
	struct task *task = task_find(aspaces, tid);

	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task || hash_add(&aspaces->tasks, &task->node, (uint64_t)tid)) {
		free(task);
		aspaces_warn_memory(aspaces);
		return NULL;
	}
	return task;
}

struct task *task_get_process(struct aspaces *aspaces, pid_t tgid)
{
	struct task *task = task_get(aspaces, tgid);

	if (!task)
		return NULL;
	task->tgid = tgid;
	task->ended = false;
	comms_put(&aspaces->images.comms, task->comm);
	task->comm = NULL;
	return task;
}
