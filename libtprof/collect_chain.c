// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Call chains of keys. */
#include "collect_chain.h"

static void add(struct collect_chain *chain, const struct tprof_frame *frame)
{
	chain->frames[chain->nr] = *frame;
	chain->order[chain->nr] = &chain->frames[chain->nr];
	chain->nr++;
}

static void add_mark(struct collect_chain *chain, const char *text)
{
	add(chain, &(struct tprof_frame){ .symbol = text, .mode = TPROF_MODE_UNKNOWN });
}

static int add_address(const struct collector_table *t, const void *key, uint64_t ip, struct collect_chain *chain)
{
	pid_t tgid = t->tgid ? (pid_t)value_number(t->tgid, key) : -1;
	uint32_t exec = t->exec ? (uint32_t)value_number(t->exec, key) : 0;
	struct tprof_frame frame;
	int err = symbolizer_frame(t->collector->symbolizer, tgid, exec, ip, &frame);

	if (!err)
		add(chain, &frame);
	return err;
}

static int add_frames(const struct collector_table *t, const void *key, const struct tprof_stack *stack,
		      struct collect_chain *chain)
{
	int err = 0;

	for (uint32_t i = 0; i < stack->nr_frames && !err; i++)
		err = add_address(t, key, stacks_address(stack, i), chain);
	if (!err && stack->nr_frames >= t->collector->max_frames)
		add_mark(chain, "[stack cut off]");
	return err;
}

/* Whose stack it is; of one that is not known any more, the program's: the end of a chain. */
static uint32_t stack_kind(const struct tprof_stack *stack, uint64_t id)
{
	if (stack)
		return stack->flags;
	return id < TPROF_STACK_ID_MIN ? id & (TPROF_STACK_USER | TPROF_STACK_KERNEL) : TPROF_STACK_USER;
}

static int add_stacks(const struct collector_table *t, const void *key, uint32_t kind, struct collect_chain *chain)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_stacks && !err; i++) {
		uint64_t id = value_number(t->stacks[i], key);
		const struct tprof_stack *stack = stacks_find(t->collector->stacks, id);

		if (stack_kind(stack, id) != kind)
			continue;
		if (stack)
			err = add_frames(t, key, stack, chain);
		else
			add_mark(chain, stacks_mark(id));
	}
	return err;
}

int collect_chain(const struct collector_table *t, const void *key, struct collect_chain *chain)
{
	struct collect_chain rest;
	int err;

	chain->nr = 0;
	err = add_stacks(t, key, TPROF_STACK_KERNEL, chain);
	if (!err)
		err = add_stacks(t, key, TPROF_STACK_USER, chain);
	if (err || (chain->nr && chain->frames[0].mode != TPROF_MODE_UNKNOWN))
		return err;
	if (!t->ip) {
		if (!chain->nr)
			add_mark(chain, stacks_mark(0));
		return 0;
	}
	/* No stack says where the sample was, but the key does. */
	rest = *chain;
	chain->nr = 0;
	err = add_address(t, key, value_number(t->ip, key), chain);
	for (size_t i = 0; i < rest.nr; i++)
		add(chain, &rest.frames[i]);
	return err;
}
