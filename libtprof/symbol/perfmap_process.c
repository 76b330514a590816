// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The perf-PID.map of one process: kept open, read again when it changes, and read a last time when the process ends.
 */
#include "perfmap_process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* After a slow reading, the next one waits for four times its duration: at most a fifth of a CPU. */
#define LONG_READING_NS 100000000
#define PAUSE_FACTOR 4
/* File times have the resolution of the timer tick, up to 10 ms. */
#define TICK_NS 20000000

void perfmap_process_init(struct perfmaps *maps, struct perfmap_process *process, pid_t tgid)
{
	process->owner = (struct perfmap_owner){
		.tgid = tgid,
		.uid = geteuid(),
		.from_ns = maps->created_ns,
		.to_ns = INT64_MAX,
		.broker = maps->broker,
		.tmp_fd = -1,
	};
	process->fd = -1;
}

static void forget(struct perfmaps *maps, struct perfmap **map)
{
	if (*map)
		maps->bytes -= perfmap_bytes(*map);
	perfmap_free(*map);
	*map = NULL;
}

static void let_go(struct perfmaps *maps, struct perfmap_process *process)
{
	perfmap_owner_release(&process->owner);
	if (process->fd >= 0)
		close(process->fd);
	process->fd = -1;
	maps->nr_held -= process->is_held;
	process->is_held = false;
}

void perfmap_process_fini(struct perfmaps *maps, struct perfmap_process *process)
{
	let_go(maps, process);
	forget(maps, &process->map);
	forget(maps, &process->previous);
}

void perfmap_process_forget(struct perfmaps *maps, struct perfmap_process *process)
{
	forget(maps, &process->map);
	forget(maps, &process->previous);
	memset(&process->st, 0, sizeof(process->st));
	process->size = process->refused_bytes = 0;
	process->next_read_ns = 0;
	process->generation++;
}

/* Another process or program: the map does not apply to it. This interval may have samples of both. */
static void begin_life(struct perfmaps *maps, struct perfmap_process *process)
{
	perfmap_process_forget(maps, process);
	memset(&process->next, 0, sizeof(process->next));
	memset(&process->begin, 0, sizeof(process->begin));
	process->old_bytes = 0;
	process->is_over = false;
	process->is_unsure = true;
	process->told = PERFMAP_ACCEPTED;
	process->life++;
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_ino && a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return same_inode(a, b) && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void add_to_said(struct perfmaps *maps, const char *text)
{
	static const char more[] = ", and more";
	size_t length = strlen(maps->said);

	if (length + 2 + strlen(text) + sizeof(more) <= sizeof(maps->said))
		snprintf(maps->said + length, sizeof(maps->said) - length, "%s%s", length ? "; " : "", text);
	else if (length >= sizeof(more) && strcmp(maps->said + length - (sizeof(more) - 1), more) != 0)
		memcpy(maps->said + length, more, sizeof(more));
}

/* Reports a refused map, once for each file and reason. */
static void tell(struct perfmaps *maps, struct perfmap_process *process, const struct perfmap_found *found)
{
	char text[256];

	if (found->refusal == PERFMAP_ACCEPTED || found->refusal == PERFMAP_MISSING ||
	    (process->told == found->refusal && process->told_ino == found->st.st_ino))
		return;
	process->told = found->refusal;
	process->told_ino = found->st.st_ino;
	perfmap_found_text(found, &process->owner, text, sizeof(text));
	log_warn(maps->log, "%s", text);
	add_to_said(maps, text);
}

/* Leaves the trusted map open, if any: the file that has the name now, or else the one that had it before. */
static void find_file(struct perfmaps *maps, struct perfmap_process *process)
{
	struct perfmap_found found;
	struct stat held;
	int fd = perfmap_file_open(&process->owner, &found);

	if (fd < 0)
		tell(maps, process, &found);
	else
		process->number = found.number;
	if (process->fd >= 0 && (fstat(process->fd, &held) ||
				 perfmap_file_judge(&process->owner, &held) != PERFMAP_ACCEPTED ||
				 (fd >= 0 && !same_inode(&held, &found.st)))) {
		close(process->fd);
		process->fd = -1;
	}
	if (process->fd < 0)
		process->fd = fd;
	else if (fd >= 0)
		close(fd);
}

static void hold(struct perfmaps *maps, struct perfmap_process *process)
{
	if (!process->is_held && maps->nr_held < maps->max_held) {
		maps->nr_held++;
		process->is_held = true;
	}
	if (process->is_held)
		perfmap_owner_hold(&process->owner);
}

void perfmap_process_meet(struct perfmaps *maps, struct perfmap_process *process)
{
	if (perfmap_owner_read(&process->owner))
		return;
	hold(maps, process);
	perfmap_process_look(maps, process);
}

void perfmap_process_look(struct perfmaps *maps, struct perfmap_process *process)
{
	if (process->is_held && !process->is_over && process->fd < 0)
		find_file(maps, process);
}

void perfmap_process_mark(struct perfmaps *maps, struct perfmap_process *process)
{
	memset(&process->next, 0, sizeof(process->next));
	if (process->is_over || !process->is_held)
		return;
	find_file(maps, process);
	if (process->fd >= 0 && fstat(process->fd, &process->next))
		process->next.st_ino = 0;
}

static uint64_t hash_bytes(const char *bytes, size_t size)
{
	uint64_t value = 0xcbf29ce484222325ull, word;

	for (; size >= sizeof(word); bytes += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		value = (value ^ word) * 0x9e3779b97f4a7c15ull;
		value ^= value >> 29;
	}
	for (; size; bytes++, size--)
		value = (value ^ (unsigned char)*bytes) * 0x100000001b3ull;
	return value;
}

/* Reads up to *size bytes, fewer if the file was truncated since. NULL and errno. */
static char *read_text(int fd, size_t *size)
{
	char *text = malloc(*size + 1);
	size_t got = 0;
	ssize_t nr = 1;

	while (text && got < *size && nr > 0) {
		nr = pread(fd, text + got, *size - got, (off_t)got);
		if (nr > 0)
			got += (size_t)nr;
	}
	*size = got;
	if (text && nr >= 0)
		return text;
	free(text);
	return NULL;
}

/*
 * Sets old_bytes, the bytes that existed when the interval began, for a map that is read for the first time or was
 * appended to. A rewritten map has no such part; its previous content is kept for comparison instead.
 */
static void note_changes(struct perfmaps *maps, struct perfmap_process *process, const struct stat *st,
			 const char *text, size_t size)
{
	bool is_first = !process->nr_readings || !process->st.st_ino;

	if (is_first) {
		if (clock_sum_ns(clock_timespec_ns(&st->st_mtim), TICK_NS) < maps->begin_ns)
			process->old_bytes = size;
		else
			process->old_bytes = same_inode(&process->begin, st) ? (size_t)process->begin.st_size : 0;
		return;
	}
	if (process->size <= size && hash_bytes(text, process->size) == process->hash)
		return;
	process->generation++;
	process->was_rewritten = true;
	process->old_bytes = 0;
	if (process->previous)
		process->is_unsure = true;
	forget(maps, &process->previous);
	process->previous = process->map;
	process->map = NULL;
}

static void parse(struct perfmaps *maps, struct perfmap_process *process, const struct stat *st, const char *text,
		  size_t size)
{
	struct perfmap_found found = { .number = process->number, .st = *st, .max_bytes = maps->max_bytes };
	size_t available;

	note_changes(maps, process, st, text, size);
	forget(maps, &process->map);
	available = maps->bytes < maps->max_bytes ? maps->max_bytes - maps->bytes : 0;
	process->map = perfmap_parse(text, size, available);
	process->size = size;
	process->hash = hash_bytes(text, size);
	if (process->map) {
		maps->bytes += perfmap_bytes(process->map);
		return;
	}
	process->refused_bytes = available ? available : 1;
	found.refusal = errno == E2BIG ? PERFMAP_TOTAL_TOO_LARGE : PERFMAP_UNREADABLE;
	tell(maps, process, &found);
}

/* Drops the old content even if the file cannot be read again: it may be wrong. */
static void read_again(struct perfmaps *maps, struct perfmap_process *process, const struct stat *st)
{
	struct perfmap_found found = { .number = process->number, .st = *st, .max_bytes = maps->max_bytes / 2 };
	uint64_t began_ns = clock_own_ns(), took_ns;
	size_t size = (size_t)st->st_size;
	char *text = NULL;

	process->refused_bytes = 0;
	if (size > maps->max_bytes / 2) {
		found.refusal = PERFMAP_TOO_LARGE;
	} else {
		text = read_text(process->fd, &size);
		found.refusal = text ? PERFMAP_ACCEPTED : PERFMAP_UNREADABLE;
	}
	tell(maps, process, &found);
	if (text) {
		parse(maps, process, st, text, size);
	} else {
		forget(maps, &process->map);
		process->refused_bytes = maps->max_bytes;
	}
	free(text);
	process->st = *st;
	process->nr_readings++;
	took_ns = clock_own_ns() - began_ns;
	process->next_read_ns = took_ns > LONG_READING_NS ? clock_own_ns() + PAUSE_FACTOR * took_ns : 0;
}

/* A map that exceeded the limit is tried again when more memory is available, not in each interval. */
static bool is_known(const struct perfmaps *maps, const struct perfmap_process *process, const struct stat *st)
{
	if (!same_file(st, &process->st))
		return false;
	return process->map || process->refused_bytes >= maps->max_bytes - maps->bytes;
}

/* Converts kernel CLOCK_MONOTONIC to CLOCK_REALTIME. */
static int64_t real_of(uint64_t time_ns)
{
	return clock_sum_ns(perfmap_real_ns(), (int64_t)(time_ns - clock_now_ns()));
}

static void note_life(struct perfmaps *maps, struct perfmap_process *process, const struct perfmaps_life *life,
		      bool is_gone)
{
	struct perfmap_owner *owner = &process->owner;

	if (life->exec_ns && life->exec_ns != process->exec_ns) {
		if (process->nr_readings)
			begin_life(maps, process);
		process->exec_ns = life->exec_ns;
	}
	if (process->exec_ns && real_of(process->exec_ns) > owner->from_ns)
		owner->from_ns = real_of(process->exec_ns);
	if (is_gone && owner->to_ns == INT64_MAX)
		owner->to_ns = life->end_ns ? real_of(life->end_ns) : perfmap_real_ns();
}

/* True if the pid of the process was reused. */
static bool is_another(struct perfmap_process *process)
{
	struct perfmap_owner owner = { .tgid = process->owner.tgid, .tmp_fd = -1 };

	return !perfmap_owner_read(&owner) && owner.start_time != process->owner.start_time;
}

void perfmap_process_refresh(struct perfmaps *maps, struct perfmap_process *process,
			     const struct perfmaps_life *life)
{
	struct stat st;
	bool is_gone;

	if (process->is_over) {
		if (!is_another(process))
			return;
		begin_life(maps, process);
		perfmap_process_init(maps, process, process->owner.tgid);
	}
	is_gone = perfmap_owner_read(&process->owner) != 0;
	note_life(maps, process, life, is_gone);
	if (!is_gone)
		hold(maps, process);
	find_file(maps, process);
	process->is_behind = false;
	if (process->fd >= 0 && !fstat(process->fd, &st) && !is_known(maps, process, &st)) {
		process->is_behind = !is_gone && clock_own_ns() < process->next_read_ns;
		if (!process->is_behind)
			read_again(maps, process, &st);
	}
	process->is_over = is_gone;
	if (is_gone || !process->is_held)
		let_go(maps, process);
}

/* Sets the state that the next interval compares with: the file at its start. */
void perfmap_process_age(struct perfmaps *maps, struct perfmap_process *process)
{
	const struct stat *next = &process->next;
	bool is_settled = same_file(next, &process->st);
	bool is_longer = same_inode(next, &process->st) && !process->was_rewritten;

	process->is_unsure = false;
	process->begin = *next;
	if (is_settled || is_longer) {
		process->old_bytes = is_settled ? process->size : (size_t)next->st_size;
		process->was_rewritten = false;
		forget(maps, &process->previous);
	} else {
		process->old_bytes = 0;
	}
}
