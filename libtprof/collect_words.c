// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Keys and values in words that only the session knows. */
#include "collect_words.h"

#include <stdlib.h>
#include <string.h>

struct words {
	struct collector *collector;
	char *chain;			/* the call chain made last */
	size_t chain_size;
};

static uint32_t number_of_kind(const struct value_layout *layout, enum value_kind kind, const void *data)
{
	const struct value_member *member = value_layout_find(layout, kind);

	return member ? (uint32_t)value_number(member, data) : 0;
}

static const char *symbol_name(struct collector *collector, const struct value_layout *layout, const void *data,
			       uint64_t ip)
{
	struct tprof_symbol symbol;
	pid_t tgid = (pid_t)number_of_kind(layout, VALUE_TGID, data);

	if (symbolizer_resolve(collector->symbolizer, tgid, number_of_kind(layout, VALUE_EXEC, data), ip, &symbol))
		return NULL;
	return symbol.name;
}

static const char *word_ip(void *ctx, const struct value_layout *layout, const void *data, uint64_t ip)
{
	struct words *words = ctx;

	return symbol_name(words->collector, layout, data, ip);
}

/* From the root to the leaf, as flame graph tools want it. */
static const char *word_stack(void *ctx, const struct value_layout *layout, const void *data, uint64_t id)
{
	struct words *words = ctx;
	const struct kept_stack *stack = stacks_find(words->collector->stacks, id);
	FILE *out;

	if (!stack)
		return stacks_mark(id);
	free(words->chain);
	words->chain = NULL;
	out = open_memstream(&words->chain, &words->chain_size);
	if (!out)
		return NULL;
	for (uint32_t i = stack->nr_frames; i > 0; i--) {
		const char *name = stacks_frame_mark(stack, i - 1);

		if (!name)
			name = symbol_name(words->collector, layout, data, stacks_address(stack, i - 1));
		fprintf(out, "%s%s", name ? name : "[unknown]", i > 1 ? ";" : "");
	}
	return fclose(out) == 0 ? words->chain : NULL;
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
	FILE *out;

	free(collector->text);
	collector->text = NULL;
	out = open_memstream(&collector->text, &collector->text_size);
	if (!out)
		return "";
	value_print(out, layout, data, &words);
	free(made.chain);
	return fclose(out) == 0 && collector->text ? collector->text : "";
}
