// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Stacks as they were drained, by the id of their content. */
#include "stacks.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "symbolize.h"

struct kept_stack {
	struct hash_node node;
	uint64_t age;
	struct tprof_stack stack;	/* only as many frames as it has */
};

struct stacks {
	struct hash index;
	uint64_t age;
};

struct stacks *stacks_new(void)
{
	return calloc(1, sizeof(struct stacks));
}

static bool drop_old(void *ctx, struct hash_node *node)
{
	const struct stacks *stacks = ctx;
	struct kept_stack *kept = (struct kept_stack *)node;

	if (kept->age + 2 > stacks->age)
		return true;
	free(kept);
	return false;
}

void stacks_age(struct stacks *stacks)
{
	stacks->age++;
	hash_filter(&stacks->index, drop_old, stacks);
}

void stacks_free(struct stacks *stacks)
{
	if (!stacks)
		return;
	stacks->age = UINT64_MAX;
	hash_filter(&stacks->index, drop_old, stacks);
	hash_fini(&stacks->index);
	free(stacks);
}

static struct kept_stack *find(const struct stacks *stacks, uint64_t id)
{
	return (struct kept_stack *)hash_find(&stacks->index, id);
}

static size_t count_frames(const struct tprof_stack *stack)
{
	size_t nr = 0;

	while (nr < stack->nr_frames && nr < TPROF_STACK_MAX_FRAMES && stack->ip[nr])
		nr++;
	return nr;
}

int stacks_add(struct stacks *stacks, uint64_t id, const struct tprof_stack *stack)
{
	struct kept_stack *kept = find(stacks, id);
	size_t nr = count_frames(stack);
	size_t size = offsetof(struct tprof_stack, ip) + nr * sizeof(stack->ip[0]);

	if (kept) {
		kept->age = stacks->age;
		return 0;
	}
	kept = malloc(offsetof(struct kept_stack, stack) + size);
	if (!kept)
		return -ENOMEM;
	memcpy(&kept->stack, stack, size);
	kept->stack.nr_frames = (uint32_t)nr;
	kept->age = stacks->age;
	if (hash_add(&stacks->index, &kept->node, id) == 0)
		return 0;
	free(kept);
	return -ENOMEM;
}

const struct tprof_stack *stacks_find(const struct stacks *stacks, uint64_t id)
{
	const struct kept_stack *kept = find(stacks, id);

	return kept ? &kept->stack : NULL;
}

uint64_t stacks_address(const struct tprof_stack *stack, uint32_t index)
{
	if (!index)
		return stack->ip[0];
	if ((stack->flags & TPROF_STACK_USER) && ip_is_kernel(stack->ip[index]))
		return 0;
	return stack->ip[index] - 1;
}

const char *stacks_mark(uint64_t id)
{
	switch (id) {
	case 0:
		return "[no stack]";
	case TPROF_STACK_ID_FULL(TPROF_STACK_USER):
	case TPROF_STACK_ID_FULL(TPROF_STACK_KERNEL):
		return "[stack table full]";
	case TPROF_STACK_ID_UNREAD(TPROF_STACK_USER):
	case TPROF_STACK_ID_UNREAD(TPROF_STACK_KERNEL):
		return "[stack not read]";
	default:
		return "[stack not known]";
	}
}
