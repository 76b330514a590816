// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Address spaces: which process had which file mapped where, now and in the recent past.
 *
 * There is one table of tasks by thread id; a process has a list of images. An image is partial if events are
 * incomplete (its start was lost); /proc is then read on demand.
 */
#include "aspace.h"

#include <stdlib.h>

#include "aspace_tasks.h"

static bool task_keep(void *ctx, struct hash_node *node)
{
	struct aspaces *aspaces = ctx;
	struct task *task = (struct task *)node;
	bool is_thread = task->tgid != (pid_t)node->key && (task->tgid || task->comm);

	image_list_age(&aspaces->images, &task->newest);
	if (task->newest || (is_thread && (!task->ended || aspaces->images.comms.age - task->ended_age < 2)))
		return true;
	comms_put(&aspaces->images.comms, task->comm);
	free(task);
	return false;
}

static bool task_free(void *ctx, struct hash_node *node)
{
	struct aspaces *aspaces = ctx;
	struct task *task = (struct task *)node;

	image_list_free(&aspaces->images, &task->newest);
	free(task);
	return false;
}

static void refer_to_dso(struct dso *dso, int by)
{
	if (by > 0)
		dso_ref(dso);
	else
		dso_put(dso);
}

struct aspaces *aspaces_new(struct dsos *dsos, const struct log *log)
{
	struct aspaces *aspaces = calloc(1, sizeof(*aspaces));

	if (!aspaces)
		return NULL;
	aspaces->dsos = dsos;
	aspaces->log = log;
	aspaces->scan_max = ASPACES_SCAN_MAX;
	clock_offsets(&aspaces->clocks);
	aspaces->images.mappings.refer = refer_to_dso;
	return aspaces;
}

void aspaces_free(struct aspaces *aspaces)
{
	if (!aspaces)
		return;
	hash_filter(&aspaces->tasks, task_free, aspaces);
	hash_fini(&aspaces->tasks);
	comms_fini(&aspaces->images.comms);
	proc_text_fini(&aspaces->text);
	moved_fini(&aspaces->moved);
	free(aspaces->heirs);
	free(aspaces);
}

void aspaces_age(struct aspaces *aspaces)
{
	comms_age(&aspaces->images.comms);
	moved_age(&aspaces->moved);
	aspaces->nr_heirs = 0;
	hash_filter(&aspaces->tasks, task_keep, aspaces);
}

size_t aspaces_nr_images(const struct aspaces *aspaces)
{
	return aspaces->images.nr;
}

void aspaces_blind(struct aspaces *aspaces)
{
	aspaces->is_blind = true;
}

/* Lookups ------------------------------------------------------------------------------------------------ */

/* Was it scanned on demand since the last aspaces_age()? Marks it as scanned. */
static bool asked_already(struct aspaces *aspaces, struct task *task)
{
	bool asked = task->asked == aspaces->images.comms.age + 1;

	task->asked = aspaces->images.comms.age + 1;
	return asked;
}

/* The newest image of a process; scans /proc if events are not sufficient. */
static const struct image *images_of(struct aspaces *aspaces, pid_t tgid)
{
	struct task *task = aspaces->is_blind ? NULL : task_get(aspaces, tgid);
	bool suffices;

	if (!task)
		return NULL;
	suffices = task->newest && (!task->newest->partial || task->newest->end_ns);
	if (!suffices && !asked_already(aspaces, task))
		aspaces_scan_process(aspaces, tgid);
	return task->newest;
}

void aspaces_set_scan_max(struct aspaces *aspaces, size_t max)
{
	aspaces->scan_max = max;
}

void aspaces_look_up(struct aspaces *aspaces, pid_t tgid)
{
	images_of(aspaces, tgid);
}

const struct mapping *aspaces_find(struct aspaces *aspaces, pid_t tgid, uint32_t exec_id, uint64_t ip)
{
	return image_list_find(&aspaces->images, images_of(aspaces, tgid), tgid, exec_id, ip);
}

bool aspaces_find_moved(struct aspaces *aspaces, pid_t tgid, uint64_t ip, struct dso **dso, uint64_t *offset)
{
	return !aspaces->is_blind && moved_find(&aspaces->moved, aspaces->dsos, tgid, ip, dso, offset);
}

struct aspace_program aspaces_program(const struct aspaces *aspaces, pid_t tgid, uint64_t ip)
{
	const struct task *task = task_find(aspaces, tgid);
	const struct image *image = task ? task->newest : NULL;
	struct aspace_program program = {
		.exec_ns = image ? task->exec_ns : 0,
		.end_ns = image ? image->end_ns : 0, .is_moved = image && !image->partial };

	for (; image; image = image->older) {
		bool is_mapped = mappings_find(image->mappings, ip);

		program.is_moved &= !is_mapped;
		program.had_another |= is_mapped && image != task->newest && image->end_ns <= task->exec_ns;
	}
	return program;
}

void aspaces_watch_jit(struct aspaces *aspaces, void (*fn)(void *ctx, pid_t tgid), void *ctx)
{
	aspaces->note_jit = fn;
	aspaces->jit_ctx = ctx;
}

const char *aspaces_process_name(struct aspaces *aspaces, pid_t tgid, uint32_t exec_id)
{
	const struct comm *comm;

	/* Interrupts that wake threads */
	if (!tgid && exec_id == TPROF_EXEC_IRQ)
		return "[irq]";
	if (!tgid && exec_id == TPROF_EXEC_SOFTIRQ)
		return "[softirq]";
	/* The idle task: interrupts in it are sampled, but /proc does not list it. */
	if (!tgid)
		return "swapper";
	comm = image_list_comm(&aspaces->images, images_of(aspaces, tgid), exec_id);
	return comm ? comm_shown(comm->text) : NULL;
}

const char *aspaces_thread_name(struct aspaces *aspaces, pid_t tid)
{
	struct task *task = tid && !aspaces->is_blind ? task_get(aspaces, tid) : NULL;
	char comm[PROC_COMM_LEN];

	if (!tid)
		return aspaces_process_name(aspaces, tid, 0);
	if (!task)
		return NULL;
	if (task->comm)
		return comm_shown(task->comm->text);
	if (task->tgid)
		return aspaces_process_name(aspaces, task->tgid, 0);
	if (asked_already(aspaces, task) || proc_read(&aspaces->text, "%d/comm", tid))
		return NULL;
	proc_parse_comm(aspaces->text.text, comm);
	task->comm = comms_get(&aspaces->images.comms, comm);
	return task->comm ? comm_shown(task->comm->text) : NULL;
}
