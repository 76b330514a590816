// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The perf-PID.map files of all processes, and lookups of an address within an interval.
 *
 * A map that was rewritten instead of appended to has no order in time: its previous and its present content must agree
 * on the name.
 */
#include "perfmaps.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "perfmap_process.h"

#define MAX_UNUSED_AGES 2

struct perfmaps *perfmaps_new(const struct log *log)
{
	struct perfmaps *maps = calloc(1, sizeof(*maps));
	struct rlimit limit;

	if (!maps)
		return NULL;
	maps->log = log;
	maps->created_ns = maps->begin_ns = maps->next_begin_ns = perfmap_real_ns();
	maps->max_bytes = perfmap_max_bytes();
	maps->max_held = !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < 8 * PERFMAPS_MAX_HELD ?
			 limit.rlim_cur / 8 : PERFMAPS_MAX_HELD;
	return maps;
}

void perfmaps_use_broker(struct perfmaps *maps, struct broker *broker)
{
	maps->broker = broker;
}

void perfmaps_set_max_bytes(struct perfmaps *maps, size_t max_bytes)
{
	maps->max_bytes = max_bytes;
}

static bool free_process(void *ctx, struct hash_node *node)
{
	struct perfmap_process *process = (struct perfmap_process *)node;

	perfmap_process_fini(ctx, process);
	free(process);
	return false;
}

void perfmaps_free(struct perfmaps *maps)
{
	if (!maps)
		return;
	hash_filter(&maps->by_tgid, free_process, maps);
	hash_fini(&maps->by_tgid);
	free(maps);
}

static struct perfmap_process *get_process(struct perfmaps *maps, pid_t tgid)
{
	struct perfmap_process *process = (struct perfmap_process *)hash_find(&maps->by_tgid, (uint32_t)tgid);

	if (process)
		return process;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	perfmap_process_init(maps, process, tgid);
	if (!hash_add(&maps->by_tgid, &process->node, (uint32_t)tgid))
		return process;
	free(process);
	return NULL;
}

void perfmaps_meet(struct perfmaps *maps, pid_t tgid)
{
	struct perfmap_process *process;

	if (hash_find(&maps->by_tgid, (uint32_t)tgid))
		return;
	process = get_process(maps, tgid);
	if (process)
		perfmap_process_meet(maps, process);
}

static bool look(void *ctx, struct hash_node *node)
{
	perfmap_process_look(ctx, (struct perfmap_process *)node);
	return true;
}

void perfmaps_look(struct perfmaps *maps)
{
	hash_filter(&maps->by_tgid, look, maps);
}

static bool mark_process(void *ctx, struct hash_node *node)
{
	perfmap_process_mark(ctx, (struct perfmap_process *)node);
	return true;
}

void perfmaps_mark(struct perfmaps *maps)
{
	maps->next_begin_ns = perfmap_real_ns();
	hash_filter(&maps->by_tgid, mark_process, maps);
}

/* The address may be in code that was compiled since the last interval, where another function was before. */
static void freshen(struct perfmaps *maps, struct perfmap_process *process, const struct perfmaps_life *life)
{
	if (!process->is_fresh)
		perfmap_process_refresh(maps, process, life);
	process->is_fresh = true;
	process->unused_ages = 0;
}

/* True if the address had another name since the map had @old_bytes. */
static bool has_several(const struct perfmap_process *process, uint64_t ip, const char *name, size_t old_bytes)
{
	const char *before;
	uint64_t delta;

	if (perfmap_has_changed(process->map, ip, old_bytes))
		return true;
	return process->previous && perfmap_find(process->previous, ip, &before, &delta) && strcmp(before, name) != 0;
}

enum perfmaps_answer perfmaps_find(struct perfmaps *maps, pid_t tgid, const struct perfmaps_life *life, uint64_t ip,
				   const char **name, uint64_t *delta)
{
	struct perfmap_process *process = get_process(maps, tgid);

	if (!process)
		return PERFMAPS_UNSURE;
	freshen(maps, process, life);
	if (process->is_unsure)
		return PERFMAPS_UNSURE;
	if (process->is_behind || !process->map || !perfmap_find(process->map, ip, name, delta))
		return process->is_over ? PERFMAPS_OVER : PERFMAPS_NONE;
	return has_several(process, ip, *name, process->old_bytes) ? PERFMAPS_UNSURE : PERFMAPS_FOUND;
}

struct perfmaps_moment perfmaps_moment(const struct perfmaps *maps, pid_t tgid)
{
	const struct perfmap_process *process = (struct perfmap_process *)hash_find(&maps->by_tgid, (uint32_t)tgid);

	if (!process)
		return (struct perfmaps_moment){ 0 };
	return (struct perfmaps_moment){
		.life = process->life,
		.generation = process->generation,
		.reading = process->nr_readings,
		.old_bytes = process->old_bytes,
		.is_behind = process->is_behind,
	};
}

enum perfmaps_answer perfmaps_find_late(struct perfmaps *maps, pid_t tgid, const struct perfmaps_life *life,
					struct perfmaps_moment *moment, uint64_t ip, const char **name)
{
	struct perfmap_process *process = (struct perfmap_process *)hash_find(&maps->by_tgid, (uint32_t)tgid);
	bool is_rewritten;
	uint64_t delta;

	if (!process)
		return PERFMAPS_OVER;
	freshen(maps, process, life);
	if (process->life != moment->life || process->is_unsure)
		return PERFMAPS_OVER;
	is_rewritten = process->generation != moment->generation;
	if (process->nr_readings == moment->reading || !process->map)
		return process->is_over ? PERFMAPS_OVER : PERFMAPS_NONE;
	/* The content in between was not read and is unknown. */
	if (is_rewritten && moment->is_behind)
		return PERFMAPS_OVER;
	moment->reading = process->nr_readings;
	if (!perfmap_find(process->map, ip, name, &delta))
		return process->is_over ? PERFMAPS_OVER : PERFMAPS_NONE;
	return has_several(process, ip, *name, is_rewritten ? 0 : moment->old_bytes) ? PERFMAPS_OVER : PERFMAPS_FOUND;
}

const char *perfmaps_refused(const struct perfmaps *maps)
{
	return maps->said[0] ? maps->said : NULL;
}

static bool age_process(void *ctx, struct hash_node *node)
{
	struct perfmap_process *process = (struct perfmap_process *)node;
	const struct perfmaps_life nothing = { 0 };
	bool is_alive = process->is_held && !process->is_fresh && !perfmap_owner_read(&process->owner);

	/*
	 * A process that has ended gets its last reading: a later lookup may need it. A file that is not kept open may
	 * be gone soon.
	 */
	if (!process->is_fresh && (process->is_held ? !is_alive : process->unused_ages == 1))
		perfmap_process_refresh(ctx, process, &nothing);
	perfmap_process_age(ctx, process);
	process->is_fresh = false;
	if (process->unused_ages++ < MAX_UNUSED_AGES)
		return true;
	if (!process->is_held)
		return free_process(ctx, node);
	/* The file stays open: there may be no other way to reach it. */
	perfmap_process_forget(ctx, process);
	return true;
}

void perfmaps_age(struct perfmaps *maps)
{
	maps->begin_ns = maps->next_begin_ns;
	hash_filter(&maps->by_tgid, age_process, maps);
}
