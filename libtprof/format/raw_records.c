// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Validates and reads the records of raw recordings. */
#include "raw_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/utf8.h"
#include "profile/ledger.h"
#include "raw.h"

int raw_damaged(struct raw_reader *reader, const char *how)
{
	reader->input.damage = how;
	return RAW_DAMAGED;
}

static int no_memory(const struct raw_reader *reader)
{
	return error_set(reader->error, ENOMEM, "%s: not enough memory", reader->input.name);
}

/* Reserves @nr more elements and counts their memory. */
static int reserve(struct raw_reader *reader, void *array, size_t element, size_t used, size_t *capacity, size_t nr)
{
	void **elements = array, *larger;

	reader->memory += nr * element;
	if (reader->memory > RAW_READER_MEMORY)
		return error_set(reader->error, EFBIG, "%s: its definitions take more than %u MiB of memory, the limit",
				 reader->input.name, RAW_READER_MEMORY >> 20);
	larger = array_reserve(*elements, used + nr, capacity, element);
	if (!larger)
		return no_memory(reader);
	*elements = larger;
	return 0;
}

/* Copies text that may be printed on a terminal: replaces NUL bytes, control characters and invalid UTF-8. */
static void copy_text(char *into, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		into[i] = bytes[i] ? (char)bytes[i] : '?';
	into[size] = '\0';
	utf8_clean(into);
}

/* Copies a string that is preceded by its length; NULL if it is incomplete. */
static const char *start_text(const struct raw_record *record, size_t *at, char **into)
{
	const char *text = *into;
	uint32_t length;

	if (record->size - *at < 4)
		return NULL;
	length = raw_get32(record->payload + *at);
	*at += 4;
	if (length > record->size - *at)
		return NULL;
	copy_text(*into, record->payload + *at, length);
	*into += length + 1;
	*at += length;
	return text;
}

int raw_take_start(struct raw_reader *reader, const struct raw_record *record)
{
	struct tprof_raw_info *info = &reader->info;
	const char *texts[RAW_NR_TEXTS];
	size_t at = RAW_START_TEXTS_AT;
	char *into;

	if (record->size < RAW_START_TEXTS_AT)
		return raw_damaged(reader, "the start record is too short");
	into = reader->texts = malloc(record->size + RAW_NR_TEXTS);
	if (!into)
		return no_memory(reader);
	for (int i = 0; i < RAW_NR_TEXTS; i++) {
		texts[i] = start_text(record, &at, &into);
		if (!texts[i])
			return raw_damaged(reader, "the start record is too short");
	}
	info->start_ns = reader->until_ns = raw_get64(record->payload + RAW_START_TIME_AT);
	info->start_real_ns = raw_get64(record->payload + RAW_START_REAL_AT);
	info->kernel = texts[RAW_KERNEL];
	info->machine = texts[RAW_MACHINE];
	info->version = texts[RAW_VERSION];
	info->info = (struct tprof_info){
		.sz = sizeof(info->info),
		.engine = texts[RAW_ENGINE],
		.event = texts[RAW_EVENT],
		.unit = texts[RAW_UNIT],
		.fallback = texts[RAW_FALLBACK][0] ? texts[RAW_FALLBACK] : NULL,
		.rate_hz = raw_get64(record->payload + RAW_START_RATE_AT),
		.period = raw_get64(record->payload + RAW_START_PERIOD_AT),
		.nr_cpus = raw_get32(record->payload + RAW_START_CPUS_AT),
		.nr_online = raw_get32(record->payload + RAW_START_ONLINE_AT),
	};
	reader->ledger.sz = sizeof(reader->ledger);
	reader->event_infos[0] = (struct tprof_event_info){
		.sz = sizeof(reader->event_infos[0]), .event = info->info.event, .unit = info->info.unit,
		.rate_hz = info->info.rate_hz, .period = info->info.period,
	};
	reader->events[0].ledger.sz = sizeof(reader->events[0].ledger);
	info->events = reader->event_infos;
	info->nr_events = reader->nr_events = 1;
	return 0;
}

int raw_take_event(struct raw_reader *reader, const struct raw_record *record)
{
	struct raw_event *event = &reader->events[reader->nr_events];
	size_t at = RAW_EVENT_TEXTS_AT;
	const char *name, *unit = NULL;
	char *into;

	if (record->size < RAW_EVENT_TEXTS_AT)
		return raw_damaged(reader, "an event record is too short");
	if (reader->nr_events == TPROF_EVENTS_MAX || reader->read.samples)
		return raw_damaged(reader, "it has too many events, or one after a sample");
	into = malloc((size_t)record->size + 2);
	if (!into)
		return no_memory(reader);
	*event = (struct raw_event){ .texts = into, .ledger.sz = sizeof(event->ledger) };
	reader->info.nr_events = ++reader->nr_events;
	name = start_text(record, &at, &into);
	if (name)
		unit = start_text(record, &at, &into);
	reader->event_infos[reader->nr_events - 1] = (struct tprof_event_info){
		.sz = sizeof(reader->event_infos[0]), .event = name ? name : "", .unit = unit ? unit : "",
		.rate_hz = raw_get64(record->payload + RAW_EVENT_RATE_AT),
		.period = raw_get64(record->payload + RAW_EVENT_PERIOD_AT),
	};
	return unit ? 0 : raw_damaged(reader, "an event record is too short");
}

/* Overhead of malloc() for one block. */
#define PIECE_BYTES 16

int raw_take_string(struct raw_reader *reader, const struct raw_record *record)
{
	int err;

	reader->memory += record->size + PIECE_BYTES;
	err = reserve(reader, &reader->strings, sizeof(*reader->strings), reader->nr_strings,
		      &reader->strings_capacity, 1);
	if (err)
		return err;
	reader->strings[reader->nr_strings] = malloc((size_t)record->size + 1);
	if (!reader->strings[reader->nr_strings])
		return no_memory(reader);
	copy_text(reader->strings[reader->nr_strings++], record->payload, record->size);
	return 0;
}

/* The string of that number; NULL if it is not defined. */
static const char *find_string(const struct raw_reader *reader, const uint8_t *at)
{
	uint32_t number = raw_get32(at);

	return number < reader->nr_strings ? reader->strings[number] : NULL;
}

int raw_take_frame(struct raw_reader *reader, const struct raw_record *record)
{
	const uint8_t *bytes = record->payload;
	struct tprof_frame frame = { 0 };
	uint32_t mode;
	int err;

	if (record->size < RAW_FRAME_BYTES)
		return raw_damaged(reader, "a frame record is too short");
	frame.symbol = find_string(reader, bytes + RAW_FRAME_SYMBOL_AT);
	frame.object = find_string(reader, bytes + RAW_FRAME_OBJECT_AT);
	frame.path = find_string(reader, bytes + RAW_FRAME_PATH_AT);
	frame.build_id = find_string(reader, bytes + RAW_FRAME_BUILD_ID_AT);
	frame.file = find_string(reader, bytes + RAW_FRAME_FILE_AT);
	frame.address = raw_get64(bytes + RAW_FRAME_ADDRESS_AT);
	frame.line = raw_get32(bytes + RAW_FRAME_LINE_AT);
	frame.start_line = raw_get32(bytes + RAW_FRAME_START_LINE_AT);
	frame.inlined = raw_get32(bytes + RAW_FRAME_FLAGS_AT) & RAW_FRAME_INLINED;
	mode = raw_get32(bytes + RAW_FRAME_MODE_AT);
	if (!frame.symbol || !frame.object || !frame.path || !frame.build_id || !frame.file || mode > TPROF_MODE_IDLE)
		return raw_damaged(reader, "a frame has an undefined string or mode");
	frame.mode = (enum tprof_mode)mode;
	err = reserve(reader, &reader->frames, sizeof(frame), reader->nr_frames, &reader->frames_capacity, 1);
	if (!err)
		reader->frames[reader->nr_frames++] = frame;
	return err;
}

int raw_take_name(struct raw_reader *reader, const struct raw_record *record)
{
	const char *symbol, *object;
	uint32_t number;

	if (record->size < RAW_NAME_BYTES)
		return raw_damaged(reader, "a name record is too short");
	number = raw_get32(record->payload + RAW_NAME_FRAME_AT);
	symbol = find_string(reader, record->payload + RAW_NAME_SYMBOL_AT);
	object = find_string(reader, record->payload + RAW_NAME_OBJECT_AT);
	if (number >= reader->nr_frames || !symbol || !object)
		return raw_damaged(reader, "a name refers to an undefined frame or string");
	reader->frames[number].symbol = symbol;
	reader->frames[number].object = object;
	return 0;
}

int raw_take_call_stack(struct raw_reader *reader, const struct raw_record *record)
{
	struct raw_call_stack stack = { .first = reader->nr_frame_numbers, .nr = record->size / 4 };
	int err;

	if (!stack.nr || record->size % 4)
		return raw_damaged(reader, "a call stack has no frames, or a part of one");
	err = reserve(reader, &reader->call_stacks, sizeof(stack), reader->nr_call_stacks,
		      &reader->call_stacks_capacity, 1);
	if (!err)
		err = reserve(reader, &reader->frame_numbers, sizeof(*reader->frame_numbers),
			      reader->nr_frame_numbers, &reader->frame_numbers_capacity, stack.nr);
	if (err)
		return err;
	for (size_t i = 0; i < stack.nr; i++) {
		uint32_t number = raw_get32(record->payload + 4 * i);

		if (number >= reader->nr_frames)
			return raw_damaged(reader, "a call stack refers to an undefined frame");
		reader->frame_numbers[stack.first + i] = number;
	}
	reader->nr_frame_numbers += stack.nr;
	reader->call_stacks[reader->nr_call_stacks++] = stack;
	return 0;
}

int raw_take_task(struct raw_reader *reader, const struct raw_record *record)
{
	const uint8_t *bytes = record->payload;
	struct raw_task task;
	int err;

	if (record->size < RAW_TASK_BYTES)
		return raw_damaged(reader, "a task record is too short");
	task = (struct raw_task){
		.pid = (pid_t)raw_get32(bytes + RAW_TASK_PID_AT),
		.tid = (pid_t)raw_get32(bytes + RAW_TASK_TID_AT),
		.comm = raw_get32(bytes + RAW_TASK_PROCESS_AT),
		.thread = raw_get32(bytes + RAW_TASK_THREAD_AT),
		.cgroup = raw_get32(bytes + RAW_TASK_CGROUP_AT),
	};
	if (task.comm >= reader->nr_strings || task.thread >= reader->nr_strings || task.cgroup >= reader->nr_strings)
		return raw_damaged(reader, "a task refers to an undefined string");
	err = reserve(reader, &reader->tasks, sizeof(task), reader->nr_tasks, &reader->tasks_capacity, 1);
	if (!err)
		reader->tasks[reader->nr_tasks++] = task;
	return err;
}

bool raw_samples_are_sound(struct raw_reader *reader, const struct raw_record *record, uint32_t *stride)
{
	*stride = record->size < RAW_SAMPLES_AT ? 0 : raw_get32(record->payload);
	if (*stride >= RAW_SAMPLE_BYTES && (record->size - RAW_SAMPLES_AT) % *stride == 0)
		return true;
	raw_damaged(reader, "the size of a samples record is wrong");
	return false;
}

int raw_take_sample(struct raw_reader *reader, const uint8_t *bytes, uint32_t stride, struct raw_sample *sample)
{
	struct tprof_tally sum;
	uint32_t cpu = raw_get32(bytes + RAW_SAMPLE_CPU_AT);

	*sample = (struct raw_sample){
		.time_ns = raw_get64(bytes + RAW_SAMPLE_TIME_AT),
		.weight = raw_get64(bytes + RAW_SAMPLE_WEIGHT_AT),
		.samples = raw_get32(bytes + RAW_SAMPLE_SAMPLES_AT),
		.task = raw_get32(bytes + RAW_SAMPLE_TASK_AT),
		.call_stack = raw_get32(bytes + RAW_SAMPLE_CALL_STACK_AT),
		.flags = raw_get32(bytes + RAW_SAMPLE_FLAGS_AT),
		.cpu = cpu <= INT32_MAX ? (int)cpu : -1,
		.event = stride >= RAW_SAMPLE_EVENT_BYTES ? raw_get32(bytes + RAW_SAMPLE_EVENT_AT) : 0,
	};
	if (sample->event >= reader->nr_events)
		return raw_damaged(reader, "a sample has an undefined event");
	if (sample->task >= reader->nr_tasks || sample->call_stack >= reader->nr_call_stacks)
		return raw_damaged(reader, "a sample has an undefined task or call stack");
	if (!sample->samples ||
	    __builtin_add_overflow(reader->read.samples, (__u64)sample->samples, &sum.samples) ||
	    __builtin_add_overflow(reader->read.weight, (__u64)sample->weight, &sum.weight))
		return raw_damaged(reader, "a sample counts 0, or the sum overflows 64 bits");
	reader->read = sum;
	reader->events[sample->event].read.samples += sample->samples;
	reader->events[sample->event].read.weight += sample->weight;
	if (sample->time_ns > reader->until_ns)
		reader->until_ns = sample->time_ns;
	return 0;
}

static struct tprof_tally get_tally(const uint8_t *at)
{
	return (struct tprof_tally){ raw_get64(at), raw_get64(at + 8) };
}

/* Reads the known ones of @nr tallies; the rest is of later versions. */
static const uint8_t *get_tallies(const uint8_t *at, uint32_t nr, struct tprof_tally *tallies, uint32_t known)
{
	for (uint32_t i = 0; i < nr && i < known; i++)
		tallies[i] = get_tally(at + 16 * (size_t)i);
	return at + 16 * (size_t)nr;
}

static bool ledger_is_whole(const uint8_t *bytes, size_t size)
{
	uint64_t nr = 0;

	if (size < RAW_LEDGER_TALLIES_AT)
		return false;
	for (size_t i = 0; i < 3; i++)
		nr += raw_get32(bytes + RAW_LEDGER_NR_AT + 4 * i);
	return nr <= (size - RAW_LEDGER_TALLIES_AT) / 16;
}

/* Reads a ledger of the samples @read. */
static int get_ledger(struct raw_reader *reader, const uint8_t *bytes, size_t size, const struct tprof_tally *read,
		      struct tprof_ledger *into)
{
	const uint8_t *at = bytes + RAW_LEDGER_TALLIES_AT;
	struct tprof_ledger ledger = { .sz = sizeof(ledger) };
	struct tprof_tally written, left;
	uint64_t counter;

	if (!ledger_is_whole(bytes, size))
		return raw_damaged(reader, "a ledger record is too short");
	counter = raw_get64(bytes + RAW_LEDGER_COUNTER_AT);
	memcpy(&ledger.counter, &counter, sizeof(counter));
	if (!ledger_can_have(ledger.counter))
		return raw_damaged(reader, "a ledger has an invalid counter");
	ledger.sideband_lost = raw_get64(bytes + RAW_LEDGER_SIDEBAND_AT);
	ledger.fired = get_tally(bytes + RAW_LEDGER_FIRED_AT);
	ledger.idle = get_tally(bytes + RAW_LEDGER_IDLE_AT);
	at = get_tallies(at, raw_get32(bytes + RAW_LEDGER_NR_AT), ledger.outcomes, TPROF_NR_OUTCOMES);
	at = get_tallies(at, raw_get32(bytes + RAW_LEDGER_NR_AT + 4), ledger.lost, TPROF_NR_LOST_REASONS);
	at = get_tallies(at, raw_get32(bytes + RAW_LEDGER_NR_AT + 8), ledger.countings, TPROF_NR_COUNTINGS);
	if (size - (size_t)(at - bytes) >= 16)
		ledger.unnamed_sideband_lost = get_tally(at);
	if (size - (size_t)(at - bytes) >= 32) {
		ledger.enabled_ns = raw_get64(at + 16);
		ledger.running_ns = raw_get64(at + 24);
	}
	left = ledger_difference(&ledger);
	if (left.samples || left.weight)
		return raw_damaged(reader, "a ledger does not close");
	written = get_tally(bytes + RAW_LEDGER_WRITTEN_AT);
	if (written.samples != read->samples || written.weight != read->weight)
		return raw_damaged(reader, "the samples do not match the ledger");
	*into = ledger;
	return 0;
}

int raw_take_ledger(struct raw_reader *reader, const struct raw_record *record)
{
	const uint8_t *bytes = record->payload;
	int err = get_ledger(reader, bytes, record->size, &reader->read, &reader->ledger);
	uint64_t time_ns;

	if (err)
		return err;
	reader->info.info.period = reader->event_infos[0].period = raw_get64(bytes + RAW_LEDGER_PERIOD_AT);
	time_ns = raw_get64(bytes + RAW_LEDGER_TIME_AT);
	if (time_ns > reader->until_ns)
		reader->until_ns = time_ns;
	return 0;
}

int raw_take_event_ledger(struct raw_reader *reader, const struct raw_record *record)
{
	const uint8_t *bytes = record->payload + RAW_EVENT_LEDGER_AT;
	uint32_t number = record->size < RAW_EVENT_LEDGER_AT ? UINT32_MAX : raw_get32(record->payload);
	struct raw_event *event;
	int err;

	if (number >= reader->nr_events)
		return raw_damaged(reader, "a ledger has an undefined event");
	event = &reader->events[number];
	err = get_ledger(reader, bytes, record->size - RAW_EVENT_LEDGER_AT, &event->read, &event->ledger);
	if (!err)
		reader->event_infos[number].period = raw_get64(bytes + RAW_LEDGER_PERIOD_AT);
	return err;
}

int raw_take_note(struct raw_reader *reader, const struct raw_record *record, struct tprof_raw_note *note)
{
	const uint8_t *bytes = record->payload;
	size_t length = record->size - RAW_NOTE_TEXT_AT;
	char *text;

	if (record->size < RAW_NOTE_TEXT_AT)
		return raw_damaged(reader, "a note record is too short");
	text = array_reserve(reader->note_text, length + 1, &reader->note_capacity, 1);
	if (!text)
		return no_memory(reader);
	reader->note_text = text;
	copy_text(text, bytes + RAW_NOTE_TEXT_AT, length);
	*note = (struct tprof_raw_note){
		.time_ns = raw_get64(bytes + RAW_NOTE_TIME_AT),
		.kind = (enum tprof_note)raw_get32(bytes + RAW_NOTE_KIND_AT),
		.target = (enum tprof_target_kind)raw_get32(bytes + RAW_NOTE_TARGET_AT),
		.id = raw_get64(bytes + RAW_NOTE_ID_AT),
		.text = text,
	};
	return 0;
}

int raw_take_end(struct raw_reader *reader, const struct raw_record *record)
{
	if (record->size < RAW_END_BYTES)
		return raw_damaged(reader, "the end record is too short");
	reader->until_ns = raw_get64(record->payload);
	reader->ended = true;
	return 0;
}
