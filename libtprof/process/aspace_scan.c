// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Scans of /proc. A scan at time S includes everything up to S: events of that process up to S are ignored.
 *
 * A scan of all processes reads the mappings of the youngest ones only: these may end before their samples are named.
 * Older ones are read when a sample of them is named, or when they fork.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "aspace_tasks.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "process_state.h"

/* Takes ownership of the mappings in @state. */
static void process_set(struct aspaces *aspaces, struct task *task, struct process_state *state,
			uint64_t time_ns)
{
	struct image *image = task->newest;

	task->scan_ns = time_ns;
	task->scan = aspaces->scan;
	if (state->dead) {
		/* It ended before now. Its mappings are gone from /proc, so those from events are kept. */
		if (!image)
			image = task_add_image(aspaces, task, 0);
		if (image && !image->comm)
			task_rename_image(aspaces, image, state->comm);
		if (image)
			image_end(&aspaces->images, image, time_ns);
		return mappings_put(&aspaces->images.mappings, state->mappings);
	}
	if (!image || image->end_ns ||
	    (!image->partial && !state->denied && !mappings_same_ranges(image->mappings, state->mappings)))
		image = task_add_image(aspaces, task, image ? time_ns : 0);
	if (!image)
		return mappings_put(&aspaces->images.mappings, state->mappings);
	if (!image->comm || strcmp(image->comm->text, state->comm))
		task_rename_image(aspaces, image, state->comm);
	if (state->denied)
		return;
	/* Equal ranges may still be of different files. */
	mappings_put(&aspaces->images.mappings, image->mappings);
	image->mappings = state->mappings;
	image->partial = false;
}

int aspaces_scan_process(struct aspaces *aspaces, pid_t tgid)
{
	uint64_t time_ns = clock_initial_ns(&aspaces->clocks);
	struct process_state state;
	struct task *task;
	int err;

	err = process_read(&state, &aspaces->images.mappings, aspaces->dsos, tgid, time_ns, &aspaces->text);
	if (err == -E2BIG)
		log_info(aspaces->log, "process %d has too many executable mappings: its functions lack names", tgid);
	if (err)
		return err == -ENOENT ? -ESRCH : err;
	/*
	 * Even root may be denied access to a process that was made undumpable. Only the names of this process are
	 * missing.
	 */
	if (state.denied)
		log_info(aspaces->log, "no permission to read the mappings of process %d (%s): its functions lack "
			 "names", tgid, state.comm);
	task = task_get_process(aspaces, tgid);
	if (!task) {
		mappings_put(&aspaces->images.mappings, state.mappings);
		return -ENOMEM;
	}
	if (aspaces->note_jit && process_may_have_jit(&state))
		aspaces->note_jit(aspaces->jit_ctx, tgid);
	process_set(aspaces, task, &state, time_ns);
	return 0;
}

/* Process ids in the order of /proc, which is that of the numbers. */
struct census {
	pid_t *tgids;
	size_t nr, capacity;
};

static int count(void *ctx, pid_t tgid)
{
	struct census *census = ctx;
	pid_t *grown = array_grow(census->tgids, census->nr, &census->capacity, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	census->tgids = grown;
	grown[census->nr++] = tgid;
	return 0;
}

/* Leaves a process to be read later. What is known of it may be outdated: events were lost if this is another scan. */
static void defer(struct aspaces *aspaces, pid_t tgid)
{
	struct task *task = task_find(aspaces, tgid);

	aspaces->has_deferred = true;
	if (!task)
		return;
	task->scan = aspaces->scan;
	if (task->newest && !task->newest->end_ns)
		image_set_partial(&aspaces->images, task->newest);
}

/* Without the last one, or if it is unknown, the order is that of the ids. */
static size_t find_oldest(struct aspaces *aspaces, const struct census *census)
{
	return proc_read(&aspaces->text, "loadavg") ? 0 :
	       proc_oldest(census->tgids, census->nr, proc_parse_last(aspaces->text.text));
}

/* Processes may exit during the scan, and some files are not readable at all. */
static int scan_youngest(struct aspaces *aspaces, const struct census *census)
{
	size_t nr_deferred = census->nr > aspaces->scan_max ? census->nr - aspaces->scan_max : 0;
	size_t oldest = nr_deferred ? find_oldest(aspaces, census) : 0;
	int nr = 0;

	for (size_t i = 0; i < census->nr; i++) {
		pid_t tgid = census->tgids[(oldest + i) % census->nr];
		int err;

		if (i < nr_deferred) {
			defer(aspaces, tgid);
			continue;
		}
		err = aspaces_scan_process(aspaces, tgid);

		if (err == -ENOMEM)
			return err;
		nr += !err;
	}
	return nr;
}

struct scan {
	struct aspaces *aspaces;
	uint64_t start_ns;
};

/* Tasks that the scan did not find have ended, and their exit event was lost. Thread names are read again on demand. */
static bool end_unseen(void *ctx, struct hash_node *node)
{
	struct scan *scan = ctx;
	struct aspaces *aspaces = scan->aspaces;
	struct task *task = (struct task *)node;

	if (task->newest && task->scan != aspaces->scan)
		image_end(&aspaces->images, task->newest, scan->start_ns);
	if (task->tgid != (pid_t)node->key && !task->ended) {
		task->ended = true;
		task->ended_age = aspaces->images.comms.age;
	}
	return true;
}

int aspaces_scan(struct aspaces *aspaces)
{
	struct scan scan = { .aspaces = aspaces, .start_ns = clock_initial_ns(&aspaces->clocks) };
	struct census census = { 0 };
	int result;

	if (aspaces->is_blind)
		return 0;
	aspaces->scan++;
	result = proc_each_process(count, &census);
	if (!result)
		result = scan_youngest(aspaces, &census);
	free(census.tgids);
	if (result >= 0)
		hash_filter(&aspaces->tasks, end_unseen, &scan);
	return result;
}
