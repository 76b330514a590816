// SPDX-License-Identifier: GPL-2.0-only
/* Call stacks as arrays of name numbers. */
#include "calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The text of the result is NULL if memory is short. */
static struct name name_of(struct names *names, const struct tprof_frame *frame, enum tprof_group group)
{
	bool by_line = group == TPROF_GROUP_LINE;
	struct name name = { .mode = frame->mode, .pid = -1 };

	if (group == TPROF_GROUP_OBJECT) {
		/* Marker frames, such as "[stack cut off]", have no object. */
		const char *none = frame->mode == TPROF_MODE_UNKNOWN ? frame->symbol : "[unknown]";

		name.text = frame->object[0] ? frame->object : none;
		name.object = "";
		return name;
	}
	name.function = frame->symbol;
	name.object = frame->object;
	name.inlined = frame->inlined;
	name.line = by_line ? frame->line : frame->start_line;
	if (frame->file[0] && name.line)
		name.file = frame->file;
	name.text = names_text(names, frame->symbol, frame->inlined, frame->file, by_line ? frame->line : 0);
	return name;
}

/* The number of a frame's name, cached by the address of the frame; -1 if memory is short. */
static long number_of(struct names *names, const struct tprof_frame *frame, enum tprof_group group)
{
	long known = names_known(names, frame);
	struct name name;

	if (known >= 0)
		return known;
	name = name_of(names, frame, group);
	return name.text ? names_number_of(names, frame, &name) : -1;
}

/* The name of a call stack in a group that is not of code. */
static struct name group_of(const struct tprof_call_stack *call_stack, enum tprof_group group)
{
	struct name name = { .text = call_stack->comm, .object = "", .pid = call_stack->pid };

	if (group != TPROF_GROUP_PROCESS) {
		name.text = group == TPROF_GROUP_CGROUP ? call_stack->cgroup : call_stack->owner;
		name.pid = -1;
	}
	if (!name.text[0])
		name.text = "[unknown]";
	return name;
}

/* Appends a name to the stack. */
static int push(struct calls_stack *stack, uint32_t *numbers, long number)
{
	if (number < 0)
		return -ENOMEM;
	numbers[stack->nr++] = (uint32_t)number;
	return 0;
}

static int take_call_stack(struct calls *calls, const struct tprof_call_stack *call_stack, enum tprof_group group,
			   struct names *names, uint32_t *numbers)
{
	struct calls_stack *stack = &calls->stacks[calls->nr++];
	struct name name;
	int err = 0;

	*stack = (struct calls_stack){ .names = numbers, .samples = call_stack->samples, .weight = call_stack->weight };
	if (!names_are_code(group)) {
		name = group_of(call_stack, group);
		return push(stack, numbers, names_number(names, &name));
	}
	for (size_t i = 0; i < call_stack->nr_frames && !err; i++) {
		err = push(stack, numbers, number_of(names, call_stack->frames[i], group));
		if (group == TPROF_GROUP_OBJECT && stack->nr > 1 && numbers[stack->nr - 1] == numbers[stack->nr - 2])
			stack->nr--;
	}
	return err;
}

static int take_entry(struct calls *calls, const struct tprof_entry *entry, enum tprof_group group, struct names *names,
		      uint32_t *numbers)
{
	const struct tprof_frame frame = { .symbol = entry->symbol, .object = entry->object, .mode = entry->mode,
					   .file = entry->file, .line = entry->line, .inlined = entry->inlined };
	const struct tprof_call_stack owned = { .comm = entry->comm, .cgroup = entry->cgroup, .owner = entry->owner,
						.pid = entry->pid };
	struct calls_stack *stack = &calls->stacks[calls->nr++];
	struct name name = names_are_code(group) ? name_of(names, &frame, group) : group_of(&owned, group);

	*stack = (struct calls_stack){ .names = numbers, .samples = entry->samples, .weight = entry->weight };
	return push(stack, numbers, name.text ? names_number(names, &name) : -1);
}

/* Processes are grouped by name, without pid: many runs of a program are one process. */
static int push_process(struct calls_stack *stack, uint32_t *numbers, const char *comm, struct names *names)
{
	const struct name name = { .text = comm[0] ? comm : "[unknown]", .object = CALLS_PROCESS, .pid = -1 };

	return push(stack, numbers, names_number(names, &name));
}

static size_t count_numbers(const struct tprof_profile *profile)
{
	size_t nr = tprof_profile__nr_entries(profile);

	for (size_t i = 0; i < tprof_profile__nr_call_stacks(profile); i++)
		nr += tprof_profile__call_stack(profile, i)->nr_frames;
	return nr;
}

static int take_all(struct calls *calls, const struct tprof_profile *profile, enum tprof_group group,
		    struct names *names, bool processes)
{
	bool call_stacks = tprof_profile__nr_call_stacks(profile) != 0;
	size_t nr = call_stacks ? tprof_profile__nr_call_stacks(profile) : tprof_profile__nr_entries(profile), used = 0;
	int err = 0;

	*calls = (struct calls){ 0 };
	calls->stacks = calloc(nr + 1, sizeof(*calls->stacks));
	calls->numbers = calloc(count_numbers(profile) + nr + 1, sizeof(*calls->numbers));
	if (!calls->stacks || !calls->numbers)
		return -ENOMEM;
	names_forget(names);
	for (size_t i = 0; i < nr && !err; i++) {
		const struct tprof_call_stack *call_stack = tprof_profile__call_stack(profile, i);
		const struct tprof_entry *entry = tprof_profile__entry(profile, i);
		uint32_t *numbers = calls->numbers + used;

		err = call_stacks ? take_call_stack(calls, call_stack, group, names, numbers) :
			       take_entry(calls, entry, group, names, numbers);
		if (!err && processes)
			err = push_process(&calls->stacks[i], numbers, call_stacks ? call_stack->comm : entry->comm,
					   names);
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
	free(calls->found);
	free(calls->having);
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
	size_t *last = calloc(nr_names + 1, sizeof(*last));	/* 1 + index of the last stack with the name */

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
