// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Writes raw recordings. */
#include "raw_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "profile/ledger.h"
#include "raw.h"
#include "raw_recent.h"

/* Bytes buffered before a write. The buffer is also written at the end of a reading. */
#define WRITE_BYTES (256 * 1024)

/* Samples in one record, which is what a damaged byte costs. */
#define SAMPLES_IN_RECORD 1024

struct raw_writer_sample {
	uint64_t time_ns, weight;
	uint32_t samples, task, call_stack, cpu, flags, event;
};

struct raw_writer *raw_writer_new(int fd)
{
	struct raw_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return NULL;
	writer->fd = fd;
	writer->memory_limit = RAW_WRITER_MEMORY;
	writer->recent = raw_recent_new();
	if (writer->recent)
		return writer;
	free(writer);
	return NULL;
}

static void forget(struct raw_writer *writer)
{
	raw_numbers_forget(&writer->strings);
	raw_numbers_forget(&writer->frames);
	raw_numbers_forget(&writer->call_stacks);
	raw_numbers_forget(&writer->tasks);
}

void raw_writer_free(struct raw_writer *writer)
{
	if (!writer)
		return;
	forget(writer);
	raw_recent_free(writer->recent);
	free(writer->samples);
	free(writer->out);
	free(writer->call_stack);
	free(writer);
}

/* Grows a buffer to at least @wanted bytes. Errors: ENOMEM. */
static int reserve(uint8_t **buffer, size_t *capacity, size_t wanted)
{
	uint8_t *larger = array_reserve(*buffer, wanted, capacity, 1);

	if (!larger)
		return -ENOMEM;
	*buffer = larger;
	return 0;
}

static int write_out(struct raw_writer *writer)
{
	size_t done = 0;

	while (done < writer->size && !writer->err) {
		ssize_t size = write(writer->fd, writer->out + done, writer->size - done);

		if (size > 0)
			done += (size_t)size;
		else if (size < 0 && errno != EINTR)
			writer->err = -errno;
	}
	writer->bytes += done;
	writer->size = 0;
	return writer->err;
}

static void seal(uint8_t *record, uint32_t type, uint32_t size)
{
	uLong sum;

	raw_put32(record, type);
	raw_put32(record + RAW_LENGTH_AT, size);
	sum = crc32(crc32(0, NULL, 0), record, RAW_CHECKSUM_AT);
	sum = size ? crc32(sum, record + RAW_HEADER, size) : sum;
	raw_put32(record + RAW_CHECKSUM_AT, (uint32_t)sum);
}

/* Begins a record and returns where its payload goes, at most @size bytes; NULL if there is no memory. */
static uint8_t *record_begin(struct raw_writer *writer, size_t size)
{
	if (reserve(&writer->out, &writer->capacity, writer->size + RAW_HEADER + size))
		return NULL;
	return writer->out + writer->size + RAW_HEADER;
}

static int record_end(struct raw_writer *writer, enum raw_type type, size_t size)
{
	seal(writer->out + writer->size, type, (uint32_t)size);
	writer->size += RAW_HEADER + size;
	return writer->size < WRITE_BYTES ? 0 : write_out(writer);
}

static int record(struct raw_writer *writer, enum raw_type type, const void *payload, size_t size)
{
	uint8_t *into = record_begin(writer, size);

	if (!into)
		return -ENOMEM;
	if (size)
		memcpy(into, payload, size);
	return record_end(writer, type, size);
}

/* Finds or writes a definition. A failed write is reported at the next flush; the definition keeps its number. */
static int64_t define(struct raw_writer *writer, struct raw_numbers *numbers, enum raw_type type, const void *bytes,
		      size_t size)
{
	bool is_new;
	int64_t number = raw_numbers_find(numbers, bytes, size, &is_new);

	if (number >= 0 && is_new && record(writer, type, bytes, size) == -ENOMEM) {
		/* The numbers no longer match those of the file. */
		writer->err = writer->err ? writer->err : -ENOMEM;
		return -ENOMEM;
	}
	return number;
}

static int64_t define_string(struct raw_writer *writer, const char *text)
{
	size_t size = text ? strlen(text) : 0;

	return define(writer, &writer->strings, RAW_STRING, text ? text : "",
		      size < RAW_MAX_PAYLOAD ? size : RAW_MAX_PAYLOAD);
}

static int put_string(struct raw_writer *writer, uint8_t *at, const char *text)
{
	int64_t number = define_string(writer, text);

	if (number < 0)
		return -ENOMEM;
	raw_put32(at, (uint32_t)number);
	return 0;
}

/* The same for a string that does not change until the next flush. */
static int put_kept_string(struct raw_writer *writer, uint8_t *at, const char *text)
{
	int64_t number = raw_recent_string(writer->recent, text);

	if (number < 0) {
		number = define_string(writer, text);
		raw_recent_keep_string(writer->recent, text, number);
	}
	if (number < 0)
		return -ENOMEM;
	raw_put32(at, (uint32_t)number);
	return 0;
}

static int64_t define_frame(struct raw_writer *writer, const struct tprof_frame *frame)
{
	uint8_t bytes[RAW_FRAME_BYTES];

	if (put_kept_string(writer, bytes + RAW_FRAME_SYMBOL_AT, frame->symbol) ||
	    put_kept_string(writer, bytes + RAW_FRAME_OBJECT_AT, frame->object) ||
	    put_kept_string(writer, bytes + RAW_FRAME_PATH_AT, frame->path) ||
	    put_kept_string(writer, bytes + RAW_FRAME_BUILD_ID_AT, frame->build_id) ||
	    put_kept_string(writer, bytes + RAW_FRAME_FILE_AT, frame->file))
		return -ENOMEM;
	raw_put64(bytes + RAW_FRAME_ADDRESS_AT, frame->address);
	raw_put32(bytes + RAW_FRAME_MODE_AT, frame->mode);
	raw_put32(bytes + RAW_FRAME_LINE_AT, frame->line);
	raw_put32(bytes + RAW_FRAME_START_LINE_AT, frame->start_line);
	raw_put32(bytes + RAW_FRAME_FLAGS_AT, frame->inlined ? RAW_FRAME_INLINED : 0);
	return define(writer, &writer->frames, RAW_FRAME, bytes, sizeof(bytes));
}

static int64_t define_frame_of_stack(struct raw_writer *writer, const struct tprof_frame *frame)
{
	int64_t number = raw_recent_frame(writer->recent, frame);

	if (number < 0) {
		number = define_frame(writer, frame);
		raw_recent_keep_frame(writer->recent, frame, number);
	}
	return number;
}

int64_t raw_writer_call_stack(struct raw_writer *writer, const struct tprof_frame *const *frames, size_t nr)
{
	if (nr > RAW_MAX_PAYLOAD / 4)
		nr = RAW_MAX_PAYLOAD / 4;
	if (reserve(&writer->call_stack, &writer->call_stack_capacity, 4 * nr))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		int64_t number = define_frame_of_stack(writer, frames[i]);

		if (number < 0)
			return number;
		raw_put32(writer->call_stack + 4 * i, (uint32_t)number);
	}
	return define(writer, &writer->call_stacks, RAW_CALL_STACK, writer->call_stack, 4 * nr);
}

int raw_writer_name(struct raw_writer *writer, const struct tprof_frame *frame, const char *symbol,
		    const char *object)
{
	uint8_t bytes[RAW_NAME_BYTES];
	int64_t number;

	/* These strings may be where others were during the reading. */
	raw_recent_forget(writer->recent);
	number = define_frame(writer, frame);
	if (number < 0 || put_string(writer, bytes + RAW_NAME_SYMBOL_AT, symbol) ||
	    put_string(writer, bytes + RAW_NAME_OBJECT_AT, object))
		return -ENOMEM;
	raw_put32(bytes + RAW_NAME_FRAME_AT, (uint32_t)number);
	return record(writer, RAW_NAME, bytes, sizeof(bytes));
}

static int64_t define_task(struct raw_writer *writer, const struct tprof_raw_sample *sample)
{
	int64_t number = raw_recent_task(writer->recent, sample);
	uint8_t bytes[RAW_TASK_BYTES];

	if (number >= 0)
		return number;
	raw_put32(bytes + RAW_TASK_PID_AT, (uint32_t)sample->pid);
	raw_put32(bytes + RAW_TASK_TID_AT, (uint32_t)sample->tid);
	if (put_string(writer, bytes + RAW_TASK_PROCESS_AT, sample->comm) ||
	    put_string(writer, bytes + RAW_TASK_THREAD_AT, sample->thread) ||
	    put_string(writer, bytes + RAW_TASK_CGROUP_AT, sample->cgroup))
		return -ENOMEM;
	number = define(writer, &writer->tasks, RAW_TASK, bytes, sizeof(bytes));
	raw_recent_keep_task(writer->recent, sample, number);
	return number;
}

int raw_writer_add(struct raw_writer *writer, const struct tprof_raw_sample *sample, uint32_t call_stack)
{
	int64_t task = define_task(writer, sample);
	void *larger;

	if (task < 0)
		return -ENOMEM;
	larger = array_grow(writer->samples, writer->nr_samples, &writer->samples_capacity, sizeof(*writer->samples));
	if (!larger)
		return -ENOMEM;
	writer->samples = larger;
	writer->samples[writer->nr_samples++] = (struct raw_writer_sample){
		.time_ns = sample->time_ns,
		.weight = sample->weight,
		.samples = sample->samples < UINT32_MAX ? (uint32_t)sample->samples : UINT32_MAX,
		.task = (uint32_t)task,
		.call_stack = call_stack,
		.cpu = sample->cpu < 0 ? RAW_NOT_KNOWN : (uint32_t)sample->cpu,
		.flags = sample->flags,
		.event = sample->event < writer->nr_events ? (uint32_t)sample->event : 0,
	};
	return 0;
}

/* Writes texts, each after its length. Returns where the next one goes. */
static uint8_t *put_texts(uint8_t *into, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		size_t length = texts[i] ? strlen(texts[i]) : 0;

		raw_put32(into, (uint32_t)length);
		memcpy(into + 4, texts[i] ? texts[i] : "", length);
		into += 4 + length;
	}
	return into;
}

static size_t texts_size(const char *const *texts, size_t nr)
{
	size_t size = 0;

	for (size_t i = 0; i < nr; i++)
		size += 4 + (texts[i] ? strlen(texts[i]) : 0);
	return size;
}

static int put_start(struct raw_writer *writer, const struct tprof_raw_info *info)
{
	const char *const texts[RAW_NR_TEXTS] = {
		[RAW_ENGINE] = info->info.engine, [RAW_EVENT] = info->info.event, [RAW_UNIT] = info->info.unit,
		[RAW_FALLBACK] = info->info.fallback, [RAW_KERNEL] = info->kernel, [RAW_MACHINE] = info->machine,
		[RAW_VERSION] = info->version,
	};
	size_t size = RAW_START_TEXTS_AT + texts_size(texts, RAW_NR_TEXTS);
	uint8_t *into = record_begin(writer, size);

	if (!into)
		return -ENOMEM;
	raw_put64(into + RAW_START_TIME_AT, info->start_ns);
	raw_put64(into + RAW_START_REAL_AT, info->start_real_ns);
	raw_put64(into + RAW_START_RATE_AT, info->info.rate_hz);
	raw_put64(into + RAW_START_PERIOD_AT, info->info.period);
	raw_put32(into + RAW_START_CPUS_AT, info->info.nr_cpus);
	raw_put32(into + RAW_START_ONLINE_AT, info->info.nr_online);
	put_texts(into + RAW_START_TEXTS_AT, texts, RAW_NR_TEXTS);
	return record_end(writer, RAW_START, size);
}

static int put_event(struct raw_writer *writer, const struct tprof_event_info *event)
{
	const char *const texts[] = { event->event, event->unit };
	size_t size = RAW_EVENT_TEXTS_AT + texts_size(texts, 2);
	uint8_t *into = record_begin(writer, size);

	if (!into)
		return -ENOMEM;
	raw_put64(into + RAW_EVENT_RATE_AT, event->rate_hz);
	raw_put64(into + RAW_EVENT_PERIOD_AT, event->period);
	put_texts(into + RAW_EVENT_TEXTS_AT, texts, 2);
	return record_end(writer, RAW_NEXT_EVENT, size);
}

int raw_writer_start(struct raw_writer *writer, const struct tprof_raw_info *info)
{
	int err = reserve(&writer->out, &writer->capacity, RAW_FILE_HEADER);

	if (err)
		return err;
	memcpy(writer->out, RAW_MAGIC, RAW_MAGIC_BYTES);
	raw_put16(writer->out + RAW_MAJOR_AT, RAW_MAJOR);
	raw_put16(writer->out + RAW_MINOR_AT, RAW_MINOR);
	raw_put32(writer->out + RAW_BYTE_ORDER_AT, RAW_BYTE_ORDER);
	writer->size = RAW_FILE_HEADER;
	writer->nr_events = info->nr_events > 1 ? info->nr_events : 1;
	err = put_start(writer, info);
	for (size_t e = 1; e < writer->nr_events && !err; e++)
		err = put_event(writer, &info->events[e]);
	return err ? err : write_out(writer);
}

static int by_time(const void *a, const void *b)
{
	const struct raw_writer_sample *x = a, *y = b;
	int order = (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);

	if (!order)
		order = (x->cpu > y->cpu) - (x->cpu < y->cpu);
	return order ? order : (x->event > y->event) - (x->event < y->event);
}

static uint32_t sample_bytes(const struct raw_writer *writer)
{
	return writer->nr_events > 1 ? RAW_SAMPLE_EVENT_BYTES : RAW_SAMPLE_BYTES;
}

static void put_sample(const struct raw_writer *writer, uint8_t *at, const struct raw_writer_sample *sample)
{
	raw_put64(at + RAW_SAMPLE_TIME_AT, sample->time_ns);
	raw_put64(at + RAW_SAMPLE_WEIGHT_AT, sample->weight);
	raw_put32(at + RAW_SAMPLE_SAMPLES_AT, sample->samples);
	raw_put32(at + RAW_SAMPLE_TASK_AT, sample->task);
	raw_put32(at + RAW_SAMPLE_CALL_STACK_AT, sample->call_stack);
	raw_put32(at + RAW_SAMPLE_CPU_AT, sample->cpu);
	raw_put32(at + RAW_SAMPLE_FLAGS_AT, sample->flags);
	if (writer->nr_events > 1)
		raw_put32(at + RAW_SAMPLE_EVENT_AT, sample->event);
}

/* Writes one record of samples. Returns their number; 0 if there is no memory. */
static size_t put_samples(struct raw_writer *writer, const struct raw_writer_sample *samples, size_t nr)
{
	size_t taken = nr < SAMPLES_IN_RECORD ? nr : SAMPLES_IN_RECORD, bytes = sample_bytes(writer);
	uint8_t *into = record_begin(writer, RAW_SAMPLES_AT + taken * bytes);

	if (!into)
		return 0;
	raw_put32(into, (uint32_t)bytes);
	for (size_t i = 0; i < taken; i++) {
		struct tprof_tally *of_event = &writer->events[samples[i].event].written;

		put_sample(writer, into + RAW_SAMPLES_AT + i * bytes, &samples[i]);
		writer->written.samples += samples[i].samples;
		writer->written.weight += samples[i].weight;
		of_event->samples += samples[i].samples;
		of_event->weight += samples[i].weight;
	}
	record_end(writer, RAW_SAMPLES, RAW_SAMPLES_AT + taken * bytes);
	return taken;
}

static uint8_t *put_tallies(uint8_t *at, const struct tprof_tally *tallies, size_t nr)
{
	for (size_t i = 0; i < nr; i++, at += 16) {
		raw_put64(at, tallies[i].samples);
		raw_put64(at + 8, tallies[i].weight);
	}
	return at;
}

/* Fills the RAW_LEDGER_BYTES bytes of a ledger. */
static void fill_ledger(uint8_t *bytes, const struct tprof_ledger *ledger, const struct tprof_tally *written,
			uint64_t period, uint64_t time_ns)
{
	uint64_t counter;
	uint8_t *at;

	memcpy(&counter, &ledger->counter, sizeof(counter));
	raw_put64(bytes + RAW_LEDGER_TIME_AT, time_ns);
	raw_put64(bytes + RAW_LEDGER_PERIOD_AT, period);
	raw_put64(bytes + RAW_LEDGER_COUNTER_AT, counter);
	raw_put64(bytes + RAW_LEDGER_SIDEBAND_AT, ledger->sideband_lost);
	put_tallies(bytes + RAW_LEDGER_WRITTEN_AT, written, 1);
	put_tallies(bytes + RAW_LEDGER_FIRED_AT, &ledger->fired, 1);
	put_tallies(bytes + RAW_LEDGER_IDLE_AT, &ledger->idle, 1);
	raw_put32(bytes + RAW_LEDGER_NR_AT, TPROF_NR_OUTCOMES);
	raw_put32(bytes + RAW_LEDGER_NR_AT + 4, TPROF_NR_LOST_REASONS);
	raw_put32(bytes + RAW_LEDGER_NR_AT + 8, TPROF_NR_COUNTINGS);
	at = put_tallies(bytes + RAW_LEDGER_TALLIES_AT, ledger->outcomes, TPROF_NR_OUTCOMES);
	at = put_tallies(at, ledger->lost, TPROF_NR_LOST_REASONS);
	at = put_tallies(at, ledger->countings, TPROF_NR_COUNTINGS);
	at = put_tallies(at, &ledger->unnamed_sideband_lost, 1);
	raw_put64(at, ledger->enabled_ns);
	raw_put64(at + 8, ledger->running_ns);
}

/*
 * A ledger does not close if each reading found a sample in progress. It is left out then: the last ledger is read
 * after sampling has stopped.
 */
static bool closes(const struct tprof_ledger *ledger)
{
	struct tprof_tally left = ledger_difference(ledger);

	return !left.samples && !left.weight;
}

static int put_ledger(struct raw_writer *writer, const struct tprof_ledger *ledger, uint64_t period, uint64_t time_ns)
{
	uint8_t bytes[RAW_LEDGER_BYTES];

	if (!closes(ledger))
		return 0;
	fill_ledger(bytes, ledger, &writer->written, period, time_ns);
	return record(writer, RAW_LEDGER, bytes, sizeof(bytes));
}

static int put_event_ledger(struct raw_writer *writer, size_t event, uint64_t time_ns)
{
	const struct raw_writer_event *of = &writer->events[event];
	uint8_t bytes[RAW_EVENT_LEDGER_AT + RAW_LEDGER_BYTES];

	if (!closes(&of->ledger))
		return 0;
	raw_put32(bytes, (uint32_t)event);
	fill_ledger(bytes + RAW_EVENT_LEDGER_AT, &of->ledger, &of->written, of->period, time_ns);
	return record(writer, RAW_EVENT_LEDGER, bytes, sizeof(bytes));
}

void raw_writer_set_event(struct raw_writer *writer, size_t event, const struct tprof_ledger *ledger, uint64_t period)
{
	writer->events[event].ledger = *ledger;
	writer->events[event].period = period;
}

int raw_writer_flush(struct raw_writer *writer, const struct tprof_ledger *ledger, uint64_t period, uint64_t time_ns)
{
	size_t done = 0, taken;
	int err = 0;

	if (writer->ended)
		return 0;
	writer->until_ns = time_ns;
	raw_recent_forget(writer->recent);
	if (writer->nr_samples)
		qsort(writer->samples, writer->nr_samples, sizeof(*writer->samples), by_time);
	while (done < writer->nr_samples && !writer->err) {
		taken = put_samples(writer, writer->samples + done, writer->nr_samples - done);
		if (!taken)
			writer->err = -ENOMEM;
		done += taken;
	}
	writer->nr_samples = 0;
	if (!writer->err)
		err = put_ledger(writer, ledger, period, time_ns);
	for (size_t e = 0; e < writer->nr_events && writer->nr_events > 1 && !writer->err && !err; e++)
		err = put_event_ledger(writer, e, time_ns);
	if (!err && writer->strings.memory + writer->frames.memory + writer->call_stacks.memory + writer->tasks.memory >
	    writer->memory_limit) {
		forget(writer);
		err = record(writer, RAW_FORGET, NULL, 0);
	}
	if (err && !writer->err)
		writer->err = err;
	return write_out(writer);
}

int raw_writer_note(struct raw_writer *writer, const struct tprof_raw_note *note)
{
	size_t length = note->text ? strlen(note->text) : 0;
	uint8_t *bytes;

	if (writer->ended)
		return 0;
	if (length > RAW_MAX_PAYLOAD - RAW_NOTE_TEXT_AT)
		length = RAW_MAX_PAYLOAD - RAW_NOTE_TEXT_AT;
	bytes = record_begin(writer, RAW_NOTE_TEXT_AT + length);
	if (!bytes)
		return -ENOMEM;
	raw_put64(bytes + RAW_NOTE_TIME_AT, note->time_ns);
	raw_put32(bytes + RAW_NOTE_KIND_AT, note->kind);
	raw_put32(bytes + RAW_NOTE_TARGET_AT, note->target);
	raw_put64(bytes + RAW_NOTE_ID_AT, note->id);
	if (length)
		memcpy(bytes + RAW_NOTE_TEXT_AT, note->text, length);
	return record_end(writer, RAW_NOTE, RAW_NOTE_TEXT_AT + length);
}

int raw_writer_end(struct raw_writer *writer, uint64_t time_ns)
{
	uint8_t bytes[RAW_END_BYTES];

	raw_put64(bytes, time_ns);
	if (!writer->err)
		writer->err = record(writer, RAW_END, bytes, sizeof(bytes));
	writer->ended = true;
	return write_out(writer);
}
