// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* The call stacks of a profile: each frame is stored once, equal call stacks are merged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile.h"

static uint64_t frame_key(const struct tprof_frame *frame)
{
	uint64_t key = hash_mix((uintptr_t)frame->symbol, (uintptr_t)frame->object);

	key = hash_mix(key, (uintptr_t)frame->path);
	key = hash_mix(key, (uintptr_t)frame->build_id);
	key = hash_mix(key, (uintptr_t)frame->file);
	key = hash_mix(key, (uint64_t)frame->line << 32 | frame->start_line);
	return hash_mix(key, frame->address ^ (uint64_t)frame->mode << 60 ^ (uint64_t)frame->inlined << 59);
}

/* Strings are interned: compares addresses. */
static bool same_frame(const struct tprof_frame *a, const struct tprof_frame *b)
{
	return a->symbol == b->symbol && a->object == b->object && a->path == b->path && a->build_id == b->build_id &&
	       a->address == b->address && a->mode == b->mode && a->file == b->file && a->line == b->line &&
	       a->start_line == b->start_line && a->inlined == b->inlined;
}

/* True if the frame is one of the profile's own, which is decided by address. */
static bool is_kept(const struct profile_call_stacks *calls, const struct tprof_frame *frame)
{
	struct hash_node *node = hash_find(&calls->frames, frame_key(frame));

	while (node && &((struct profile_frame *)node)->frame != frame)
		node = hash_find_next(node);
	return node;
}

const struct tprof_frame *profile_keep_frame(struct tprof_profile *profile, const struct tprof_frame *added)
{
	struct profile_call_stacks *calls = &profile->calls;
	struct tprof_frame frame = {
		.symbol = profile_keep(profile, added->symbol),
		.object = profile_keep(profile, added->object),
		.path = profile_keep(profile, added->path),
		.build_id = profile_keep(profile, added->build_id),
		.address = added->address,
		.mode = added->mode,
		.file = profile_keep(profile, added->file),
		.line = added->line,
		.start_line = added->start_line,
		.inlined = added->inlined,
	};
	struct profile_frame *made;
	struct hash_node *node;

	if (!frame.symbol || !frame.object || !frame.path || !frame.build_id || !frame.file)
		return NULL;
	for (node = hash_find(&calls->frames, frame_key(&frame)); node; node = hash_find_next(node)) {
		struct profile_frame *known = (struct profile_frame *)node;

		if (same_frame(&known->frame, &frame))
			return &known->frame;
	}
	made = malloc(sizeof(*made));
	if (!made || hash_add(&calls->frames, &made->node, frame_key(&frame))) {
		free(made);
		return NULL;
	}
	made->frame = frame;
	return &made->frame;
}

/* Frames are the profile's own: hashes addresses. */
static uint64_t stack_key(const struct tprof_frame *const *frames, size_t nr)
{
	uint64_t key = nr;

	for (size_t i = 0; i < nr; i++)
		key = hash_mix(key, (uintptr_t)frames[i]);
	return key;
}

static const struct profile_stack *keep_stack(struct profile_call_stacks *calls,
					      const struct tprof_frame *const *frames, size_t nr)
{
	uint64_t key = stack_key(frames, nr);
	struct profile_stack *made;
	struct hash_node *node;

	for (node = hash_find(&calls->stacks, key); node; node = hash_find_next(node)) {
		const struct profile_stack *known = (struct profile_stack *)node;

		if (known->nr == nr && (!nr || !memcmp(known->frames, frames, nr * sizeof(frames[0]))))
			return known;
	}
	made = malloc(sizeof(*made) + nr * sizeof(frames[0]));
	if (!made || hash_add(&calls->stacks, &made->node, key)) {
		free(made);
		return NULL;
	}
	made->nr = nr;
	if (nr)
		memcpy(made->frames, frames, nr * sizeof(frames[0]));
	return made;
}

/* Returns the profile's copies of the frames; NULL if there is no memory. */
static const struct tprof_frame *const *keep_frames(struct tprof_profile *profile, const struct tprof_call_stack *added)
{
	struct profile_call_stacks *calls = &profile->calls;
	const struct tprof_frame **frames = array_reserve(calls->at_hand, added->nr_frames, &calls->at_hand_capacity,
							  sizeof(*frames));
	const struct profile_stack *stack;

	if (!frames)
		return NULL;
	calls->at_hand = frames;
	for (size_t i = 0; i < added->nr_frames; i++) {
		bool kept = is_kept(calls, added->frames[i]);

		frames[i] = kept ? added->frames[i] : profile_keep_frame(profile, added->frames[i]);
		if (!frames[i])
			return NULL;
	}
	stack = keep_stack(calls, frames, added->nr_frames);
	return stack ? stack->frames : NULL;
}

/* Stack and strings are the profile's own: hashes addresses. */
static uint64_t call_stack_key(const struct tprof_call_stack *call_stack)
{
	uint64_t key = hash_mix((uintptr_t)call_stack->comm, (uintptr_t)call_stack->cgroup);

	key = hash_mix(key, (uintptr_t)call_stack->owner);
	return hash_mix(key, (uintptr_t)call_stack->frames ^ (uint64_t)(uint32_t)call_stack->pid << 32);
}

static bool same_call_stack(const struct tprof_call_stack *a, const struct tprof_call_stack *b)
{
	return a->comm == b->comm && a->cgroup == b->cgroup && a->owner == b->owner && a->pid == b->pid &&
	       a->frames == b->frames;
}

/* Finds the call stack with this key, or makes it, with no samples. */
static struct profile_call_stack *make_call_stack(struct tprof_profile *profile, const struct tprof_call_stack *added)
{
	struct profile_call_stacks *calls = &profile->calls;
	struct tprof_call_stack call_stack = *added;
	size_t nr_more = profile->nr_events - 1;
	struct profile_call_stack *made;
	struct hash_node *node;

	call_stack.frames = keep_frames(profile, added);
	call_stack.comm = profile_keep(profile, added->comm);
	call_stack.cgroup = profile_keep(profile, added->cgroup);
	call_stack.owner = profile_keep(profile, added->owner);
	if (!call_stack.frames || !call_stack.comm || !call_stack.cgroup || !call_stack.owner)
		return NULL;
	for (node = hash_find(&calls->index, call_stack_key(&call_stack)); node; node = hash_find_next(node)) {
		struct profile_call_stack *known = (struct profile_call_stack *)node;

		if (same_call_stack(&known->call_stack, &call_stack))
			return known;
	}
	made = calloc(1, sizeof(*made) + nr_more * sizeof(made->more[0]));
	if (!made || array_grow_pointers(&calls->call_stacks, calls->nr, &calls->capacity) ||
	    hash_add(&calls->index, &made->node, call_stack_key(&call_stack))) {
		free(made);
		return NULL;
	}
	made->call_stack = call_stack;
	made->call_stack.samples = made->call_stack.weight = 0;
	made->nr_more = nr_more;
	calls->call_stacks[calls->nr++] = made;
	return made;
}

int profile_add_call_stack_of(struct tprof_profile *profile, const struct tprof_call_stack *added, size_t event)
{
	const struct tprof_tally value = { added->samples, added->weight };
	struct profile_call_stack *into = make_call_stack(profile, added);

	if (!into)
		return -ENOMEM;
	tally_add_of(&into->call_stack.samples, &into->call_stack.weight, into->more, &value, event);
	return 0;
}

int profile_add_call_stack(struct tprof_profile *profile, const struct tprof_call_stack *added)
{
	return profile_add_call_stack_of(profile, added, 0);
}

int profile_add_call_stack_all(struct tprof_profile *profile, const struct tprof_call_stack *key,
			       const struct profile_call_stack *from)
{
	struct profile_call_stack *into = make_call_stack(profile, key);

	for (size_t e = 0; into && e < profile->nr_events; e++) {
		const struct tprof_tally value = call_stack_tally(from, e);

		tally_add_of(&into->call_stack.samples, &into->call_stack.weight, into->more, &value, e);
	}
	return into ? 0 : -ENOMEM;
}

static int compare_frames(const struct tprof_frame *a, const struct tprof_frame *b)
{
	int order = strcmp(a->symbol, b->symbol);

	if (!order)
		order = (a->address > b->address) - (a->address < b->address);
	if (!order)
		order = strcmp(a->object, b->object);
	if (!order)
		order = strcmp(a->path, b->path);
	if (!order)
		order = strcmp(a->build_id, b->build_id);
	if (!order)
		order = (a->mode > b->mode) - (a->mode < b->mode);
	if (!order)
		order = strcmp(a->file, b->file);
	if (!order)
		order = (a->line > b->line) - (a->line < b->line);
	if (!order)
		order = (a->start_line > b->start_line) - (a->start_line < b->start_line);
	return order ? order : a->inlined - b->inlined;
}

/* Compares all fields that distinguish call stacks, so that equal profiles give equal output. */
static int compare_call_stacks(const void *a, const void *b)
{
	const struct profile_call_stack *p = *(struct profile_call_stack *const *)a;
	const struct profile_call_stack *q = *(struct profile_call_stack *const *)b;
	const struct tprof_call_stack *x = &p->call_stack, *y = &q->call_stack;
	size_t nr = x->nr_frames < y->nr_frames ? x->nr_frames : y->nr_frames;
	int order = (x->weight < y->weight) - (x->weight > y->weight);

	for (size_t i = 0; i < p->nr_more && !order; i++)
		order = (p->more[i].weight < q->more[i].weight) - (p->more[i].weight > q->more[i].weight);
	for (size_t i = 0; i < nr && !order; i++)
		order = x->frames[i] == y->frames[i] ? 0 : compare_frames(x->frames[i], y->frames[i]);
	if (!order)
		order = (x->nr_frames > y->nr_frames) - (x->nr_frames < y->nr_frames);
	if (!order)
		order = (x->pid > y->pid) - (x->pid < y->pid);
	if (!order)
		order = strcmp(x->comm, y->comm);
	if (!order)
		order = strcmp(x->cgroup, y->cgroup);
	return order ? order : strcmp(x->owner, y->owner);
}

void profile_sort_call_stacks(struct tprof_profile *profile)
{
	struct profile_call_stacks *calls = &profile->calls;

	if (calls->nr)
		qsort(calls->call_stacks, calls->nr, sizeof(*calls->call_stacks), compare_call_stacks);
}

int profile_merge_call_stacks(struct tprof_profile *into, const struct tprof_profile *from)
{
	for (size_t i = 0; i < from->calls.nr; i++) {
		const struct profile_call_stack *call_stack = from->calls.call_stacks[i];

		if (profile_add_call_stack_all(into, &call_stack->call_stack, call_stack))
			return -ENOMEM;
	}
	return 0;
}

static bool free_node(void *ctx, struct hash_node *node)
{
	(void)ctx;
	free(node);
	return false;
}

void profile_free_call_stacks(struct tprof_profile *profile)
{
	struct profile_call_stacks *calls = &profile->calls;

	for (size_t i = 0; i < calls->nr; i++)
		free(calls->call_stacks[i]);
	free(calls->call_stacks);
	hash_fini(&calls->index);
	free(calls->at_hand);
	hash_filter(&calls->stacks, free_node, NULL);
	hash_fini(&calls->stacks);
	hash_filter(&calls->frames, free_node, NULL);
	hash_fini(&calls->frames);
}

size_t tprof_profile__nr_call_stacks(const struct tprof_profile *profile)
{
	return profile->calls.nr;
}

const struct tprof_call_stack *tprof_profile__call_stack(const struct tprof_profile *profile, size_t index)
{
	return index < profile->calls.nr ? &profile->calls.call_stacks[index]->call_stack : NULL;
}

static bool is_by_frame_pointer(const struct tprof_frame *frame)
{
	static const char mark[] = TPROF_BY_FRAME_POINTER;
	size_t length = strlen(frame->symbol), mark_length = sizeof(mark) - 1;

	return length > mark_length && !strcmp(frame->symbol + length - mark_length, mark);
}

static bool have_frame_pointer(const struct tprof_call_stack *call_stack)
{
	for (size_t i = 0; i < call_stack->nr_frames; i++) {
		if (is_by_frame_pointer(call_stack->frames[i]))
			return true;
	}
	return false;
}

struct tprof_tally tprof_profile__by_frame_pointer(const struct tprof_profile *profile)
{
	struct tprof_tally sum = { 0 };

	for (size_t i = 0; i < profile->calls.nr; i++) {
		const struct tprof_call_stack *call_stack = &profile->calls.call_stacks[i]->call_stack;

		if (!have_frame_pointer(call_stack))
			continue;
		sum.samples += call_stack->samples;
		sum.weight += call_stack->weight;
	}
	return sum;
}
