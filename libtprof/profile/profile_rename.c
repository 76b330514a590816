// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Renames the functions of a profile and merges the entries and call stacks that have become equal. */
#include <errno.h>
#include <stdlib.h>

#include "profile.h"

static int move_entries(struct tprof_profile *into, const struct tprof_profile *from, const struct profile_renaming *by)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct tprof_entry entry = from->entries[i]->entry;
		uint64_t address = 0;

		by->fn(by->ctx, &entry.symbol, &entry.object, &address);
		if (profile_add_all(into, &entry, from->entries[i]))
			return -ENOMEM;
	}
	return 0;
}

static int move_call_stack(struct tprof_profile *into, const struct profile_call_stack *from,
			   const struct profile_renaming *by)
{
	const struct tprof_call_stack *stack = &from->call_stack;
	const struct tprof_frame **frames = calloc(stack->nr_frames, sizeof(*frames));
	struct tprof_call_stack renamed = *stack;
	int err = frames ? 0 : -ENOMEM;

	for (size_t i = 0; i < stack->nr_frames && !err; i++) {
		struct tprof_frame frame = *stack->frames[i];

		by->fn(by->ctx, &frame.symbol, &frame.object, &frame.address);
		frames[i] = profile_keep_frame(into, &frame);
		err = frames[i] ? 0 : -ENOMEM;
	}
	renamed.frames = frames;
	if (!err)
		err = profile_add_call_stack_all(into, &renamed, from);
	free(frames);
	return err;
}

static void free_entries(struct tprof_profile *profile)
{
	for (size_t i = 0; i < profile->nr; i++)
		free(profile->entries[i]);
	free(profile->entries);
	hash_fini(&profile->index);
	profile_free_call_stacks(profile);
}

int profile_rename(struct tprof_profile *profile, const struct profile_renaming *by)
{
	struct tprof_profile renamed = { .strings = profile->strings, .nr_events = profile->nr_events };
	int err = move_entries(&renamed, profile, by);

	for (size_t i = 0; i < profile->calls.nr && !err; i++)
		err = move_call_stack(&renamed, profile->calls.call_stacks[i], by);
	if (err) {
		free_entries(&renamed);
		return err;
	}
	free_entries(profile);
	profile->entries = renamed.entries;
	profile->nr = renamed.nr;
	profile->capacity = renamed.capacity;
	profile->index = renamed.index;
	profile->calls = renamed.calls;
	return 0;
}
