// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Reads one process from /proc, for aspace.h. Does not open files: among hundreds of processes only a few get samples,
 * and dso_open_late() opens the files of these.
 */
#include "process_state.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rights/foreign.h"

/* The path in the kernel's mmap events for memory without a file, for which maps has an empty path or "[anon:...]". */
#define ANON_PATH "//anon"

/* How often a process is read at most until it is found between two calls of execve(2). */
#define MAX_READS 8

static int mappings_add_line(struct mappings_pool *pool, struct mappings **mappings, struct dsos *dsos,
			     const struct proc_map *map, uint64_t time_ns)
{
	struct mapping mapping = { .start = map->start, .end = map->end, .pgoff = map->pgoff };
	struct dso_id id = { .path = map->path, .maj = map->maj, .min = map->min, .ino = map->ino };

	if (!*map->path || !strncmp(map->path, "[anon:", 6))
		id.path = ANON_PATH;
	if (!mappings_may_bring(*mappings, dsos))
		return -E2BIG;
	mapping.dso = dsos_get(dsos, &id, 0, map->start, map->end, time_ns);
	if (!mapping.dso)
		return -ENOMEM;
	return mappings_insert(pool, mappings, &mapping);
}

static int mappings_parse(struct mappings_pool *pool, struct mappings **mappings, struct dsos *dsos, uint64_t time_ns,
			  char *text)
{
	struct proc_map map;
	int more, err;

	while ((more = proc_parse_map(&text, &map))) {
		if (more < 0 || !map.executable)
			continue;
		err = mappings_add_line(pool, mappings, dsos, &map, time_ns);
		if (err)
			return err;
	}
	return 0;
}

/* The thread group leader has exited and has no memory, but the other threads do. */
static int read_maps_of_a_thread(struct broker *broker, struct proc_text *text, pid_t tgid)
{
	struct dirent *entry;
	char path[64];
	DIR *dir;
	int err = -ESRCH;

	snprintf(path, sizeof(path), "/proc/%d/task", tgid);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (err && (entry = readdir(dir))) {
		int tid = isdigit((unsigned char)entry->d_name[0]) ? atoi(entry->d_name) : tgid;

		if (tid != tgid)
			err = foreign_read(broker, text, BROKER_MAPS, tid);
	}
	closedir(dir);
	return err;
}

/* For empty maps: a kernel thread, a zombie, or a process whose leader exited before its other threads. */
static int read_without_maps(struct process_state *state, struct broker *broker, pid_t tgid, struct proc_text *text)
{
	struct proc_stat stat;
	int err = proc_read(text, "%d/stat", tgid);

	if (err)
		return err;
	err = proc_parse_stat(text->text, &stat);
	if (err)
		return err;
	text->text[0] = '\0';
	state->dead = proc_stat_is_dead(&stat);
	if (state->dead || stat.state != 'Z')
		return 0;
	return read_maps_of_a_thread(broker, text, tgid);
}

bool process_may_have_jit(const struct process_state *state)
{
	const struct mapping *mapping = NULL;

	while ((mapping = mappings_next(state->mappings, mapping))) {
		if (dso_is_anonymous(mapping->dso))
			return true;
	}
	return false;
}

static int read_name(pid_t tgid, struct proc_text *text, char comm[PROC_COMM_LEN])
{
	int err = proc_read(text, "%d/comm", tgid);

	if (!err)
		proc_parse_comm(text->text, comm);
	return err;
}

static int read_mappings(struct process_state *state, struct mappings_pool *pool, struct dsos *dsos, pid_t tgid,
			 uint64_t time_ns, struct proc_text *text)
{
	int err = foreign_read(dsos_broker(dsos), text, BROKER_MAPS, tgid);

	if (err == -EACCES || err == -EPERM) {
		state->denied = true;
		return 0;
	}
	if (!err && !text->size)
		err = read_without_maps(state, dsos_broker(dsos), tgid, text);
	if (!err)
		err = mappings_parse(pool, &state->mappings, dsos, time_ns, text->text);
	return err;
}

/*
 * The name and the mappings come from two files. Between the two, the process may have executed another program: then
 * it has another name than before. A process that has ended since has the name that was read. Kernel threads, which
 * have no mappings, execute none.
 */
static bool name_is_current(const struct process_state *state, pid_t tgid, struct proc_text *text)
{
	char comm[PROC_COMM_LEN];

	return !state->mappings || read_name(tgid, text, comm) || !strcmp(comm, state->comm);
}

int process_read(struct process_state *state, struct mappings_pool *pool, struct dsos *dsos, pid_t tgid,
		 uint64_t time_ns, struct proc_text *text)
{
	int err = 0;

	for (int i = 0; i < MAX_READS; i++) {
		memset(state, 0, sizeof(*state));
		err = read_name(tgid, text, state->comm);
		if (err)
			return err;
		err = read_mappings(state, pool, dsos, tgid, time_ns, text);
		if (!err && (i == MAX_READS - 1 || name_is_current(state, tgid, text)))
			return 0;
		mappings_put(pool, state->mappings);
		state->mappings = NULL;
		if (err)
			return err;
	}
	return err;
}
