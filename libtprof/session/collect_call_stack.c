// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Call stacks of keys. */
#include "collect_call_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "host/comm.h"
#include "wait_reason.h"

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

/* @text: a literal, of this file, stacks.c or wait_reason.c */
static int insert_mark(struct collect_call_stack *call_stack, size_t at, const char *text)
{
	size_t i = 0;

	while (i < call_stack->nr_marks && call_stack->marks[i].symbol != text)
		i++;
	if (i == call_stack->nr_marks)
		call_stack->marks[call_stack->nr_marks++] = (struct tprof_frame){
			.symbol = text, .mode = TPROF_MODE_UNKNOWN,
		};
	return insert(call_stack, at, &call_stack->marks[i]);
}

static int add_mark(struct collect_call_stack *call_stack, const char *text)
{
	return insert_mark(call_stack, call_stack->nr, text);
}

/* Whose addresses they are. */
struct code {
	struct collector *collector;
	pid_t tgid;			/* -1: not known */
	uint32_t exec;
};

static struct code code_of(const struct collector_table *t, const void *key)
{
	return (struct code){
		.collector = t->collector,
		.tgid = t->tgid ? (pid_t)value_number(t->tgid, key) : -1,
		.exec = t->exec ? (uint32_t)value_number(t->exec, key) : 0,
	};
}

/* Inserts the functions at an address before the frame at @at. */
static int add_address(const struct code *code, uint64_t ip, enum frame_kind kind,
		       struct collect_call_stack *call_stack, size_t at)
{
	const struct tprof_frame *frames;
	int nr = symbolizer_stack_frames(code->collector->symbolizer, code->tgid, code->exec, ip, kind, &frames);
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
static int add_interrupted(const struct code *code, const struct kept_stack *stack,
			   struct collect_call_stack *call_stack)
{
	size_t leaf = call_stack->nr;
	int err = add_mark(call_stack, stacks_frame_mark(stack, 1));

	if (!err)
		err = add_address(code, stacks_address(stack, 2), stacks_frame_kind(stack, 2), call_stack,
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

static int add_frames(const struct code *code, const struct kept_stack *stack, uint32_t first,
		      struct collect_call_stack *call_stack)
{
	int err = 0;

	for (uint32_t i = first; i < stack->nr_frames && !err; i++) {
		const char *mark = stacks_frame_mark(stack, i);

		if (i == 1 && has_skid(stack))
			err = add_interrupted(code, stack, call_stack), i++;
		else if (mark)
			err = add_mark(call_stack, mark);
		else
			err = add_address(code, stacks_address(stack, i), stacks_frame_kind(stack, i), call_stack,
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
	const struct code code = code_of(t, key);
	int err = 0;

	for (size_t i = 0; i < t->nr_stacks && !err; i++) {
		uint64_t id = value_number(t->stacks[i], key);
		const struct kept_stack *stack = stacks_find(t->collector->stacks, id);

		if (stack_kind(stack, id) != kind)
			continue;
		if (stack)
			err = add_frames(&code, stack, 0, call_stack);
		else
			err = add_mark(call_stack, stacks_mark(id));
	}
	return err;
}

static int make(const struct collector_table *t, const void *key, struct collect_call_stack *call_stack)
{
	const struct code code = code_of(t, key);
	int err = add_stacks(t, key, TPROF_STACK_KERNEL, call_stack);

	if (!err)
		err = add_stacks(t, key, TPROF_STACK_USER, call_stack);
	if (err || (call_stack->nr && call_stack->frames[0]->mode != TPROF_MODE_UNKNOWN))
		return err;
	/* There is no stack, but the key has the address of the sample. */
	if (t->ip)
		return add_address(&code, value_number(t->ip, key), FRAME_AT, call_stack, 0);
	return call_stack->nr ? 0 : add_mark(call_stack, stacks_mark(0));
}

static int add_state(const struct collector_table *t, const void *key, struct collect_call_stack *call_stack)
{
	const char *text = t->state ? wait_reason_text(value_number(t->state, key), call_stack->frames,
						       call_stack->nr) : NULL;

	return text ? insert_mark(call_stack, 0, text) : 0;
}

/* The first frames of a kernel stack that are searched for the function that wakes threads. */
#define WAKER_FRAMES 16
#define WAKER_FUNCTION "try_to_wake_up"

/* The compiler may have added a suffix, such as ".isra.0". */
static bool wakes(const char *symbol)
{
	const size_t length = strlen(WAKER_FUNCTION);

	return strncmp(symbol, WAKER_FUNCTION, length) == 0 && (!symbol[length] || symbol[length] == '.');
}

/*
 * The frames of the program that walked the stack, and of its tracepoint, stand before the kernel's function that wakes
 * threads. Returns the index of that; 0 if it is not found, or -ENOMEM.
 */
static int skip_program(const struct code *code, const struct kept_stack *stack)
{
	for (uint32_t i = 0; i < stack->nr_frames && i < WAKER_FRAMES; i++) {
		const struct tprof_frame *frames;
		int nr;

		if (stacks_frame_mark(stack, i))
			break;
		nr = symbolizer_stack_frames(code->collector->symbolizer, code->tgid, code->exec,
					     stacks_address(stack, i), stacks_frame_kind(stack, i), &frames);
		if (nr < 0)
			return nr;
		if (nr && wakes(frames[nr - 1].symbol))
			return (int)i;
	}
	return 0;
}

static int add_waker_stack(const struct code *code, uint64_t id, struct collect_call_stack *call_stack)
{
	const struct kept_stack *stack = stacks_find(code->collector->stacks, id);
	int first;

	if (!id)
		return 0;
	if (!stack)
		return add_mark(call_stack, stacks_mark(id));
	first = stack->flags & TPROF_STACK_KERNEL ? skip_program(code, stack) : 0;
	return first < 0 ? first : add_frames(code, stack, (uint32_t)first, call_stack);
}

static int add_name(struct collect_call_stack *call_stack, const char *comm)
{
	struct tprof_frame *frame = &call_stack->names[call_stack->nr_names].frame;
	char *text = call_stack->names[call_stack->nr_names++].text;

	strcpy(text, comm);
	utf8_clean(text);
	*frame = (struct tprof_frame){ .symbol = comm_shown(text), .mode = TPROF_MODE_UNKNOWN };
	return insert(call_stack, call_stack->nr, frame);
}

/* Adds the frames of a waker, and its name. */
static int add_waker(struct collector *collector, uint64_t id, struct collect_call_stack *call_stack)
{
	struct code code = { .collector = collector };
	struct kept_waker waker;
	int err;

	if (!stacks_find_waker(collector->stacks, id, &waker))
		return add_mark(call_stack, stacks_mark(id));
	code.tgid = (pid_t)waker.tgid;
	code.exec = waker.exec;
	err = add_waker_stack(&code, waker.kernel, call_stack);
	if (!err)
		err = add_waker_stack(&code, waker.user, call_stack);
	return err ? err : add_name(call_stack, waker.comm);
}

static void reverse(const struct tprof_frame **frames, size_t nr)
{
	for (size_t i = 0; i < nr / 2; i++) {
		const struct tprof_frame *frame = frames[i];

		frames[i] = frames[nr - 1 - i];
		frames[nr - 1 - i] = frame;
	}
}

/* Puts each waker above the leaf: its frames are added behind the others, and become the first, in reverse order. */
static int add_wakers(const struct collector_table *t, const void *key, struct collect_call_stack *call_stack)
{
	int err = 0;

	for (size_t i = 0; i < t->nr_wakers && !err; i++) {
		uint64_t id = value_number(t->wakers[i], key);
		size_t nr = call_stack->nr;

		if (!id)
			break;
		err = add_mark(call_stack, COLLECT_WAKER_MARK);
		if (!err)
			err = add_waker(t->collector, id, call_stack);
		if (err)
			break;
		reverse(call_stack->frames, call_stack->nr);
		reverse(call_stack->frames + (call_stack->nr - nr), nr);
	}
	return err;
}

/* The empty scratch space of the collector, or NULL. */
static struct collect_call_stack *begin(struct collector *collector)
{
	struct collect_call_stack *call_stack = collector->call_stack;

	if (!call_stack)
		call_stack = collector->call_stack = calloc(1, sizeof(*call_stack));
	if (call_stack)
		call_stack->nr = call_stack->nr_marks = call_stack->nr_names = 0;
	return call_stack;
}

const struct collect_call_stack *collect_call_stack(const struct collector_table *t, const void *key)
{
	struct collect_call_stack *call_stack = begin(t->collector);

	return call_stack && !make(t, key, call_stack) && !add_state(t, key, call_stack) &&
	       !add_wakers(t, key, call_stack) ? call_stack : NULL;
}

const struct collect_call_stack *collect_waker(struct collector *collector, uint64_t id)
{
	struct collect_call_stack *call_stack = begin(collector);

	return call_stack && !add_waker(collector, id, call_stack) ? call_stack : NULL;
}

void collect_call_stack_free(struct collect_call_stack *call_stack)
{
	if (!call_stack)
		return;
	free(call_stack->frames);
	free(call_stack);
}
