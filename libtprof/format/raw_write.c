// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Writes raw recordings. */
#include "raw_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/ledger.h"
#include "raw.h"

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
	writer->out.fd = fd;
	writer->memory_limit = RAW_WRITER_MEMORY;
	if (!raw_definitions_init(&writer->definitions, &writer->out))
		return writer;
	free(writer);
	return NULL;
}

void raw_writer_free(struct raw_writer *writer)
{
	if (!writer)
		return;
	raw_definitions_fini(&writer->definitions);
	raw_out_fini(&writer->out);
	free(writer->samples);
	free(writer);
}

int64_t raw_writer_call_stack(struct raw_writer *writer, const struct tprof_frame *const *frames, size_t nr)
{
	return raw_define_call_stack(&writer->definitions, frames, nr);
}

int raw_writer_name(struct raw_writer *writer, const struct tprof_frame *frame, const char *symbol,
		    const char *object)
{
	return raw_define_name(&writer->definitions, frame, symbol, object);
}

int raw_writer_add(struct raw_writer *writer, const struct tprof_raw_sample *sample, uint32_t call_stack)
{
	int64_t task = raw_define_task(&writer->definitions, sample);
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
	uint8_t *into = raw_out_begin(&writer->out, size);

	if (!into)
		return -ENOMEM;
	raw_put64(into + RAW_START_TIME_AT, info->start_ns);
	raw_put64(into + RAW_START_REAL_AT, info->start_real_ns);
	raw_put64(into + RAW_START_RATE_AT, info->info.rate_hz);
	raw_put64(into + RAW_START_PERIOD_AT, info->info.period);
	raw_put32(into + RAW_START_CPUS_AT, info->info.nr_cpus);
	raw_put32(into + RAW_START_ONLINE_AT, info->info.nr_online);
	put_texts(into + RAW_START_TEXTS_AT, texts, RAW_NR_TEXTS);
	return raw_out_end(&writer->out, RAW_START, size);
}

static int put_event(struct raw_writer *writer, const struct tprof_event_info *event)
{
	const char *const texts[] = { event->event, event->unit };
	size_t size = RAW_EVENT_TEXTS_AT + texts_size(texts, 2);
	uint8_t *into = raw_out_begin(&writer->out, size);

	if (!into)
		return -ENOMEM;
	raw_put64(into + RAW_EVENT_RATE_AT, event->rate_hz);
	raw_put64(into + RAW_EVENT_PERIOD_AT, event->period);
	put_texts(into + RAW_EVENT_TEXTS_AT, texts, 2);
	return raw_out_end(&writer->out, RAW_NEXT_EVENT, size);
}

int raw_writer_start(struct raw_writer *writer, const struct tprof_raw_info *info)
{
	int err = raw_out_header(&writer->out);

	if (err)
		return err;
	writer->nr_events = info->nr_events > 1 ? info->nr_events : 1;
	err = put_start(writer, info);
	for (size_t e = 1; e < writer->nr_events && !err; e++)
		err = put_event(writer, &info->events[e]);
	if (!err)
		err = raw_out_write(&writer->out);
	writer->started = !err;
	return err;
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
	uint8_t *into = raw_out_begin(&writer->out, RAW_SAMPLES_AT + taken * bytes);

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
	raw_out_end(&writer->out, RAW_SAMPLES, RAW_SAMPLES_AT + taken * bytes);
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
	return raw_out_record(&writer->out, RAW_LEDGER, bytes, sizeof(bytes));
}

static int put_event_ledger(struct raw_writer *writer, size_t event, uint64_t time_ns)
{
	const struct raw_writer_event *of = &writer->events[event];
	uint8_t bytes[RAW_EVENT_LEDGER_AT + RAW_LEDGER_BYTES];

	if (!closes(&of->ledger))
		return 0;
	raw_put32(bytes, (uint32_t)event);
	fill_ledger(bytes + RAW_EVENT_LEDGER_AT, &of->ledger, &of->written, of->period, time_ns);
	return raw_out_record(&writer->out, RAW_EVENT_LEDGER, bytes, sizeof(bytes));
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
	raw_definitions_age(&writer->definitions);
	if (writer->nr_samples)
		qsort(writer->samples, writer->nr_samples, sizeof(*writer->samples), by_time);
	while (done < writer->nr_samples && !writer->out.err) {
		taken = put_samples(writer, writer->samples + done, writer->nr_samples - done);
		if (!taken)
			writer->out.err = -ENOMEM;
		done += taken;
	}
	writer->nr_samples = 0;
	if (!writer->out.err)
		err = put_ledger(writer, ledger, period, time_ns);
	for (size_t e = 0; e < writer->nr_events && writer->nr_events > 1 && !writer->out.err && !err; e++)
		err = put_event_ledger(writer, e, time_ns);
	if (!err && raw_definitions_memory(&writer->definitions) > writer->memory_limit)
		err = raw_definitions_forget(&writer->definitions);
	if (err && !writer->out.err)
		writer->out.err = err;
	err = raw_out_write(&writer->out);
	if (!err)
		writer->until_ns = time_ns;
	return err;
}

struct tprof_tally raw_writer_samples(const struct raw_writer *writer)
{
	const struct tprof_tally *unwritten = &writer->out.unwritten;

	return (struct tprof_tally){ writer->written.samples - unwritten->samples,
				     writer->written.weight - unwritten->weight };
}

int raw_writer_note(struct raw_writer *writer, const struct tprof_raw_note *note)
{
	size_t length = note->text ? strlen(note->text) : 0;
	uint8_t *bytes;

	if (writer->ended)
		return 0;
	if (length > RAW_MAX_PAYLOAD - RAW_NOTE_TEXT_AT)
		length = RAW_MAX_PAYLOAD - RAW_NOTE_TEXT_AT;
	bytes = raw_out_begin(&writer->out, RAW_NOTE_TEXT_AT + length);
	if (!bytes)
		return -ENOMEM;
	raw_put64(bytes + RAW_NOTE_TIME_AT, note->time_ns);
	raw_put32(bytes + RAW_NOTE_KIND_AT, note->kind);
	raw_put32(bytes + RAW_NOTE_TARGET_AT, note->target);
	raw_put64(bytes + RAW_NOTE_ID_AT, note->id);
	if (length)
		memcpy(bytes + RAW_NOTE_TEXT_AT, note->text, length);
	return raw_out_end(&writer->out, RAW_NOTE, RAW_NOTE_TEXT_AT + length);
}

int raw_writer_end(struct raw_writer *writer, uint64_t time_ns)
{
	uint8_t bytes[RAW_END_BYTES];

	raw_put64(bytes, time_ns);
	if (!writer->out.err)
		writer->out.err = raw_out_record(&writer->out, RAW_END, bytes, sizeof(bytes));
	writer->ended = true;
	return raw_out_write(&writer->out);
}
