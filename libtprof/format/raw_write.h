/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Writes raw recordings (raw.h). Samples are added as the tables are read, in any order. raw_writer_flush() sorts the
 * samples of one reading by time and writes them after the definitions that they refer to.
 *
 * Definitions are kept by number. When they take more than RAW_WRITER_MEMORY, the writer drops them and writes
 * RAW_FORGET. This happens between two readings only.
 *
 * After a failed write, nothing more is written: later samples are discarded. Everything written before stays readable.
 */
#ifndef TPROF_RAW_WRITE_H
#define TPROF_RAW_WRITE_H

#include "raw_define.h"
#include "raw_out.h"
#include "tprof.h"

#define RAW_WRITER_MEMORY (16U << 20)

struct raw_writer_sample;

/* One of several events. */
struct raw_writer_event {
	struct tprof_tally written;	/* its samples written to the file */
	struct tprof_ledger ledger;	/* of the current reading */
	uint64_t period;
};

struct raw_writer {
	struct raw_out out;
	bool told;			/* the error of @out was reported to the client */
	bool started;			/* the file can be read: it has its header and the start record */
	bool ended;
	struct raw_definitions definitions;
	size_t memory_limit;		/* of the definitions */
	struct raw_writer_sample *samples;	/* of this reading */
	size_t nr_samples, samples_capacity;
	struct tprof_tally written;	/* all samples given to @out */
	size_t nr_events;		/* at least 1 */
	struct raw_writer_event events[TPROF_EVENTS_MAX];
	uint64_t until_ns;		/* all samples up to this time are in the file */
};

struct raw_writer *raw_writer_new(int fd);
void raw_writer_free(struct raw_writer *writer);

/* Writes the file header and the start record. Each of these functions returns 0, -ENOMEM, or the error of write(2). */
int raw_writer_start(struct raw_writer *writer, const struct tprof_raw_info *info);

/*
 * Finds or defines a call stack. Returns its number, which is valid until the next flush, or -ENOMEM. The strings of
 * the frames must not change until then.
 */
int64_t raw_writer_call_stack(struct raw_writer *writer, const struct tprof_frame *const *frames, size_t nr);

/* Writes the name of a frame that was defined without one. */
int raw_writer_name(struct raw_writer *writer, const struct tprof_frame *frame, const char *symbol,
		    const char *object);

/* Adds a sample with that call stack; the frames in @sample are ignored. */
int raw_writer_add(struct raw_writer *writer, const struct tprof_raw_sample *sample, uint32_t call_stack);

/* If there are several events: the ledger and the period of one of them, for the next flush. */
void raw_writer_set_event(struct raw_writer *writer, size_t event, const struct tprof_ledger *ledger, uint64_t period);

/* Writes the samples of a reading, and the ledger up to that time. Does nothing after raw_writer_end(). */
int raw_writer_flush(struct raw_writer *writer, const struct tprof_ledger *ledger, uint64_t period, uint64_t time_ns);

/* Writes a note. Its text may be NULL. */
int raw_writer_note(struct raw_writer *writer, const struct tprof_raw_note *note);

/* Call after the last flush. */
int raw_writer_end(struct raw_writer *writer, uint64_t time_ns);

/* The samples in the file. */
struct tprof_tally raw_writer_samples(const struct raw_writer *writer);

#endif
