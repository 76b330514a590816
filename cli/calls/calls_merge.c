// SPDX-License-Identifier: GPL-2.0-only
/* Merges call stacks with the same names. The first of them stays, so that the order does. */
#include "calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t hash_of(const struct calls_stack *stack)
{
	uint64_t hash = stack->nr;

	for (size_t n = 0; n < stack->nr; n++)
		hash = (hash ^ stack->names[n]) * 0x9e3779b97f4a7c15;
	return (size_t)(hash ^ hash >> 32);
}

static bool are_equal(const struct calls_stack *a, const struct calls_stack *b)
{
	return a->nr == b->nr && !memcmp(a->names, b->names, a->nr * sizeof(*a->names));
}

int calls_merge(struct calls *calls)
{
	size_t nr_slots = 16, nr = 0, *slots;	/* 1 + index of a stack; 0: free */

	while (nr_slots < calls->nr * 2)
		nr_slots *= 2;
	slots = calloc(nr_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	for (size_t i = 0; i < calls->nr; i++) {
		struct calls_stack *stack = &calls->stacks[i];
		size_t at = hash_of(stack) & (nr_slots - 1);

		while (slots[at] && !are_equal(&calls->stacks[slots[at] - 1], stack))
			at = (at + 1) & (nr_slots - 1);
		if (slots[at]) {
			calls->stacks[slots[at] - 1].samples += stack->samples;
			calls->stacks[slots[at] - 1].weight += stack->weight;
			continue;
		}
		calls->stacks[nr++] = *stack;
		slots[at] = nr;
	}
	calls->nr = nr;
	free(slots);
	return 0;
}
