// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Address spaces: which process had which file mapped where, now and in the recent past.
 *
 * There is one table of tasks by thread id; a process has a list of images. An event is applied to the image of its
 * time, so late events do no harm. A scan of /proc at time S includes everything up to S: events of that process up to
 * S are ignored. An image is partial if events are incomplete (its start was lost); /proc is then read on demand.
 */
#include "aspace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process_state.h"
#include "base/clock.h"
#include "base/hash.h"
#include "host/proc.h"
#include "image.h"
#include "moved.h"

struct task {
	struct hash_node node;		/* key: thread id */
	pid_t tgid;			/* 0: only its name was looked up */
	struct image *newest;		/* processes only */
	struct comm *comm;		/* threads only; NULL: has the name of its process */
	uint64_t exec_ns;		/* time of its last reported exec; 0: none */
	uint64_t scan_ns;		/* time of the last scan; 0: never */
	uint32_t scan;			/* number of the last scan that found it */
	uint32_t asked;			/* comms.age + 1 at the last scan on demand; 0: never */
	uint32_t ended_age;		/* threads only, valid if ended */
	bool ended;			/* threads only */
};

struct aspaces {
	struct dsos *dsos;
	const struct log *log;
	struct hash tasks;
	struct images images;
	struct proc_text text;
	struct moved moved;
	uint32_t scan;			/* number of scans */
	void (*note_jit)(void *ctx, pid_t tgid);
	void *jit_ctx;
	bool warned_memory;
	bool is_blind;
};

static void warn_memory(struct aspaces *aspaces)
{
	if (!aspaces->warned_memory)
		log_warn(aspaces->log, "out of memory: some processes will have no names");
	aspaces->warned_memory = true;
}

static struct image *task_add_image(struct aspaces *aspaces, struct task *task, uint64_t birth_ns)
{
	struct image *image = image_add(&aspaces->images, &task->newest, birth_ns);

	if (!image)
		warn_memory(aspaces);
	return image;
}

static void rename_image(struct aspaces *aspaces, struct image *image, const char *comm)
{
	if (image_rename(&aspaces->images, image, comm))
		warn_memory(aspaces);
}

/* Tasks -------------------------------------------------------------------------------------------------- */

static struct task *task_find(const struct aspaces *aspaces, pid_t tid)
{
	return (struct task *)hash_find(&aspaces->tasks, (uint64_t)tid);
}

static struct task *task_get(struct aspaces *aspaces, pid_t tid)
{
	struct task *task = task_find(aspaces, tid);

	if (task)
		return task;
	task = calloc(1, sizeof(*task));
	if (!task || hash_add(&aspaces->tasks, &task->node, (uint64_t)tid)) {
		free(task);
		warn_memory(aspaces);
		return NULL;
	}
	return task;
}

/* Returns the task as a process, even if the id was that of a thread before. */
static struct task *process_get(struct aspaces *aspaces, pid_t tgid)
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
	free(aspaces);
}

void aspaces_age(struct aspaces *aspaces)
{
	comms_age(&aspaces->images.comms);
	moved_age(&aspaces->moved);
	hash_filter(&aspaces->tasks, task_keep, aspaces);
}

size_t aspaces_nr_images(const struct aspaces *aspaces)
{
	return aspaces->images.nr;
}

/* Events ------------------------------------------------------------------------------------------------- */

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

void aspaces_fork(struct aspaces *aspaces, pid_t parent_tgid, pid_t tgid, uint64_t time_ns)
{
	struct task *child = process_get(aspaces, tgid);
	const struct task *parent = task_find(aspaces, parent_tgid);
	const struct image *from;
	struct image *image;

	if (!child || child->scan_ns >= time_ns)
		return;
	from = parent ? image_at(parent->newest, time_ns) : NULL;
	child->exec_ns = 0;
	image = task_add_image(aspaces, child, time_ns);
	if (!image)
		return;
	image->partial = !from || from->partial;
	image->mappings = from ? mappings_ref(from->mappings) : NULL;
	image->comm = from ? comm_ref(from->comm) : NULL;
}

void aspaces_thread_fork(struct aspaces *aspaces, pid_t tgid, pid_t parent_tid, pid_t tid)
{
	const struct task *parent = task_find(aspaces, parent_tid);

	thread_set(aspaces, tgid, tid, parent ? comm_ref(parent->comm) : NULL);
}

void aspaces_exec(struct aspaces *aspaces, pid_t tgid, const char *comm, uint64_t time_ns)
{
	struct task *task = process_get(aspaces, tgid);
	struct image *image;

	if (!task || task->scan_ns >= time_ns)
		return;
	task->exec_ns = time_ns;
	image = task_add_image(aspaces, task, time_ns);
	if (image)
		rename_image(aspaces, image, comm);
}

void aspaces_comm(struct aspaces *aspaces, pid_t tgid, pid_t tid, const char *comm)
{
	struct task *task;
	struct image *image;

	if (tid != tgid)
		return thread_set(aspaces, tgid, tid, comms_get(&aspaces->images.comms, comm));
	task = process_get(aspaces, tgid);
	if (!task)
		return;
	image = task->newest;
	if (!image || image->end_ns) {
		image = task_add_image(aspaces, task, image ? image->end_ns : 0);
		if (!image)
			return;
		image->partial = true;
	}
	rename_image(aspaces, image, comm);
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
	task = process_get(aspaces, tgid);
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
		warn_memory(aspaces);
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
		return;
	if (task->tgid != tid) {
		task->ended = true;
		task->ended_age = aspaces->images.comms.age;
		return;
	}
	image = task->scan_ns < time_ns ? image_at(task->newest, time_ns) : NULL;
	if (image)
		image_end(&aspaces->images, image, time_ns);
}

/* Scans of /proc ----------------------------------------------------------------------------------------- */

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
			rename_image(aspaces, image, state->comm);
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
		rename_image(aspaces, image, state->comm);
	if (state->denied)
		return;
	/* Equal ranges may still be of different files. */
	mappings_put(&aspaces->images.mappings, image->mappings);
	image->mappings = state->mappings;
	image->partial = false;
}

int aspaces_scan_process(struct aspaces *aspaces, pid_t tgid)
{
	uint64_t time_ns = clock_now_ns();
	struct process_state state;
	struct task *task;
	int err;

	err = process_read(&state, &aspaces->images.mappings, aspaces->dsos, tgid, &aspaces->text);
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
	task = process_get(aspaces, tgid);
	if (!task) {
		mappings_put(&aspaces->images.mappings, state.mappings);
		return -ENOMEM;
	}
	if (aspaces->note_jit && process_may_have_jit(&state))
		aspaces->note_jit(aspaces->jit_ctx, tgid);
	process_set(aspaces, task, &state, time_ns);
	return 0;
}

struct scan {
	struct aspaces *aspaces;
	uint64_t start_ns;
	int nr;
};

static int scan_one(void *ctx, pid_t tgid)
{
	struct scan *scan = ctx;
	int err = aspaces_scan_process(scan->aspaces, tgid);

	if (!err)
		scan->nr++;
	/* Processes may exit during the scan, and some files are not readable at all. */
	return err == -ENOMEM ? err : 0;
}

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
	struct scan scan = { .aspaces = aspaces, .start_ns = clock_now_ns() };
	int err;

	if (aspaces->is_blind)
		return 0;
	aspaces->scan++;
	err = proc_each_process(scan_one, &scan);
	if (err)
		return err;
	hash_filter(&aspaces->tasks, end_unseen, &scan);
	return scan.nr;
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
