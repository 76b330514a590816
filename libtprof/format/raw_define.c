// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Writes the definitions of a raw recording. */
#include "raw_define.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "raw_recent.h"

int raw_definitions_init(struct raw_definitions *definitions, struct raw_out *out)
{
	*definitions = (struct raw_definitions){ .out = out, .recent = raw_recent_new() };
	return definitions->recent ? 0 : -ENOMEM;
}

static void forget(struct raw_definitions *definitions)
{
	raw_numbers_forget(&definitions->strings);
	raw_numbers_forget(&definitions->frames);
	raw_numbers_forget(&definitions->call_stacks);
	raw_numbers_forget(&definitions->tasks);
}

void raw_definitions_fini(struct raw_definitions *definitions)
{
	forget(definitions);
	raw_recent_free(definitions->recent);
	free(definitions->call_stack);
}

size_t raw_definitions_memory(const struct raw_definitions *definitions)
{
	return definitions->strings.memory + definitions->frames.memory + definitions->call_stacks.memory +
	       definitions->tasks.memory;
}

int raw_definitions_forget(struct raw_definitions *definitions)
{
	forget(definitions);
	return raw_out_record(definitions->out, RAW_FORGET, NULL, 0);
}

void raw_definitions_age(struct raw_definitions *definitions)
{
	raw_recent_forget(definitions->recent);
}

/* Finds or writes a definition. A failed write is reported at the next flush; the definition keeps its number. */
static int64_t define(struct raw_definitions *definitions, struct raw_numbers *numbers, enum raw_type type,
		      const void *bytes, size_t size)
{
	bool is_new;
	int64_t number = raw_numbers_find(numbers, bytes, size, &is_new);

	if (number >= 0 && is_new && raw_out_record(definitions->out, type, bytes, size) == -ENOMEM) {
		/* The numbers no longer match those of the file. */
		definitions->out->err = definitions->out->err ? definitions->out->err : -ENOMEM;
		return -ENOMEM;
	}
	return number;
}

static int64_t define_string(struct raw_definitions *definitions, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	return define(definitions, &definitions->strings, RAW_STRING, text ? text : "",
		      size < RAW_MAX_PAYLOAD ? size : RAW_MAX_PAYLOAD);
}

static int put_string(struct raw_definitions *definitions, uint8_t *at, const char *text)
{
	int64_t number = define_string(definitions, text);

	if (number < 0)
		return -ENOMEM;
	raw_put32(at, (uint32_t)number);
	return 0;
}

/* The same for a string that does not change until the next flush. */
static int put_kept_string(struct raw_definitions *definitions, uint8_t *at, const char *text)
{
	int64_t number = raw_recent_string(definitions->recent, text);

	if (number < 0) {
		number = define_string(definitions, text);
		raw_recent_keep_string(definitions->recent, text, number);
	}
	if (number < 0)
		return -ENOMEM;
	raw_put32(at, (uint32_t)number);
	return 0;
}

static int64_t define_frame(struct raw_definitions *definitions, const struct tprof_frame *frame)
{
	uint8_t bytes[RAW_FRAME_BYTES];

	if (put_kept_string(definitions, bytes + RAW_FRAME_SYMBOL_AT, frame->symbol) ||
	    put_kept_string(definitions, bytes + RAW_FRAME_OBJECT_AT, frame->object) ||
	    put_kept_string(definitions, bytes + RAW_FRAME_PATH_AT, frame->path) ||
	    put_kept_string(definitions, bytes + RAW_FRAME_BUILD_ID_AT, frame->build_id) ||
	    put_kept_string(definitions, bytes + RAW_FRAME_FILE_AT, frame->file))
		return -ENOMEM;
	raw_put64(bytes + RAW_FRAME_ADDRESS_AT, frame->address);
	raw_put32(bytes + RAW_FRAME_MODE_AT, frame->mode);
	raw_put32(bytes + RAW_FRAME_LINE_AT, frame->line);
	raw_put32(bytes + RAW_FRAME_START_LINE_AT, frame->start_line);
	raw_put32(bytes + RAW_FRAME_FLAGS_AT, frame->inlined ? RAW_FRAME_INLINED : 0);
	return define(definitions, &definitions->frames, RAW_FRAME, bytes, sizeof(bytes));
}

static int64_t define_frame_of_stack(struct raw_definitions *definitions, const struct tprof_frame *frame)
{
	int64_t number = raw_recent_frame(definitions->recent, frame);

	if (number < 0) {
		number = define_frame(definitions, frame);
		raw_recent_keep_frame(definitions->recent, frame, number);
	}
	return number;
}

int64_t raw_define_call_stack(struct raw_definitions *definitions, const struct tprof_frame *const *frames, size_t nr)
{
	uint8_t *larger;

	if (nr > RAW_MAX_PAYLOAD / 4)
		nr = RAW_MAX_PAYLOAD / 4;
	larger = array_reserve(definitions->call_stack, 4 * nr, &definitions->call_stack_capacity, 1);
	if (!larger)
		return -ENOMEM;
	definitions->call_stack = larger;
	for (size_t i = 0; i < nr; i++) {
		int64_t number = define_frame_of_stack(definitions, frames[i]);

		if (number < 0)
			return number;
		raw_put32(definitions->call_stack + 4 * i, (uint32_t)number);
	}
	return define(definitions, &definitions->call_stacks, RAW_CALL_STACK, definitions->call_stack, 4 * nr);
}

int raw_define_name(struct raw_definitions *definitions, const struct tprof_frame *frame, const char *symbol,
		    const char *object)
{
	uint8_t bytes[RAW_NAME_BYTES];
	int64_t number;

	/* These strings may be where others were during the reading. */
	raw_recent_forget(definitions->recent);
	number = define_frame(definitions, frame);
	if (number < 0 || put_string(definitions, bytes + RAW_NAME_SYMBOL_AT, symbol) ||
	    put_string(definitions, bytes + RAW_NAME_OBJECT_AT, object))
		return -ENOMEM;
	raw_put32(bytes + RAW_NAME_FRAME_AT, (uint32_t)number);
	return raw_out_record(definitions->out, RAW_NAME, bytes, sizeof(bytes));
}

int64_t raw_define_task(struct raw_definitions *definitions, const struct tprof_raw_sample *sample)
{
	int64_t number = raw_recent_task(definitions->recent, sample);
	uint8_t bytes[RAW_TASK_BYTES];

	if (number >= 0)
		return number;
	raw_put32(bytes + RAW_TASK_PID_AT, (uint32_t)sample->pid);
	raw_put32(bytes + RAW_TASK_TID_AT, (uint32_t)sample->tid);
	if (put_string(definitions, bytes + RAW_TASK_PROCESS_AT, sample->comm) ||
	    put_string(definitions, bytes + RAW_TASK_THREAD_AT, sample->thread) ||
	    put_string(definitions, bytes + RAW_TASK_CGROUP_AT, sample->cgroup))
		return -ENOMEM;
	number = define(definitions, &definitions->tasks, RAW_TASK, bytes, sizeof(bytes));
	raw_recent_keep_task(definitions->recent, sample, number);
	return number;
}
