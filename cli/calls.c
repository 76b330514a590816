// SPDX-License-Identifier: GPL-2.0-only
/* Stacks of numbered names, and splitting them. */
#include "calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct name name_of(const struct tprof_frame *frame, enum tprof_group group)
{
	bool object = group == TPROF_GROUP_OBJECT;

	return (struct name){
		.text = object && frame->object[0] ? frame->object : frame->symbol,
		.object = object ? "" : frame->object,
		.mode = frame->mode,
		.pid = -1,
	};
}

static struct name owner_of(const char *comm, const char *cgroup, pid_t pid, enum tprof_group group)
{
	if (group == TPROF_GROUP_CGROUP)
		return (struct name){ .text = cgroup[0] ? cgroup : "[unknown]", .object = "", .pid = -1 };
	return (struct name){ .text = comm[0] ? comm : "[unknown]", .object = "", .pid = pid };
}

static bool is_code(enum tprof_group group)
{
	return group == TPROF_GROUP_FUNCTION || group == TPROF_GROUP_OBJECT;
}

/* Adds a name behind those of the stack. */
static int push(struct calls_stack *stack, uint32_t *numbers, long number)
{
	if (number < 0)
		return -ENOMEM;
	numbers[stack->nr++] = (uint32_t)number;
	return 0;
}

static int take_chain(struct calls *calls, const struct tprof_chain *chain, enum tprof_group group, struct names *names,
		      uint32_t *numbers)
{
	struct calls_stack *stack = &calls->stacks[calls->nr++];
	struct name name;
	int err = 0;

	*stack = (struct calls_stack){ .names = numbers, .samples = chain->samples, .weight = chain->weight };
	if (!is_code(group)) {
		name = owner_of(chain->comm, chain->cgroup, chain->pid, group);
		return push(stack, numbers, names_number(names, &name));
	}
	for (size_t i = 0; i < chain->nr_frames && !err; i++) {
		name = name_of(chain->frames[i], group);
		err = push(stack, numbers, names_number_of(names, chain->frames[i], &name));
		if (group == TPROF_GROUP_OBJECT && stack->nr > 1 && numbers[stack->nr - 1] == numbers[stack->nr - 2])
			stack->nr--;
	}
	return err;
}

static int take_entry(struct calls *calls, const struct tprof_entry *entry, enum tprof_group group, struct names *names,
		      uint32_t *numbers)
{
	const struct tprof_frame frame = { .symbol = entry->symbol, .object = entry->object, .mode = entry->mode };
	struct calls_stack *stack = &calls->stacks[calls->nr++];
	struct name name = is_code(group) ? name_of(&frame, group) :
					    owner_of(entry->comm, entry->cgroup, entry->pid, group);

	*stack = (struct calls_stack){ .names = numbers, .samples = entry->samples, .weight = entry->weight };
	return push(stack, numbers, names_number(names, &name));
}

/* By name alone: a program that is started a thousand times is one. */
static int push_process(struct calls_stack *stack, uint32_t *numbers, const char *comm, struct names *names)
{
	const struct name name = { .text = comm[0] ? comm : "[unknown]", .object = CALLS_PROCESS, .pid = -1 };

	return push(stack, numbers, names_number(names, &name));
}

static size_t count_numbers(const struct tprof_profile *profile)
{
	size_t nr = tprof_profile__nr_entries(profile);

	for (size_t i = 0; i < tprof_profile__nr_chains(profile); i++)
		nr += tprof_profile__chain(profile, i)->nr_frames;
	return nr;
}

static int take_all(struct calls *calls, const struct tprof_profile *profile, enum tprof_group group,
		    struct names *names, bool processes)
{
	bool chains = tprof_profile__nr_chains(profile) != 0;
	size_t nr = chains ? tprof_profile__nr_chains(profile) : tprof_profile__nr_entries(profile), used = 0;
	int err = 0;

	*calls = (struct calls){ 0 };
	calls->stacks = calloc(nr + 1, sizeof(*calls->stacks));
	calls->numbers = calloc(count_numbers(profile) + nr + 1, sizeof(*calls->numbers));
	if (!calls->stacks || !calls->numbers)
		return -ENOMEM;
	names_forget(names);
	for (size_t i = 0; i < nr && !err; i++) {
		const struct tprof_chain *chain = tprof_profile__chain(profile, i);
		const struct tprof_entry *entry = tprof_profile__entry(profile, i);
		uint32_t *numbers = calls->numbers + used;

		err = chains ? take_chain(calls, chain, group, names, numbers) :
			       take_entry(calls, entry, group, names, numbers);
		if (!err && processes)
			err = push_process(&calls->stacks[i], numbers, chains ? chain->comm : entry->comm, names);
		used += calls->stacks[i].nr;
		calls->total.samples += calls->stacks[i].samples;
		calls->total.weight += calls->stacks[i].weight;
	}
	return err;
}

int calls_open(struct calls *calls, const struct tprof_profile *profile, enum tprof_group group, struct names *names)
{
	return take_all(calls, profile, group, names, false);
}

int calls_open_processes(struct calls *calls, const struct tprof_profile *profile, struct names *names)
{
	return take_all(calls, profile, TPROF_GROUP_FUNCTION, names, true);
}

void calls_close(struct calls *calls)
{
	free(calls->stacks);
	free(calls->numbers);
	*calls = (struct calls){ 0 };
}

static void add(struct tprof_tally *sum, const struct calls_stack *stack)
{
	sum->samples += stack->samples;
	sum->weight += stack->weight;
}

struct calls_sum *calls_sums(const struct calls *calls, size_t nr_names)
{
	struct calls_sum *sums = calloc(nr_names + 1, sizeof(*sums));
	size_t *last = calloc(nr_names + 1, sizeof(*last));	/* the stack that a name was seen in last, from 1 on */

	for (size_t i = 0; sums && last && i < calls->nr; i++) {
		const struct calls_stack *stack = &calls->stacks[i];

		add(&sums[stack->names[0]].self, stack);
		for (size_t n = 0; n < stack->nr; n++) {
			if (last[stack->names[n]] == i + 1)
				continue;
			last[stack->names[n]] = i + 1;
			add(&sums[stack->names[n]].total, stack);
		}
	}
	if (!last) {
		free(sums);
		sums = NULL;
	}
	free(last);
	return sums;
}

static uint32_t name_at(const struct calls_at *at)
{
	return at->stack->names[at->at];
}

static int by_name(const void *a, const void *b)
{
	uint32_t x = name_at(a), y = name_at(b);

	return (x > y) - (x < y);
}

static int by_weight(const void *a, const void *b)
{
	const struct calls_branch *x = a, *y = b;
	int order = (x->sum.weight < y->sum.weight) - (x->sum.weight > y->sum.weight);

	return order ? order : (x->name > y->name) - (x->name < y->name);
}

/* Moves each place a step on; those that cannot are done with, and swapped behind the rest. Returns how many go on. */
static size_t advance(struct calls_at *stacks, size_t nr, int step, struct tprof_tally *ended)
{
	for (size_t i = 0; i < nr;) {
		struct calls_at last;

		if (step > 0 ? stacks[i].at + 1 < stacks[i].stack->nr : stacks[i].at > 0) {
			stacks[i].at += (size_t)step;
			i++;
			continue;
		}
		add(ended, stacks[i].stack);
		last = stacks[--nr];
		stacks[nr] = stacks[i];
		stacks[i] = last;
	}
	return nr;
}

int calls_split(struct calls_at *stacks, size_t nr, int step, struct calls_split *split)
{
	size_t room = 0;

	*split = (struct calls_split){ 0 };
	nr = advance(stacks, nr, step, &split->ended);
	qsort(stacks, nr, sizeof(*stacks), by_name);
	for (size_t i = 0; i < nr; i++)
		room += !i || name_at(&stacks[i]) != name_at(&stacks[i - 1]);
	split->branches = calloc(room + 1, sizeof(*split->branches));
	if (!split->branches)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		if (!i || name_at(&stacks[i]) != name_at(&stacks[i - 1])) {
			split->branches[split->nr++] = (struct calls_branch){
				.name = name_at(&stacks[i]), .stacks = &stacks[i],
			};
		}
		split->branches[split->nr - 1].nr++;
		add(&split->branches[split->nr - 1].sum, stacks[i].stack);
	}
	qsort(split->branches, split->nr, sizeof(*split->branches), by_weight);
	return 0;
}

struct calls_at *calls_from_roots(const struct calls *calls)
{
	struct calls_at *stacks = calloc(calls->nr + 1, sizeof(*stacks));

	for (size_t i = 0; stacks && i < calls->nr; i++)
		stacks[i] = (struct calls_at){ &calls->stacks[i], calls->stacks[i].nr };
	return stacks;
}
