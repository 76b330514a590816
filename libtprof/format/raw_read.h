/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Reads a raw recording: resolves definitions by number, and passes each sample to a listener.
 *
 * An invalid record ends the reading, as does the end of a truncated file: reader.input.damage has the reason.
 */
#ifndef TPROF_RAW_READ_H
#define TPROF_RAW_READ_H

#include "raw_input.h"

/* Memory limit for definitions, between two RAW_FORGET records. The writer stays far below. */
#define RAW_READER_MEMORY (256U << 20)

struct raw_task {
	pid_t pid, tid;
	uint32_t comm, thread, cgroup;	/* numbers of strings */
};

struct raw_call_stack {
	size_t first;			/* index into frame_numbers */
	uint32_t nr;
};

struct raw_sample {
	uint64_t time_ns, weight;
	uint32_t samples, task, call_stack, flags, event;
	int cpu;
};

struct raw_reader;

/* One of several events. */
struct raw_event {
	char *texts;			/* storage of its strings; NULL for the first */
	struct tprof_tally read;	/* its samples read */
	struct tprof_ledger ledger;	/* the last one */
};

/* Callbacks for the content. A value other than 0 ends the reading. */
struct raw_listener {
	int (*sample)(void *ctx, struct raw_reader *reader, const struct raw_sample *sample);
	/* The definitions are about to be dropped, or the end was reached. */
	int (*forget)(void *ctx, struct raw_reader *reader);
	/* NULL: notes are skipped. */
	const struct tprof_read_opts *notes;
	void *ctx;
};

struct raw_reader {
	struct raw_input input;
	struct raw_listener listener;
	struct tprof_error *error;
	struct tprof_raw_info info;
	bool started, ended;
	char *texts;			/* storage of the strings of info */
	struct tprof_event_info event_infos[TPROF_EVENTS_MAX];	/* info.events */
	struct raw_event events[TPROF_EVENTS_MAX];
	size_t nr_events;
	char **strings;
	struct tprof_frame *frames;
	uint32_t *frame_numbers;	/* of all call stacks, concatenated */
	struct raw_call_stack *call_stacks;
	struct raw_task *tasks;
	size_t nr_strings, nr_frames, nr_frame_numbers, nr_call_stacks, nr_tasks;
	size_t strings_capacity, frames_capacity, frame_numbers_capacity, call_stacks_capacity, tasks_capacity;
	size_t memory;
	char *note_text;		/* storage of the text of the last note */
	size_t note_capacity;
	const struct tprof_frame **order;	/* scratch: frames of the current call stack */
	size_t order_capacity;
	struct tprof_tally read;	/* all samples read */
	struct tprof_ledger ledger;	/* the last one */
	uint64_t until_ns;
	uint64_t sound_bytes;		/* bytes of the file that were read and valid */
};

/* Reads up to the RAW_START record. Errors: as tprof_raw__each(). */
int raw_reader_open(struct raw_reader *reader, int fd, const struct file_head *head, const char *name,
		    struct tprof_error *error);
void raw_reader_close(struct raw_reader *reader);

/* Reads the remaining records. Returns 0, -errno with a sentence, or the value of the listener. */
int raw_reader_run(struct raw_reader *reader, const struct raw_listener *listener);

/* The frames of a call stack, valid until the next call. NULL if there is no memory. */
const struct tprof_frame *const *raw_reader_frames(struct raw_reader *reader, uint32_t call_stack, size_t *nr);

/* Copies the options of a caller; NULL gives the defaults. Errors: those of sized_take(). */
int raw_read_opts(struct tprof_read_opts *known, const struct tprof_read_opts *opts, struct tprof_error *error);

/* True if the time of a sample or note is in the requested part of the recording. */
bool raw_is_within(const struct raw_reader *reader, uint64_t time_ns, const struct tprof_read_opts *opts);

/* Time since sampling began. */
static inline uint64_t raw_reader_duration_ns(const struct raw_reader *reader)
{
	return reader->until_ns > reader->info.start_ns ? reader->until_ns - reader->info.start_ns : 0;
}

#endif
