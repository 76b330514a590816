// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Keys and values in words that only the session knows. */
#include "collect_words.h"

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

/* From the root to the leaf, as flame graph tools want it. */
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

static const char *word_process(void *ctx, const struct value_layout *layout, const void *data, uint32_t tgid)
{
	struct words *words = ctx;

	return aspaces_process_name(words->collector->aspaces, (pid_t)tgid, number_of_kind(layout, VALUE_EXEC, data));
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

const char *collect_words(struct collector *collector, const struct value_layout *layout, const void *data)
{
	struct words made = { .collector = collector };
	const struct value_words words = {
		.ip = word_ip,
		.stack = word_stack,
		.process = word_process,
		.thread = word_thread,
		.cgroup = word_cgroup,
		.ctx = &made,
	};
	FILE *out = text_stream_begin(&collector->words);

	if (!out)
		return NULL;
	value_print(out, layout, data, &words);
	return made.no_memory ? NULL : text_stream_text(&collector->words);
}
