// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Writes keys to a raw recording. A call stack is symbolized once per reading, for all of its samples. */
#include "collect_raw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "collect_call_stack.h"
#include "host/comm.h"
#include "profile/profile.h"
#include "uapi/tprof_wait.h"

struct collect_raw *collect_raw_new(int fd)
{
	struct collect_raw *raw = calloc(1, sizeof(*raw));

	if (raw)
		raw->writer = raw_writer_new(fd);
	if (raw && raw->writer)
		return raw;
	free(raw);
	return NULL;
}

void collect_raw_free(struct collect_raw *raw)
{
	if (!raw)
		return;
	raw_writer_free(raw->writer);
	raw_numbers_forget(&raw->places);
	free(raw->call_stacks);
	free(raw);
}

void collect_raw_forget(struct collect_raw *raw)
{
	raw_numbers_forget(&raw->places);
}

static uint64_t number_or(const struct value_member *member, const void *key, uint64_t otherwise)
{
	return member ? value_number(member, key) : otherwise;
}

/* Numbers the key members that determine the call stack, with its state and its wakers. */
static int64_t number_place(const struct collector_table *t, const void *key, bool *is_new)
{
	uint64_t place[4 + COLLECT_MAX_STACKS + TPROF_WAKERS_MAX] = {
		number_or(t->ip, key, 0), number_or(t->tgid, key, 0), number_or(t->exec, key, 0),
		number_or(t->state, key, TPROF_STATE_UNKNOWN),
	};
	size_t nr = 4;

	for (size_t i = 0; i < t->nr_stacks; i++)
		place[nr++] = value_number(t->stacks[i], key);
	for (size_t i = 0; i < t->nr_wakers; i++)
		place[nr++] = value_number(t->wakers[i], key);
	return raw_numbers_find(&t->collector->raw->places, place, nr * sizeof(place[0]), is_new);
}

/* Marks a place whose call stack is not in the file yet. */
#define NO_CALL_STACK UINT32_MAX

static int64_t make_call_stack(const struct collector_table *t, const void *key)
{
	const struct collect_call_stack *stack = collect_call_stack(t, key);

	/* The names of wakers change where they are, in scratch space. */
	if (t->nr_wakers)
		raw_definitions_age(&t->collector->raw->writer->definitions);
	return stack ? raw_writer_call_stack(t->collector->raw->writer, stack->frames, stack->nr) : -ENOMEM;
}

/* Finds or writes the key's call stack. Returns its number in the file, or -ENOMEM. */
static int64_t find_call_stack(const struct collector_table *t, const void *key)
{
	struct collect_raw *raw = t->collector->raw;
	/* Before numbering the place: a numbered place must have an element for its call stack. */
	uint32_t *stacks = array_grow(raw->call_stacks, raw->places.nr, &raw->call_stacks_capacity, sizeof(*stacks));
	int64_t place, stack;
	bool is_new;

	if (!stacks)
		return -ENOMEM;
	raw->call_stacks = stacks;
	place = number_place(t, key, &is_new);
	if (place < 0)
		return place;
	if (is_new)
		stacks[place] = NO_CALL_STACK;
	if (stacks[place] != NO_CALL_STACK)
		return stacks[place];
	stack = make_call_stack(t, key);
	if (stack >= 0)
		stacks[place] = (uint32_t)stack;
	return stack;
}

static const char *thread_name(const struct collector_table *t, const void *key, char *name)
{
	size_t size;

	if (!t->comm)
		return t->tid ? aspaces_thread_name(t->collector->aspaces, (pid_t)value_number(t->tid, key)) : "";
	size = t->comm->size < TPROF_COMM_LEN ? t->comm->size : TPROF_COMM_LEN;
	memcpy(name, (const char *)key + t->comm->offset, size);
	name[size] = '\0';
	return comm_shown(name);
}

/* The process name. Samples of the first thread have the name at their time; others get the name known by now. */
static const char *process_name(const struct collector_table *t, const void *key, const struct tprof_entry *entry,
				const char *thread)
{
	bool is_first = t->comm && t->tid && entry->pid > 0 && (pid_t)value_number(t->tid, key) == entry->pid;

	return is_first ? thread : entry->comm;
}

int collect_raw_key(const struct collector_table *t, const void *key, const struct tprof_entry *entry)
{
	char name[TPROF_COMM_LEN + 1];
	int64_t stack = find_call_stack(t, key);
	const char *thread = thread_name(t, key, name);
	const struct tprof_raw_sample sample = {
		.time_ns = value_number(t->time, key),
		.samples = entry->samples,
		.weight = entry->weight,
		.comm = process_name(t, key, entry, thread),
		.thread = thread,
		.cgroup = entry->cgroup,
		.pid = entry->pid,
		.tid = t->tid ? (pid_t)value_number(t->tid, key) : -1,
		.cpu = entry->cpu,
		.flags = (uint32_t)number_or(t->flags, key, 0),
		.event = (size_t)number_or(t->event, key, 0),
	};

	return stack < 0 ? (int)stack : raw_writer_add(t->collector->raw->writer, &sample, (uint32_t)stack);
}
