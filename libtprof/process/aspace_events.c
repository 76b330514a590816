// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Applies side-band events to the address spaces: each to the image of its time, so late events do no harm. */
#include <errno.h>
#include <string.h>

#include "aspace_tasks.h"

/* Takes ownership of the reference to the name. */
static void thread_set(struct aspaces *aspaces, pid_t tgid, pid_t tid, struct comm *comm)
{
	struct task *task = task_get(aspaces, tid);

	if (!task)
		return comms_put(&aspaces->images.comms, comm);
	task->tgid = tgid;
	task->ended = false;
	comms_put(&aspaces->images.comms, task->comm);
	task->comm = comm;
}

/* The image for an event, created if its start was missed; NULL if the event has no new information. */
static struct image *image_for_event(struct aspaces *aspaces, struct task *task, uint64_t time_ns)
{
	struct image *image;

	if (task->scan_ns >= time_ns)
		return NULL;
	image = image_at(task->newest, time_ns);
	if (image && (!image->end_ns || image->end_ns >= time_ns))
		return image;
	if (!image && task->newest)
		return NULL;
	image = task_add_image(aspaces, task, time_ns);
	if (image)
		image->partial = true;
	return image;
}

/* Is it the parent of all threads of the kernel? In a pid namespace, another process may have its id. */
static bool is_kthreadd(pid_t tgid, const struct image *image)
{
	return tgid == 2 && image && image->comm && !strcmp(image->comm->text, "kthreadd");
}

void aspaces_fork(struct aspaces *aspaces, pid_t parent_tgid, pid_t tgid, uint64_t time_ns)
{
	struct task *child = task_get_process(aspaces, tgid);
	const struct task *parent = task_find(aspaces, parent_tgid);
	const struct image *from, *late;
	struct image *image;
	bool is_kernel;

	if (!child || child->scan_ns >= time_ns)
		return;
	late = heir_parent(aspaces, parent_tgid, tgid, time_ns);
	from = late ? late : parent ? image_at(parent->newest, time_ns) : NULL;
	/*
	 * Kernels from 6.4 on name a thread of the kernel when they make it, and report only the name of its parent.
	 */
	is_kernel = is_kthreadd(parent_tgid, from);
	if (is_kernel && !aspaces->is_blind && !aspaces_scan_process(aspaces, tgid))
		return;
	child->exec_ns = 0;
	image = task_add_image(aspaces, child, time_ns);
	if (!image)
		return;
	image->partial = !from || from->partial || late;
	image->mappings = from ? mappings_ref(from->mappings) : NULL;
	image->comm = from && !is_kernel ? comm_ref(from->comm) : NULL;
}

void aspaces_thread_fork(struct aspaces *aspaces, pid_t tgid, pid_t parent_tid, pid_t tid)
{
	const struct task *parent = task_find(aspaces, parent_tid);

	thread_set(aspaces, tgid, tid, parent ? comm_ref(parent->comm) : NULL);
}

void aspaces_exec(struct aspaces *aspaces, pid_t tgid, const char *comm, uint64_t time_ns)
{
	struct task *task = task_get_process(aspaces, tgid);
	struct image *image;

	if (!task || task->scan_ns >= time_ns)
		return;
	task->exec_ns = time_ns;
	image = task_add_image(aspaces, task, time_ns);
	if (image)
		task_rename_image(aspaces, image, comm);
}

void aspaces_comm(struct aspaces *aspaces, pid_t tgid, pid_t tid, const char *comm)
{
	struct task *task;
	struct image *image;

	if (tid != tgid)
		return thread_set(aspaces, tgid, tid, comms_get(&aspaces->images.comms, comm));
	task = task_get_process(aspaces, tgid);
	if (!task)
		return;
	image = task->newest;
	if (!image || image->end_ns) {
		image = task_add_image(aspaces, task, image ? image->end_ns : 0);
		if (!image)
			return;
		image->partial = true;
	}
	task_rename_image(aspaces, image, comm);
}

void aspaces_mmap(struct aspaces *aspaces, pid_t tgid, uint64_t start, uint64_t length, uint64_t pgoff,
		  const struct dso_id *id, uint64_t time_ns)
{
	struct mapping mapping = { .start = start, .end = start + length, .pgoff = pgoff };
	struct task *task;
	struct image *image;
	int err = -ENOMEM;

	if (mapping.end <= start)
		return;
	task = task_get_process(aspaces, tgid);
	heirs_check(aspaces, tgid, time_ns);
	image = task ? image_for_event(aspaces, task, time_ns) : NULL;
	if (!image)
		return;
	if (mappings_may_bring(image->mappings, aspaces->dsos))
		mapping.dso = dsos_get(aspaces->dsos, id, tgid, start, mapping.end, time_ns);
	else
		err = -E2BIG;
	if (mapping.dso)
		err = image_map(&aspaces->images, image, &mapping, tgid);
	if (err == -ENOMEM)
		aspaces_warn_memory(aspaces);
	if (err)
		image_set_partial(&aspaces->images, image);
	else if (aspaces->note_jit && dso_is_anonymous(mapping.dso))
		aspaces->note_jit(aspaces->jit_ctx, tgid);
}

void aspaces_exit(struct aspaces *aspaces, pid_t tid, uint64_t time_ns)
{
	struct task *task = task_find(aspaces, tid);
	struct image *image;

	if (!task)
		return deferred_exit(aspaces, tid, time_ns);
	if (task->tgid != tid) {
		task->ended = true;
		task->ended_age = aspaces->images.comms.age;
		return;
	}
	image = task->scan_ns < time_ns ? image_at(task->newest, time_ns) : NULL;
	if (image)
		image_end(&aspaces->images, image, time_ns);
}
