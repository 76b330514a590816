// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Turns keys and samples into a profile. */
#include "collect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect_call_stack.h"
#include "collect_raw.h"
#include "collect_words.h"
#include "host/comm.h"
#include "stack/unwind_copy.h"

/* Stacks that are kept for wakers; most have less than 50 frames. */
#define KEPT_STACKS 16384

void collector_fini(struct collector *collector)
{
	tprof_profile__free(collector->profile);
	stacks_free(collector->stacks);
	collect_call_stack_free(collector->call_stack);
	collect_raw_free(collector->raw);
	text_stream_close(&collector->words);
	text_stream_close(&collector->call_stack_words);
}

void collector_table_init(struct collector_table *into, struct collector *collector, const struct table *table,
			  int index, bool entries)
{
	*into = (struct collector_table){
		.collector = collector,
		.table = table,
		.index = index,
		.entries = entries,
		.ip = value_layout_find(&table->key, VALUE_IP),
		.tgid = value_layout_find(&table->key, VALUE_TGID),
		.exec = value_layout_find(&table->key, VALUE_EXEC),
		.owner = value_layout_find(&table->key, VALUE_OWNER),
		.owner_exec = value_layout_find(&table->key, VALUE_OWNER_EXEC),
		.cgroup = value_layout_find(&table->key, VALUE_CGROUP),
		.cpu = value_layout_find(&table->key, VALUE_CPU),
		.flags = value_layout_find(&table->key, VALUE_FLAGS),
		.comm = value_layout_find(&table->key, VALUE_TEXT),
		.time = value_layout_find(&table->key, VALUE_NS),
		.tid = value_layout_find(&table->key, VALUE_TID),
		.event = value_layout_find(&table->key, VALUE_EVENT),
		.state = value_layout_find(&table->key, VALUE_STATE),
	};
	for (uint32_t i = 0; i < table->key.nr_members; i++) {
		const struct value_member *member = &table->key.members[i];

		if (member->kind == VALUE_STACK && into->nr_stacks < COLLECT_MAX_STACKS)
			into->stacks[into->nr_stacks++] = member;
		if (member->kind == VALUE_WAKER && into->nr_wakers < TPROF_WAKERS_MAX)
			into->wakers[into->nr_wakers++] = member;
	}
	if (into->nr_wakers)
		stacks_keep(collector->stacks, KEPT_STACKS);
}

static void note(struct collector *collector, int err)
{
	if (err && !collector->err)
		collector->err = err;
}

static enum tprof_mode mode_of_flags(uint64_t flags)
{
	if (flags & TPROF_SAMPLE_IDLE)
		return TPROF_MODE_IDLE;
	if (flags & TPROF_SAMPLE_GUEST)
		return TPROF_MODE_GUEST;
	if (flags & TPROF_SAMPLE_KERNEL)
		return TPROF_MODE_KERNEL;
	return flags & TPROF_SAMPLE_USER ? TPROF_MODE_USER : TPROF_MODE_UNKNOWN;
}

static uint64_t number_or(const struct value_member *member, const void *key, uint64_t otherwise)
{
	return member ? value_number(member, key) : otherwise;
}

/* A key without event belongs to the first. */
static size_t event_of(const struct collector_table *t, const void *key)
{
	uint64_t event = number_or(t->event, key, 0);

	return event < t->collector->nr_events ? (size_t)event : 0;
}

static const char *process_name(struct collector_table *t, pid_t tgid, uint32_t exec)
{
	if (t->last.is_known && t->last.tgid == tgid && t->last.exec == exec)
		return t->last.comm;
	t->last.is_known = true;
	t->last.tgid = tgid;
	t->last.exec = exec;
	t->last.comm = aspaces_process_name(t->collector->aspaces, tgid, exec);
	return t->last.comm;
}

/* Text that an entry refers to until it is added. */
struct entry_text {
	char comm[TPROF_COMM_LEN + 1];
	char owner[TPROF_COMM_LEN + 32];
};

static const char *owner_text(const struct collector_table *t, const void *key, struct entry_text *text)
{
	pid_t tgid = (pid_t)value_number(t->owner, key);
	const char *comm = aspaces_process_name(t->collector->aspaces, tgid,
						(uint32_t)number_or(t->owner_exec, key, 0));

	snprintf(text->owner, sizeof(text->owner), "%s (%d)", comm ? comm : "[unknown]", (int)tgid);
	return text->owner;
}

/*
 * Sets process, owner, cgroup and CPU, as far as the key has them. Beside a thread id, a name in the key is the
 * thread's.
 */
static void describe_task(struct collector_table *t, const void *key, struct tprof_entry *entry,
			  struct entry_text *text)
{
	struct collector *collector = t->collector;
	uint32_t exec = (uint32_t)number_or(t->exec, key, 0);

	entry->pid = (pid_t)number_or(t->tgid, key, (uint64_t)-1);
	entry->cpu = (int)number_or(t->cpu, key, (uint64_t)-1);
	if (t->cgroup)
		entry->cgroup = cgroups_path(collector->cgroups, value_number(t->cgroup, key));
	if (t->owner)
		entry->owner = owner_text(t, key, text);
	if (t->comm && !(t->tid && t->tgid)) {
		size_t size = t->comm->size < TPROF_COMM_LEN ? t->comm->size : TPROF_COMM_LEN;

		memcpy(text->comm, (const char *)key + t->comm->offset, size);
		text->comm[size] = '\0';
		entry->comm = comm_shown(text->comm);
	} else if (t->tgid) {
		entry->comm = process_name(t, entry->pid, exec);
	}
}

/* Sets the place: a function, or the whole key as text if it has no address. */
static int describe_place(const struct collector_table *t, const void *key, struct tprof_entry *entry)
{
	struct collector *collector = t->collector;
	const struct tprof_frame *frame;
	uint64_t ip;
	int nr;

	if (!t->ip) {
		entry->symbol = collect_words(collector, &t->table->key, key);
		entry->mode = t->flags ? mode_of_flags(value_number(t->flags, key)) : TPROF_MODE_UNKNOWN;
		return entry->symbol ? 0 : -ENOMEM;
	}
	ip = value_number(t->ip, key);
	nr = symbolizer_frames(collector->symbolizer, entry->pid, (uint32_t)number_or(t->exec, key, 0), ip, &frame);
	if (nr < 0)
		return nr;
	profile_set_place(entry, frame);
	if (t->flags)
		entry->mode = mode_of_flags(value_number(t->flags, key));
	else
		entry->mode = ip_is_kernel(ip) ? TPROF_MODE_KERNEL : TPROF_MODE_USER;
	return 0;
}

/* Adds the call stack and sets the place from its leaf. */
static int describe_call_stack(const struct collector_table *t, const void *key, struct tprof_entry *entry)
{
	const struct collect_call_stack *call_stack = collect_call_stack(t, key);
	struct tprof_call_stack added = {
		.comm = entry->comm,
		.cgroup = entry->cgroup,
		.owner = entry->owner,
		.pid = entry->pid,
		.samples = entry->samples,
		.weight = entry->weight,
	};

	if (!call_stack)
		return -ENOMEM;
	added.frames = call_stack->frames;
	added.nr_frames = call_stack->nr;
	profile_set_place(entry, call_stack->frames[0]);
	entry->mode = t->flags ? mode_of_flags(value_number(t->flags, key)) : call_stack->frames[0]->mode;
	return profile_add_call_stack_of(t->collector->profile, &added, event_of(t, key));
}

/* Reads a tally; of other values, the first two integers. */
static void read_value(const struct table *table, const void *value, uint64_t *samples, uint64_t *weight)
{
	const struct value_layout *layout = &table->value;

	*samples = layout->nr_members > 0 ? value_number(&layout->members[0], value) : 0;
	*weight = layout->nr_members > 1 ? value_number(&layout->members[1], value) : *samples;
}

static int add_row(const struct collector_table *t, const void *key, const void *value, uint64_t samples,
		   uint64_t weight)
{
	struct tprof_row row = { .samples = samples, .weight = weight, .event = event_of(t, key) };
	struct tprof_cell cells[2 * VALUE_MAX_MEMBERS];
	size_t nr_cells = 0;
	const char *words;

	if (collect_cells(t->collector, &t->table->key, key, false, cells, &nr_cells) ||
	    collect_cells(t->collector, &t->table->value, value, true, cells, &nr_cells))
		return -ENOMEM;
	if (!t->table->tally) {
		words = collect_words_of_cells(t->collector, &t->table->value, &cells[t->table->key.nr_members]);
		/* The next text overwrites this one. */
		row.value = words ? profile_keep(t->collector->profile, words) : NULL;
		if (!row.value)
			return -ENOMEM;
	}
	if (collect_series(t->collector, &t->table->key, cells, &row.series))
		return -ENOMEM;
	row.key = collect_words_of_cells(t->collector, &t->table->key, cells);
	return row.key ? profile_add_row(t->collector->profile, (size_t)t->index, &row, cells, nr_cells) : -ENOMEM;
}

/*
 * True if process events have reported the process and the code of the sample. Without an address in the key, the leaf
 * of the call stack decides.
 */
static bool is_known(const struct collector_table *t, const void *key, const struct tprof_entry *entry)
{
	uint64_t ip = t->ip ? value_number(t->ip, key) : 0;

	if (!t->tgid)
		return true;
	if (!entry->comm)
		return false;
	if (!t->ip)
		return !entry->object || strcmp(entry->object, "[unknown]") != 0;
	return ip_is_kernel(ip) || aspaces_find(t->collector->aspaces, entry->pid,
						(uint32_t)number_or(t->exec, key, 0), ip);
}

static void note_unnamed(const struct collector_table *t, const void *key, const struct tprof_entry *entry)
{
	struct collector *collector = t->collector;

	if (!collector->names_lost || is_known(t, key, entry))
		return;
	collector->unnamed.samples += entry->samples;
	collector->unnamed.weight += entry->weight;
}

void collect_key(void *ctx, const void *key, const void *value)
{
	struct collector_table *t = ctx;
	struct tprof_entry entry = { 0 };
	struct entry_text text;

	symbolizer_trim(t->collector->symbolizer);
	read_value(t->table, value, &entry.samples, &entry.weight);
	if (t->collector->rows)
		note(t->collector, add_row(t, key, value, entry.samples, entry.weight));
	if (!t->entries)
		return;
	describe_task(t, key, &entry, &text);
	if (t->collector->raw) {
		note_unnamed(t, key, &entry);
		note(t->collector, collect_raw_key(t, key, &entry));
		return;
	}
	note(t->collector, t->nr_stacks ? describe_call_stack(t, key, &entry) : describe_place(t, key, &entry));
	note_unnamed(t, key, &entry);
	note(t->collector, profile_add_of(t->collector->profile, &entry, event_of(t, key)));
}

void collect_stack(void *ctx, const void *key, const void *value)
{
	const struct collector_stacks *into = ctx;
	uint64_t id;

	memcpy(&id, key, sizeof(id));
	note(into->collector, stacks_add(into->collector->stacks, id, value, into->value_bytes));
}

void collect_copy(void *ctx, const struct tprof_copy *copy)
{
	struct collector *collector = ctx;
	const uint32_t max = collector->max_frames;
	struct tprof_deep_stack stack = { .flags = TPROF_STACK_USER | STACKS_UNWOUND };
	enum unwind_end end;
	uint32_t nr = unwind_copy(collector->aspaces, copy, stack.ip, TPROF_STACK_MAX_FRAMES, &end);

	if (end == UNWIND_ROOT) {
		nr = stacks_shorten(stack.ip, nr, max);
	} else {
		/* The frames found, and a mark. */
		nr = nr < max ? nr : max - 1;
		stack.ip[nr++] = end == UNWIND_BROKEN ? STACKS_BROKEN : TPROF_FRAME_CUT;
	}
	stack.nr_frames = nr;
	note(collector, stacks_add(collector->stacks, copy->id, &stack, sizeof(stack)));
}

int collect_sample(void *ctx, const struct tprof_sample *sample)
{
	struct collector *collector = ctx;
	const size_t event = sample->event < collector->nr_events ? sample->event : 0;
	const struct tprof_frame *frame;
	struct tprof_entry entry = {
		.comm = aspaces_process_name(collector->aspaces, (pid_t)sample->tgid, sample->exec_id),
		.cgroup = cgroups_path(collector->cgroups, sample->cgroup_id),
		.pid = (pid_t)sample->tgid,
		.cpu = -1,
		.mode = mode_of_flags(sample->flags),
		.samples = 1,
		.weight = sample->weight,
	};
	int nr;

	symbolizer_trim(collector->symbolizer);
	nr = symbolizer_frames(collector->symbolizer, entry.pid, sample->exec_id, sample->ip, &frame);
	if (nr > 0)
		profile_set_place(&entry, frame);
	note(collector, nr < 0 ? nr : profile_add_of(collector->profile, &entry, event));
	return 0;
}
