// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Call stacks of keys. */
#include "collect_call_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Inserts a frame at @at; the frames from there on move towards the root. */
static int insert(struct collect_call_stack *call_stack, size_t at, const struct tprof_frame *frame)
{
	const struct tprof_frame **frames = array_grow(call_stack->frames, call_stack->nr, &call_stack->capacity,
						       sizeof(*frames));

	if (!frames)
		return -ENOMEM;
	call_stack->frames = frames;
	memmove(&call_stack->frames[at + 1], &call_stack->frames[at],
		(call_stack->nr - at) * sizeof(call_stack->frames[0]));
	call_stack->frames[at] = frame;
	call_stack->nr++;
	return 0;
}

/* @text: a literal, of this file or of stacks.c */
static int add_mark(struct collect_call_stack *call_stack, const char *text)
{
	size_t i = 0;

	while (i < call_stack->nr_marks && call_stack->marks[i].symbol != text)
		i++;
	if (i == call_stack->nr_marks)
		call_stack->marks[call_stack->nr_marks++] = (struct tprof_frame){
			.symbol = text, .mode = TPROF_MODE_UNKNOWN,
		};
	return insert(call_stack, call_stack->nr, &call_stack->marks[i]);
}

/* Inserts the functions at an address before the frame at @at. */
static int add_address(const struct collector_table *t, const void *key, uint64_t ip, enum frame_kind kind,
		       struct collect_call_stack *call_stack, size_t at)
{
	pid_t tgid = t->tgid ? (pid_t)value_number(t->tgid, key) : -1;
	uint32_t exec = t->exec ? (uint32_t)value_number(t->exec, key) : 0;
	const struct tprof_frame *frames;
	int nr = symbolizer_stack_frames(t->collector->symbolizer, tgid, exec, ip, kind, &frames);
	int err = nr < 0 ? nr : 0;

	for (int i = 0; i < nr && !err; i++)
		err = insert(call_stack, at + (size_t)i, &frames[i]);
	return err;
}

static bool same_function(const struct tprof_frame *a, const struct tprof_frame *b)
{
	return strcmp(a->symbol, b->symbol) == 0 && strcmp(a->object, b->object) == 0;
}

/*
 * After TPROF_FRAME_SKID: adds where the interrupt came, frame 2. If that is in the function of the leaf, its callers
 * are the leaf's, and neither it nor the mark is shown.
 */
static int add_interrupted(const struct collector_table *t, const void *key, const struct kept_stack *stack,
			   struct collect_call_stack *call_stack)
{
	size_t leaf = call_stack->nr;
	int err = add_mark(call_stack, stacks_frame_mark(stack, 1));

	if (!err)
		err = add_address(t, key, stacks_address(stack, 2), stacks_frame_kind(stack, 2), call_stack,
				  call_stack->nr);
	/* The last frame of an address is the function that contains it; those before are inlined there. */
	if (!err && leaf && same_function(call_stack->frames[leaf - 1], call_stack->frames[call_stack->nr - 1]))
		call_stack->nr = leaf;
	return err;
}

static bool has_skid(const struct kept_stack *stack)
{
	return stack->nr_frames > 2 && stack->ip[1] == TPROF_FRAME_SKID;
}

static int add_frames(const struct collector_table *t, const void *key, const struct kept_stack *stack,
		      struct collect_call_stack *call_stack)
{
	int err = 0;

	for (uint32_t i = 0; i < stack->nr_frames && !err; i++) {
		const char *mark = stacks_frame_mark(stack, i);

		if (i == 1 && has_skid(stack))
			err = add_interrupted(t, key, stack, call_stack), i++;
		else if (mark)
			err = add_mark(call_stack, mark);
		else
			err = add_address(t, key, stacks_address(stack, i), stacks_frame_kind(stack, i), call_stack,
					  call_stack->nr);
	}
	return err;
}

/* The kind of a stack: kernel or user. An unknown stack counts as user, the end of the call stack. */
static uint32_t stack_kind(const struct kept_stack *stack, uint64_t id)
{
	if (stack)
		return stack->flags & (TPROF_STACK_USER | TPROF_STACK_KERNEL);
	return id < TPROF_STACK_ID_MIN ? id & (TPROF_STACK_USER | TPROF_STACK_KERNEL) : TPROF_STACK_USER;
}

static int add_stacks(const struct collector_table *t, const void *key, uint32_t kind,
		      struct collect_call_stack *call_stack)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_stacks && !err; i++) {
		uint64_t id = value_number(t->stacks[i], key);
		const struct kept_stack *stack = stacks_find(t->collector->stacks, id);

		if (stack_kind(stack, id) != kind)
			continue;
		if (stack)
			err = add_frames(t, key, stack, call_stack);
		else
			err = add_mark(call_stack, stacks_mark(id));
	}
	return err;
}

static int make(const struct collector_table *t, const void *key, struct collect_call_stack *call_stack)
{
	int err;

	call_stack->nr = call_stack->nr_marks = 0;
	err = add_stacks(t, key, TPROF_STACK_KERNEL, call_stack);
	if (!err)
		err = add_stacks(t, key, TPROF_STACK_USER, call_stack);
	if (err || (call_stack->nr && call_stack->frames[0]->mode != TPROF_MODE_UNKNOWN))
		return err;
	/* There is no stack, but the key has the address of the sample. */
	if (t->ip)
		return add_address(t, key, value_number(t->ip, key), FRAME_AT, call_stack, 0);
	return call_stack->nr ? 0 : add_mark(call_stack, stacks_mark(0));
}

const struct collect_call_stack *collect_call_stack(const struct collector_table *t, const void *key)
{
	struct collector *collector = t->collector;

	if (!collector->call_stack)
		collector->call_stack = calloc(1, sizeof(*collector->call_stack));
	return collector->call_stack && !make(t, key, collector->call_stack) ? collector->call_stack : NULL;
}

void collect_call_stack_free(struct collect_call_stack *call_stack)
{
	if (!call_stack)
		return;
	free(call_stack->frames);
	free(call_stack);
}
