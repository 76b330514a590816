// SPDX-License-Identifier: GPL-2.0-only
/*
 * Index from names to stacks. A report needs the stacks of each of its rows; scanning all stacks for each row would
 * take rows times stacks.
 */
#include "calls.h"

#include <errno.h>
#include <stdlib.h>

/* Calls @fn for each distinct name of each stack. 0 or -ENOMEM. */
static int each_name(const struct calls *calls, size_t nr_names, void (*fn)(struct calls *, uint32_t, size_t),
		     struct calls *to)
{
	size_t *last = calloc(nr_names + 1, sizeof(*last));	/* 1 + index of the last stack with the name */

	if (!last)
		return -ENOMEM;
	for (size_t i = 0; i < calls->nr; i++) {
		const struct calls_stack *stack = &calls->stacks[i];

		for (size_t n = 0; n < stack->nr; n++) {
			if (last[stack->names[n]] == i + 1)
				continue;
			last[stack->names[n]] = i + 1;
			fn(to, stack->names[n], i);
		}
	}
	free(last);
	return 0;
}

static void count(struct calls *calls, uint32_t name, size_t stack)
{
	(void)stack;
	calls->found[name + 1]++;
}

/* Appends a stack, which advances found[name]; in the end it is the start of the next name's stacks. */
static void place(struct calls *calls, uint32_t name, size_t stack)
{
	calls->having[calls->found[name]++] = (uint32_t)stack;
}

int calls_index(struct calls *calls, size_t nr_names)
{
	int err = -ENOMEM;

	calls->found = calloc(nr_names + 2, sizeof(*calls->found));
	if (calls->found)
		err = each_name(calls, nr_names, count, calls);
	if (err)
		return err;
	for (size_t i = 0; i < nr_names; i++)
		calls->found[i + 1] += calls->found[i];
	calls->having = calloc(calls->found[nr_names] + 1, sizeof(*calls->having));
	err = calls->having ? each_name(calls, nr_names, place, calls) : -ENOMEM;
	for (size_t i = nr_names; i > 0 && !err; i--)
		calls->found[i] = calls->found[i - 1];
	calls->found[0] = 0;
	return err;
}

/* The position of the name. The stack must contain it. */
static uint32_t find(const struct calls_stack *stack, uint32_t name, int step)
{
	size_t at = step > 0 ? 0 : stack->nr - 1;

	while (stack->names[at] != name)
		at += (size_t)step;
	return (uint32_t)at;
}

struct calls_at *calls_through(const struct calls *calls, uint32_t name, int step, size_t *nr)
{
	const uint32_t *having = calls->having + calls->found[name];
	struct calls_at *stacks;

	*nr = calls->found[name + 1] - calls->found[name];
	stacks = calloc(*nr + 1, sizeof(*stacks));
	for (size_t i = 0; stacks && i < *nr; i++) {
		const struct calls_stack *stack = &calls->stacks[having[i]];

		stacks[i] = (struct calls_at){ stack, find(stack, name, step), name };
	}
	return stacks;
}

bool calls_go_on(const struct calls *calls, uint32_t name, int step)
{
	for (size_t i = calls->found[name]; i < calls->found[name + 1]; i++) {
		const struct calls_stack *stack = &calls->stacks[calls->having[i]];
		uint32_t at = find(stack, name, step);

		if (step > 0 ? at + 1 < stack->nr : at > 0)
			return true;
	}
	return false;
}
