// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Reads a raw recording. */
#include "raw_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "raw.h"
#include "raw_records.h"

int raw_read_opts(struct tprof_read_opts *known, const struct tprof_read_opts *opts, struct tprof_error *error)
{
	int err;

	*known = (struct tprof_read_opts){ .sz = sizeof(*known) };
	if (!opts)
		return 0;
	err = sized_error(error, sized_take(known, sizeof(*known), opts), "read options");
	if (err || (unsigned int)known->owner <= TPROF_OWNER_CPU)
		return err;
	error_set(error, EINVAL, "owner %d: not an enum tprof_owner", (int)known->owner);
	error_hint(error, "TPROF_OWNER_PROCESS, TPROF_OWNER_THREAD or TPROF_OWNER_CPU");
	return -EINVAL;
}

/* Reads the next record. Returns as raw_input_next(). */
static int next(struct raw_reader *reader, struct raw_record *record)
{
	reader->sound_bytes = reader->input.offset;
	return raw_input_next(&reader->input, record);
}

int raw_reader_open(struct raw_reader *reader, int fd, const struct file_head *head, const char *name,
		    struct tprof_error *error)
{
	struct raw_record record;
	int err;

	*reader = (struct raw_reader){ .error = error };
	err = raw_input_open(&reader->input, fd, head, name, error);
	if (err)
		return err;
	err = next(reader, &record);
	if (err < 0)
		return err;
	err = err && record.type == RAW_START ? raw_take_start(reader, &record) : RAW_DAMAGED;
	if (err == RAW_DAMAGED)
		err = error_set(error, EBADMSG, "%s: %s: it has no valid start record", name,
				reader->input.cut ? "cut short" : "damaged");
	return err;
}

static void forget(struct raw_reader *reader)
{
	for (size_t i = 0; i < reader->nr_strings; i++)
		free(reader->strings[i]);
	reader->nr_strings = reader->nr_frames = reader->nr_frame_numbers = 0;
	reader->nr_call_stacks = reader->nr_tasks = 0;
	reader->memory = 0;
}

void raw_reader_close(struct raw_reader *reader)
{
	forget(reader);
	free(reader->strings);
	free(reader->frames);
	free(reader->frame_numbers);
	free(reader->call_stacks);
	free(reader->tasks);
	free(reader->order);
	free(reader->texts);
	for (size_t e = 1; e < reader->nr_events; e++)
		free(reader->events[e].texts);
	free(reader->note_text);
	raw_input_close(&reader->input);
}

static int take_samples(struct raw_reader *reader, const struct raw_record *record)
{
	uint32_t stride;
	int err = 0;

	if (!raw_samples_are_sound(reader, record, &stride))
		return RAW_DAMAGED;
	for (size_t at = RAW_SAMPLES_AT; at < record->size && !err; at += stride) {
		struct raw_sample sample;

		err = raw_take_sample(reader, record->payload + at, stride, &sample);
		if (!err)
			err = reader->listener.sample(reader->listener.ctx, reader, &sample);
	}
	return err;
}

/* Notes of a later version have other kinds. */
static int take_note(struct raw_reader *reader, const struct raw_record *record)
{
	const struct tprof_read_opts *opts = reader->listener.notes;
	struct tprof_raw_note note;
	int err = raw_take_note(reader, record, &note);

	if (err || !opts || !opts->note || (unsigned int)note.kind >= TPROF_NR_NOTES ||
	    (unsigned int)note.target >= TPROF_NR_TARGET_KINDS || !raw_is_within(reader, note.time_ns, opts))
		return err;
	return opts->note(opts->note_ctx, &reader->info, &note);
}

static int take_forget(struct raw_reader *reader)
{
	int err = reader->listener.forget ? reader->listener.forget(reader->listener.ctx, reader) : 0;

	forget(reader);
	return err;
}

static int take(struct raw_reader *reader, const struct raw_record *record)
{
	if (reader->ended)
		return raw_damaged(reader, "it continues after its end record");
	switch (record->type) {
	case RAW_START:
		return raw_damaged(reader, "it has a second start record");
	case RAW_STRING:
		return raw_take_string(reader, record);
	case RAW_FRAME:
		return raw_take_frame(reader, record);
	case RAW_CALL_STACK:
		return raw_take_call_stack(reader, record);
	case RAW_NAME:
		return raw_take_name(reader, record);
	case RAW_TASK:
		return raw_take_task(reader, record);
	case RAW_SAMPLES:
		return take_samples(reader, record);
	case RAW_LEDGER:
		return raw_take_ledger(reader, record);
	case RAW_NEXT_EVENT:
		return raw_take_event(reader, record);
	case RAW_EVENT_LEDGER:
		return raw_take_event_ledger(reader, record);
	case RAW_FORGET:
		return take_forget(reader);
	case RAW_NOTE:
		return take_note(reader, record);
	case RAW_END:
		return raw_take_end(reader, record);
	default:
		return 0;	/* unknown type: of a later version */
	}
}

int raw_reader_run(struct raw_reader *reader, const struct raw_listener *listener)
{
	struct raw_record record;
	int more, err = 0;

	reader->listener = *listener;
	while (!err) {
		more = next(reader, &record);
		if (more <= 0) {
			err = more;
			break;
		}
		err = take(reader, &record);
	}
	if (err == RAW_DAMAGED)
		err = 0;
	if (!err && !reader->ended && !reader->input.damage) {
		reader->input.damage = "cut short";
		reader->input.cut = true;
	}
	if (!err && listener->forget)
		err = listener->forget(listener->ctx, reader);
	return err;
}

const struct tprof_frame *const *raw_reader_frames(struct raw_reader *reader, uint32_t number, size_t *nr)
{
	const struct raw_call_stack *stack = &reader->call_stacks[number];

	void *larger = array_reserve(reader->order, stack->nr, &reader->order_capacity, sizeof(*reader->order));

	if (!larger)
		return NULL;
	reader->order = larger;
	for (size_t i = 0; i < stack->nr; i++)
		reader->order[i] = &reader->frames[reader->frame_numbers[stack->first + i]];
	*nr = stack->nr;
	return reader->order;
}

bool raw_is_within(const struct raw_reader *reader, uint64_t time_ns, const struct tprof_read_opts *opts)
{
	uint64_t start_ns = reader->info.start_ns;

	time_ns = time_ns > start_ns ? time_ns - start_ns : 0;
	return time_ns >= opts->from_ns && (!opts->to_ns || time_ns < opts->to_ns);
}
