// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Text of keys and values with the session's knowledge. */
#include "collect_words.h"

#include <errno.h>

#include "collect_call_stack.h"
#include "filter/bucket.h"

struct words {
	struct collector *collector;
	bool no_memory;
};

static uint32_t number_of_kind(const struct value_layout *layout, enum value_kind kind, const void *data)
{
	const struct value_member *member = value_layout_find(layout, kind);

	return member ? (uint32_t)value_number(member, data) : 0;
}

static const char *word_ip(void *ctx, const struct value_layout *layout, const void *data, uint64_t ip)
{
	struct words *words = ctx;
	struct tprof_symbol symbol = { 0 };
	pid_t tgid = (pid_t)number_of_kind(layout, VALUE_TGID, data);

	if (symbolizer_resolve(words->collector->symbolizer, tgid, number_of_kind(layout, VALUE_EXEC, data), ip,
			       &symbol))
		words->no_memory = true;
	return symbol.name;
}

static const char *word_frame(struct words *words, const struct value_layout *layout, const void *data,
			      const struct kept_stack *stack, uint32_t index)
{
	pid_t tgid = (pid_t)number_of_kind(layout, VALUE_TGID, data);
	const struct tprof_frame *frames;
	int nr = symbolizer_stack_frames(words->collector->symbolizer, tgid, number_of_kind(layout, VALUE_EXEC, data),
					 stacks_address(stack, index), stacks_frame_kind(stack, index), &frames);

	if (nr > 0)
		return frames[nr - 1].symbol;
	words->no_memory = true;
	return NULL;
}

/* Ordered from the root to the leaf, as flame graph tools expect. */
static const char *word_stack(void *ctx, const struct value_layout *layout, const void *data, uint64_t id)
{
	struct words *words = ctx;
	const struct kept_stack *stack = stacks_find(words->collector->stacks, id);
	const char *call_stack = NULL;
	FILE *out;

	if (!stack)
		return stacks_mark(id);
	out = text_stream_begin(&words->collector->call_stack_words);
	for (uint32_t i = stack->nr_frames; out && i > 0; i--) {
		const char *name = stacks_frame_mark(stack, i - 1);

		if (!name)
			name = word_frame(words, layout, data, stack, i - 1);
		fprintf(out, "%s%s", name ? name : "", i > 1 ? ";" : "");
	}
	if (out)
		call_stack = text_stream_text(&words->collector->call_stack_words);
	words->no_memory |= !call_stack;
	return call_stack;
}

/* As a call stack, below the name of the waker. */
static const char *word_waker(void *ctx, uint64_t id)
{
	struct words *words = ctx;
	const struct collect_call_stack *stack = collect_waker(words->collector, id);
	const char *text = NULL;
	FILE *out = stack ? text_stream_begin(&words->collector->call_stack_words) : NULL;

	for (size_t i = stack ? stack->nr : 0; out && i > 0; i--)
		fprintf(out, "%s%s", stack->frames[i - 1]->symbol, i > 1 ? ";" : "");
	if (out)
		text = text_stream_text(&words->collector->call_stack_words);
	words->no_memory |= !text;
	return text;
}

static const char *word_process(void *ctx, const struct value_layout *layout, const void *data, uint32_t tgid)
{
	struct words *words = ctx;

	return aspaces_process_name(words->collector->aspaces, (pid_t)tgid, number_of_kind(layout, VALUE_EXEC, data));
}

static const char *word_owner(void *ctx, const struct value_layout *layout, const void *data, uint32_t tgid)
{
	struct words *words = ctx;

	return aspaces_process_name(words->collector->aspaces, (pid_t)tgid,
				    number_of_kind(layout, VALUE_OWNER_EXEC, data));
}

static const char *word_thread(void *ctx, uint32_t tid)
{
	struct words *words = ctx;

	return aspaces_thread_name(words->collector->aspaces, (pid_t)tid);
}

static const char *word_cgroup(void *ctx, uint64_t id)
{
	struct words *words = ctx;

	return cgroups_path(words->collector->cgroups, id);
}

static const char *word_event(void *ctx, uint64_t index)
{
	const struct words *words = ctx;

	return index < words->collector->nr_events ? words->collector->event_names[index] : NULL;
}

static struct value_words value_words_of(struct words *words)
{
	return (struct value_words){
		.ip = word_ip,
		.stack = word_stack,
		.waker = word_waker,
		.process = word_process,
		.owner = word_owner,
		.thread = word_thread,
		.cgroup = word_cgroup,
		.event = word_event,
		.ctx = words,
	};
}

const char *collect_words(struct collector *collector, const struct value_layout *layout, const void *data)
{
	struct words made = { .collector = collector };
	const struct value_words words = value_words_of(&made);
	FILE *out = text_stream_begin(&collector->words);

	if (!out)
		return NULL;
	value_print(out, layout, data, &words);
	return made.no_memory ? NULL : text_stream_text(&collector->words);
}

static const enum tprof_cell_type cell_types[] = {
	[VALUE_NUMBER] = TPROF_CELL_UNSIGNED,
	[VALUE_TEXT] = TPROF_CELL_TEXT,
	[VALUE_BYTES] = TPROF_CELL_BYTES,
	[VALUE_IP] = TPROF_CELL_ADDRESS,
	[VALUE_STACK] = TPROF_CELL_STACK,
	[VALUE_WAKER] = TPROF_CELL_STACK,
	[VALUE_CGROUP] = TPROF_CELL_CGROUP,
	[VALUE_NS] = TPROF_CELL_TIME,
	[VALUE_TGID] = TPROF_CELL_PROCESS,
	[VALUE_TID] = TPROF_CELL_THREAD,
	[VALUE_EXEC] = TPROF_CELL_UNSIGNED,
	[VALUE_OWNER] = TPROF_CELL_PROCESS,
	[VALUE_OWNER_EXEC] = TPROF_CELL_UNSIGNED,
	[VALUE_CPU] = TPROF_CELL_CPU,
	[VALUE_FLAGS] = TPROF_CELL_FLAGS,
	[VALUE_EVENT] = TPROF_CELL_EVENT,
	[VALUE_STATE] = TPROF_CELL_UNSIGNED,
	[VALUE_SYSCALL] = TPROF_CELL_SIGNED,
	[VALUE_LOG2] = TPROF_CELL_LOG2,
	[VALUE_LOG2_NS] = TPROF_CELL_LOG2_TIME,
	[VALUE_LINEAR] = TPROF_CELL_LINEAR,
};

static int make_cell(struct words *words, const struct value_layout *layout, const struct value_member *member,
		     const void *data, struct tprof_cell *cell)
{
	struct collector *collector = words->collector;
	const struct value_words asked = value_words_of(words);
	const bool has_number = member->kind != VALUE_TEXT && member->kind != VALUE_BYTES;
	struct tprof_symbol symbol = { 0 };
	struct bucket bucket;
	FILE *out;

	cell->name = member->name;
	cell->type = cell_types[member->kind];
	if (cell->type == TPROF_CELL_UNSIGNED && member->is_signed)
		cell->type = TPROF_CELL_SIGNED;
	cell->number = has_number ? value_number(member, data) : 0;
	cell->bytes = (const char *)data + member->offset;
	cell->size = member->size;
	cell->object = "";
	if (bucket_of(member->kind, cell->number, &bucket)) {
		cell->from = bucket.from;
		cell->to = bucket.to;
	}
	if (member->kind == VALUE_IP) {
		if (symbolizer_resolve(collector->symbolizer, (pid_t)number_of_kind(layout, VALUE_TGID, data),
				       number_of_kind(layout, VALUE_EXEC, data), cell->number, &symbol))
			return -ENOMEM;
		cell->text = profile_keep(collector->profile, symbol.name);
		cell->object = profile_keep(collector->profile, symbol.object);
		return cell->text && cell->object ? 0 : -ENOMEM;
	}
	out = text_stream_begin(&collector->words);
	if (!out)
		return -ENOMEM;
	value_print_member(out, layout, member, data, &asked);
	cell->text = words->no_memory ? NULL : text_stream_text(&collector->words);
	if (cell->text)
		cell->text = profile_keep(collector->profile, cell->text);
	return cell->text ? 0 : -ENOMEM;
}

int collect_cells(struct collector *collector, const struct value_layout *layout, const void *data, bool is_value,
		  struct tprof_cell *cells, size_t *nr)
{
	struct words words = { .collector = collector };
	int err = 0;

	for (uint32_t i = 0; i < layout->nr_members && !err; i++) {
		cells[*nr] = (struct tprof_cell){ .is_value = is_value };
		err = make_cell(&words, layout, &layout->members[i], data, &cells[(*nr)++]);
	}
	return err;
}

const char *collect_words_of_cells(struct collector *collector, const struct value_layout *layout,
				   const struct tprof_cell *cells)
{
	FILE *out = text_stream_begin(&collector->words);

	for (uint32_t i = 0; out && i < layout->nr_members; i++) {
		if (value_print_name(out, layout, &layout->members[i], cells[i].number))
			fputs(cells[i].text, out);
	}
	return out ? text_stream_text(&collector->words) : NULL;
}

static bool is_bucket(enum value_kind kind)
{
	return kind == VALUE_LOG2 || kind == VALUE_LOG2_NS || kind == VALUE_LINEAR;
}

int collect_series(struct collector *collector, const struct value_layout *layout, const struct tprof_cell *cells,
		   const char **series)
{
	const char *text;
	uint32_t bucket = 0;
	FILE *out;

	while (bucket < layout->nr_members && !is_bucket(layout->members[bucket].kind))
		bucket++;
	if (bucket == layout->nr_members)
		return 0;
	out = text_stream_begin(&collector->words);
	for (uint32_t i = 0; out && i < layout->nr_members; i++) {
		if (i != bucket && value_print_name(out, layout, &layout->members[i], cells[i].number))
			fputs(cells[i].text, out);
	}
	text = out ? text_stream_text(&collector->words) : NULL;
	/* The member behind a bucket at the start has a blank before it. */
	*series = text ? profile_keep(collector->profile, text + (text[0] == ' ')) : NULL;
	return *series ? 0 : -ENOMEM;
}
