// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Call chains of keys. */
#include "collect_chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Room for one frame more at @at, where what was there moves away from the leaf. */
static int insert(struct collect_chain *chain, size_t at, const struct tprof_frame *frame)
{
	const struct tprof_frame **frames = array_grow(chain->frames, chain->nr, &chain->room, sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	chain->frames = frames;
	memmove(&chain->frames[at + 1], &chain->frames[at], (chain->nr - at) * sizeof(chain->frames[0]));
	chain->frames[at] = frame;
	chain->nr++;
	return 0;
}

/* @text: a literal, of this file or of stacks.c */
static int add_mark(struct collect_chain *chain, const char *text)
{
	size_t i = 0;

	while (i < chain->nr_marks && chain->marks[i].symbol != text)
		i++;
	if (i == chain->nr_marks)
		chain->marks[chain->nr_marks++] = (struct tprof_frame){ .symbol = text, .mode = TPROF_MODE_UNKNOWN };
	return insert(chain, chain->nr, &chain->marks[i]);
}

/* The functions at an address come before the frame at @at. */
static int add_address(const struct collector_table *t, const void *key, uint64_t ip, enum frame_kind kind,
		       struct collect_chain *chain, size_t at)
{
	pid_t tgid = t->tgid ? (pid_t)value_number(t->tgid, key) : -1;
	uint32_t exec = t->exec ? (uint32_t)value_number(t->exec, key) : 0;
	const struct tprof_frame *frames;
	int nr = symbolizer_stack_frames(t->collector->symbolizer, tgid, exec, ip, kind, &frames);
	int err = nr < 0 ? nr : 0;

	for (int i = 0; i < nr && !err; i++)
		err = insert(chain, at + (size_t)i, &frames[i]);
	return err;
}

static int add_frames(const struct collector_table *t, const void *key, const struct kept_stack *stack,
		      struct collect_chain *chain)
{
	int err = 0;

	for (uint32_t i = 0; i < stack->nr_frames && !err; i++) {
		const char *mark = stacks_frame_mark(stack, i);

		if (mark)
			err = add_mark(chain, mark);
		else
			err = add_address(t, key, stacks_address(stack, i), stacks_frame_kind(stack, i), chain,
					  chain->nr);
	}
	return err;
}

/* Whose stack it is; of one that is not known any more, the program's: the end of a chain. */
static uint32_t stack_kind(const struct kept_stack *stack, uint64_t id)
{
	if (stack)
		return stack->flags & (TPROF_STACK_USER | TPROF_STACK_KERNEL);
	return id < TPROF_STACK_ID_MIN ? id & (TPROF_STACK_USER | TPROF_STACK_KERNEL) : TPROF_STACK_USER;
}

static int add_stacks(const struct collector_table *t, const void *key, uint32_t kind, struct collect_chain *chain)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_stacks && !err; i++) {
		uint64_t id = value_number(t->stacks[i], key);
		const struct kept_stack *stack = stacks_find(t->collector->stacks, id);

		if (stack_kind(stack, id) != kind)
			continue;
		if (stack)
			err = add_frames(t, key, stack, chain);
		else
			err = add_mark(chain, stacks_mark(id));
	}
	return err;
}

static int make(const struct collector_table *t, const void *key, struct collect_chain *chain)
{
	int err;

	chain->nr = chain->nr_marks = 0;
	err = add_stacks(t, key, TPROF_STACK_KERNEL, chain);
	if (!err)
		err = add_stacks(t, key, TPROF_STACK_USER, chain);
	if (err || (chain->nr && chain->frames[0]->mode != TPROF_MODE_UNKNOWN))
		return err;
	/* No stack says where the sample was, but the key does. */
	if (t->ip)
		return add_address(t, key, value_number(t->ip, key), FRAME_AT, chain, 0);
	return chain->nr ? 0 : add_mark(chain, stacks_mark(0));
}

const struct collect_chain *collect_chain(const struct collector_table *t, const void *key)
{
	struct collector *collector = t->collector;

	if (!collector->chain)
		collector->chain = calloc(1, sizeof(*collector->chain));
	return collector->chain && !make(t, key, collector->chain) ? collector->chain : NULL;
}

void collect_chain_free(struct collect_chain *chain)
{
	if (!chain)
		return;
	free(chain->frames);
	free(chain);
}
