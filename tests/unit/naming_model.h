/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A naive model of the address spaces of processes: page by page, without sharing, merging and trees. It defines the
 * expected results of the real implementation.
 */
#ifndef TPROF_TESTS_NAMING_MODEL_H
#define TPROF_TESTS_NAMING_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MODEL_PAGES 256
#define MODEL_TASKS 24
#define MODEL_IMAGES 128		/* a few more than a process may have */
#define MODEL_MAX_IMAGES 64
#define MODEL_ANON 0			/* anonymous memory */
#define MODEL_NONE (-1)			/* no file, no name */

struct model_page {
	int file;
	uint64_t pgoff;			/* bytes */
	uint32_t remapped;		/* 1 + the age at which other code was mapped; 0: never */
};

struct model_image {
	uint64_t birth_ns, end_ns;	/* end 0: still runs */
	uint32_t ended_age;
	bool dropped;			/* adding it removed another image, */
	uint32_t dropped_age;		/* at this age */
	int comm;
	struct model_page pages[MODEL_PAGES];
};

struct model_task {
	int id, tgid;			/* tgid MODEL_NONE: unknown */
	struct model_image *images[MODEL_IMAGES];	/* newest first */
	int nr;
	int comm;			/* of a thread */
	bool ended;
	uint32_t ended_age;
};

struct model {
	struct model_task tasks[MODEL_TASKS];
	uint32_t age;
	uint64_t nr_dropped, nr_remapped;
};

static void model_init(struct model *model)
{
	memset(model, 0, sizeof(*model));
	for (int i = 0; i < MODEL_TASKS; i++)
		model->tasks[i] = (struct model_task){ .id = i, .tgid = MODEL_NONE, .comm = MODEL_NONE };
}

static void model_fini(struct model *model)
{
	for (int i = 0; i < MODEL_TASKS; i++)
		while (model->tasks[i].nr)
			free(model->tasks[i].images[--model->tasks[i].nr]);
}

static struct model_task *model_process(struct model *model, int id)
{
	struct model_task *task = &model->tasks[id];

	task->tgid = id;
	task->ended = false;
	task->comm = MODEL_NONE;
	return task;
}

static void model_thread(struct model *model, int tgid, int id, int comm)
{
	struct model_task *task = &model->tasks[id];

	task->tgid = tgid;
	task->ended = false;
	task->comm = comm;
}

static void model_image_end(const struct model *model, struct model_image *image, uint64_t time_ns)
{
	if (image->end_ns)
		return;
	image->end_ns = time_ns;
	image->ended_age = model->age;
}

static void model_forget(struct model_task *task, int i)
{
	free(task->images[i]);
	memmove(&task->images[i], &task->images[i + 1], (size_t)(--task->nr - i) * sizeof(task->images[0]));
}

static struct model_image *model_image_add(struct model *model, struct model_task *task, uint64_t birth_ns)
{
	struct model_image *image = calloc(1, sizeof(*image));
	int at = 0, oldest;

	while (at < task->nr && task->images[at]->birth_ns > birth_ns)
		at++;
	memmove(&task->images[at + 1], &task->images[at], (size_t)(task->nr++ - at) * sizeof(task->images[0]));
	task->images[at] = image;
	image->birth_ns = birth_ns;
	image->comm = MODEL_NONE;
	for (int i = 0; i < MODEL_PAGES; i++)
		image->pages[i].file = MODEL_NONE;
	if (at + 1 < task->nr)
		model_image_end(model, task->images[at + 1], birth_ns);
	if (at)
		model_image_end(model, image, task->images[at - 1]->birth_ns);
	if (task->nr > MODEL_MAX_IMAGES) {
		oldest = task->images[task->nr - 1] == image ? task->nr - 2 : task->nr - 1;
		model_forget(task, oldest);
		image->dropped = true;
		image->dropped_age = model->age;
		model->nr_dropped++;
	}
	return image;
}

static struct model_image *model_image_at(const struct model_task *task, uint64_t time_ns)
{
	for (int i = 0; i < task->nr; i++)
		if (task->images[i]->birth_ns <= time_ns)
			return task->images[i];
	return NULL;
}

/* Events ------------------------------------------------------------------------------------------------- */

static void model_fork(struct model *model, int parent, int child, uint64_t time_ns)
{
	struct model_task *task = model_process(model, child);
	struct model_image *from = model_image_at(&model->tasks[parent], time_ns), *image;

	image = model_image_add(model, task, time_ns);
	for (int i = 0; from && i < MODEL_PAGES; i++) {
		image->pages[i] = from->pages[i];
		image->pages[i].remapped = 0;
	}
	image->comm = from ? from->comm : MODEL_NONE;
}

static void model_exec(struct model *model, int id, int comm, uint64_t time_ns)
{
	model_image_add(model, model_process(model, id), time_ns)->comm = comm;
}

static void model_comm(struct model *model, int tgid, int id, int comm)
{
	struct model_image *image;
	struct model_task *task;

	if (tgid != id) {
		model_thread(model, tgid, id, comm);
		return;
	}
	task = model_process(model, id);
	image = task->nr ? task->images[0] : NULL;
	if (!image || image->end_ns)
		image = model_image_add(model, task, image ? image->end_ns : 0);
	image->comm = comm;
}

/* Whether other code replaces code. Anonymous memory over anonymous memory does not count: JIT compilers do that. */
static bool model_is_other(const struct model_page *page, int file, uint64_t pgoff)
{
	if (page->file == MODEL_NONE || (page->file == MODEL_ANON && file == MODEL_ANON))
		return false;
	return page->file != file || page->pgoff != pgoff;
}

static void model_mmap(struct model *model, int id, int first, int nr, int file, uint64_t pgoff, uint64_t time_ns)
{
	struct model_task *task = model_process(model, id);
	struct model_image *image = model_image_at(task, time_ns);

	if (!image && task->nr)
		return;
	if (!image || (image->end_ns && image->end_ns < time_ns))
		image = model_image_add(model, task, time_ns);
	for (int i = 0; i < nr; i++) {
		struct model_page *page = &image->pages[first + i];
		uint64_t at = pgoff + (uint64_t)i * 0x1000;

		if (model_is_other(page, file, at)) {
			page->remapped = model->age + 1;
			model->nr_remapped++;
		}
		page->file = file;
		page->pgoff = at;
	}
}

static void model_exit(struct model *model, int id, uint64_t time_ns)
{
	struct model_task *task = &model->tasks[id];
	struct model_image *image;

	if (task->tgid != id) {
		task->ended = true;
		task->ended_age = model->age;
		return;
	}
	image = model_image_at(task, time_ns);
	if (image)
		model_image_end(model, image, time_ns);
}

/* /proc was read, and has none of the tasks. */
static void model_unseen(struct model *model, uint64_t time_ns)
{
	for (int i = 0; i < MODEL_TASKS; i++) {
		struct model_task *task = &model->tasks[i];

		if (task->nr)
			model_image_end(model, task->images[0], time_ns);
		if (task->tgid != i && !task->ended) {
			task->ended = true;
			task->ended_age = model->age;
		}
	}
}

static void model_age(struct model *model)
{
	model->age++;
	for (int i = 0; i < MODEL_TASKS; i++) {
		struct model_task *task = &model->tasks[i];
		bool is_thread = task->tgid != i && (task->tgid != MODEL_NONE || task->comm != MODEL_NONE);

		for (int j = task->nr; j-- > 0;)
			if (task->images[j]->end_ns && model->age - task->images[j]->ended_age >= 2)
				model_forget(task, j);
		if (task->nr || (is_thread && (!task->ended || model->age - task->ended_age < 2)))
			continue;
		*task = (struct model_task){ .id = i, .tgid = MODEL_NONE, .comm = MODEL_NONE };
	}
}

/* Answers ------------------------------------------------------------------------------------------------ */

static bool model_was_remapped(const struct model *model, const struct model_page *page)
{
	return page->remapped && model->age - (page->remapped - 1) < 2;
}

/*
 * Several places with replaced code may be stored as one range, including the pages between them, for as long as one of
 * them is.
 */
static bool model_may_be_remapped(const struct model *model, const struct model_image *image, int at)
{
	bool below = false, above = false, any = false;

	for (int i = 0; i < MODEL_PAGES; i++) {
		if (!image->pages[i].remapped)
			continue;
		any |= model_was_remapped(model, &image->pages[i]);
		below |= i <= at;
		above |= i >= at;
	}
	return any && below && above;
}

static bool model_has_dropped(const struct model *model, const struct model_task *task)
{
	for (int i = 0; i < task->nr; i++)
		if (task->images[i]->dropped && model->age - task->images[i]->dropped_age < 2)
			return true;
	return false;
}

struct model_answer {
	const struct model_page *page;	/* NULL: no name */
	bool maybe;			/* no name is correct too */
};

static const struct model_page *model_page_of(const struct model *model, const struct model_image *image, int at,
					      bool *maybe)
{
	const struct model_page *page = &image->pages[at];

	*maybe |= model_may_be_remapped(model, image, at);
	return page->file == MODEL_NONE || model_was_remapped(model, page) ? NULL : page;
}

/* @exec: the page of the program text; MODEL_NONE: unknown. */
static struct model_answer model_find(const struct model *model, int id, int exec, int at)
{
	const struct model_task *task = &model->tasks[id];
	const struct model_page *found = NULL;
	struct model_answer answer = { 0 };

	if (model_has_dropped(model, task))
		return answer;
	for (int i = 0; exec != MODEL_NONE && i < task->nr; i++) {
		const struct model_page *page;

		if (task->images[i]->pages[exec].file == MODEL_NONE)
			continue;
		page = model_page_of(model, task->images[i], at, &answer.maybe);
		if (!page || (found && (model_is_other(found, page->file, page->pgoff) || page->file == MODEL_ANON)))
			return answer;
		found = found ? found : page;
	}
	for (int i = 0; !found && i < task->nr; i++) {
		if (task->images[i]->pages[at].file == MODEL_NONE)
			continue;
		answer.page = model_page_of(model, task->images[i], at, &answer.maybe);
		return answer;
	}
	answer.page = found;
	return answer;
}

static int model_process_name(const struct model *model, int id, int exec)
{
	const struct model_task *task = &model->tasks[id];
	const struct model_image *found = NULL;

	if (model_has_dropped(model, task))
		return MODEL_NONE;
	for (int i = 0; exec != MODEL_NONE && i < task->nr; i++) {
		if (task->images[i]->pages[exec].file == MODEL_NONE)
			continue;
		if (found && found->comm != task->images[i]->comm)
			return MODEL_NONE;
		found = task->images[i];
	}
	if (!found && task->nr)
		found = task->images[0];
	return found ? found->comm : MODEL_NONE;
}

static int model_thread_name(const struct model *model, int id)
{
	const struct model_task *task = &model->tasks[id];

	if (task->comm != MODEL_NONE)
		return task->comm;
	return task->tgid == MODEL_NONE ? MODEL_NONE : model_process_name(model, task->tgid, MODEL_NONE);
}

#endif
