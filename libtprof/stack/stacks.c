// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Stacks that were drained, by the id of their content. */
#include "stacks.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct stack_node {
	struct hash_node node;
	uint64_t age;
	struct kept_stack *stack;	/* allocated right behind this struct */
};

struct stacks {
	struct hash index;
	uint64_t age;
	size_t nr_kept;
};

struct stacks *stacks_new(void)
{
	return calloc(1, sizeof(struct stacks));
}

static bool drop_old(void *ctx, struct hash_node *node)
{
	const struct stacks *stacks = ctx;
	struct stack_node *kept = (struct stack_node *)node;

	if (kept->age + 2 > stacks->age)
		return true;
	free(kept);
	return false;
}

void stacks_age(struct stacks *stacks)
{
	stacks->age++;
	if (stacks->index.nr > stacks->nr_kept)
		hash_filter(&stacks->index, drop_old, stacks);
}

void stacks_keep(struct stacks *stacks, size_t nr)
{
	stacks->nr_kept = nr;
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

static struct stack_node *find(const struct stacks *stacks, uint64_t id)
{
	return (struct stack_node *)hash_find(&stacks->index, id);
}

/* Counts frames within the capacity of the value, whatever it claims. */
static size_t count_frames(const struct kept_stack *stack, size_t bytes)
{
	size_t nr = 0, capacity = (bytes - sizeof(*stack)) / sizeof(stack->ip[0]);

	if (capacity > TPROF_STACK_MAX_FRAMES)
		capacity = TPROF_STACK_MAX_FRAMES;
	/* Its words may be 0. */
	if (stack->flags == TPROF_STACK_WAKER)
		return capacity < TPROF_WAKER_WORDS ? 0 : TPROF_WAKER_WORDS;
	while (nr < stack->nr_frames && nr < capacity && stack->ip[nr])
		nr++;
	return nr;
}

uint32_t stacks_shorten(__u64 *ip, uint32_t nr, uint32_t max)
{
	uint32_t leaf = max / 2, root = max - leaf - 1;

	if (nr <= max)
		return nr;
	ip[leaf] = TPROF_FRAME_CUT;
	memmove(ip + leaf + 1, ip + nr - root, root * sizeof(*ip));
	return max;
}

int stacks_add(struct stacks *stacks, uint64_t id, const void *stack, size_t bytes)
{
	struct stack_node *kept = find(stacks, id);
	size_t nr = count_frames(stack, bytes);
	size_t size = sizeof(*kept->stack) + nr * sizeof(kept->stack->ip[0]);

	if (kept) {
		kept->age = stacks->age;
		return 0;
	}
	kept = malloc(sizeof(*kept) + size);
	if (!kept)
		return -ENOMEM;
	kept->stack = memcpy(kept + 1, stack, size);
	kept->stack->nr_frames = (uint32_t)nr;
	kept->age = stacks->age;
	if (hash_add(&stacks->index, &kept->node, id) == 0)
		return 0;
	free(kept);
	return -ENOMEM;
}

const struct kept_stack *stacks_find(const struct stacks *stacks, uint64_t id)
{
	const struct stack_node *kept = find(stacks, id);

	return kept ? kept->stack : NULL;
}

bool stacks_find_waker(const struct stacks *stacks, uint64_t id, struct kept_waker *waker)
{
	const struct kept_stack *stack = stacks_find(stacks, id);

	if (!stack || stack->flags != TPROF_STACK_WAKER || stack->nr_frames != TPROF_WAKER_WORDS)
		return false;
	*waker = (struct kept_waker){
		.kernel = stack->ip[TPROF_WAKER_KERNEL],
		.user = stack->ip[TPROF_WAKER_USER],
		.tgid = (uint32_t)stack->ip[TPROF_WAKER_PROCESS],
		.exec = (uint32_t)(stack->ip[TPROF_WAKER_PROCESS] >> 32),
	};
	memcpy(waker->comm, &stack->ip[TPROF_WAKER_COMM], TPROF_COMM_LEN);
	return true;
}

uint64_t stacks_address(const struct kept_stack *stack, uint32_t index)
{
	if (stack->flags & STACKS_UNWOUND)
		return stack->ip[index] & ~STACKS_FRAME_POINTER;
	if (index && (stack->flags & TPROF_STACK_USER) && ip_is_kernel(stack->ip[index]))
		return 0;
	return stack->ip[index];
}

enum frame_kind stacks_frame_kind(const struct kept_stack *stack, uint32_t index)
{
	if (stack->flags & STACKS_UNWOUND)
		return stack->ip[index] & STACKS_FRAME_POINTER ? FRAME_BY_POINTER : FRAME_AT;
	/* After TPROF_FRAME_SKID comes the address that the interrupt hit. */
	if (index == 2 && stack->ip[1] == TPROF_FRAME_SKID)
		return FRAME_AT;
	return index && stacks_address(stack, index) ? FRAME_RETURNED_TO : FRAME_AT;
}

const char *stacks_frame_mark(const struct kept_stack *stack, uint32_t index)
{
	switch (stack->ip[index]) {
	case TPROF_FRAME_CUT:
		return "[stack cut off]";
	case STACKS_BROKEN:
		return "[cannot unwind]";
	case TPROF_FRAME_SKID:
		return index == 1 ? "[skid]" : NULL;
	default:
		return NULL;
	}
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
	case TPROF_STACK_ID_FULL(TPROF_STACK_WAKER):
		return "[waker: stack table full]";
	case TPROF_STACK_ID_UNREAD(TPROF_STACK_WAKER):
		return "[waker not known]";
	default:
		return "[stack not known]";
	}
}
