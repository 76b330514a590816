/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Writes raw recordings (raw.h). Samples come as the tables are read, in no order; raw_writer_flush() sorts those of
 * one reading by time and writes them out, behind all that they refer to.
 *
 * What was defined is remembered by its number. When that takes more than RAW_WRITER_MEMORY, the file is told to forget
 * it, and so does the writer; that happens between two readings only.
 *
 * The first write that fails is the last: what is added from then on is forgotten. Whatever was written before can be
 * read.
 */
#ifndef TPROF_RAW_WRITE_H
#define TPROF_RAW_WRITE_H

#include "raw_numbers.h"
#include "tprof.h"

#define RAW_WRITER_MEMORY (16U << 20)

struct raw_writer_sample;

struct raw_writer {
	int fd;
	int err;			/* of the first write that failed, -errno */
	bool told;			/* the client knows of it */
	bool ended;
	struct raw_numbers strings, frames, call_stacks, tasks;
	size_t memory_limit;
	struct raw_writer_sample *samples;	/* of this reading */
	size_t nr_samples, samples_room;
	uint8_t *out;			/* records to be written */
	size_t size, room;
	uint8_t *call_stack;			/* the one at hand, as bytes */
	size_t call_stack_room;
	struct tprof_tally written;	/* all samples that were passed on to the file */
	uint64_t bytes;			/* of the file */
	uint64_t until_ns;		/* what was sampled until then has been read */
};

struct raw_writer *raw_writer_new(int fd);
void raw_writer_free(struct raw_writer *writer);

/* The head of the file. Each of these returns 0, -ENOMEM, or what write(2) failed with. */
int raw_writer_start(struct raw_writer *writer, const struct tprof_raw_info *info);

/* The number of a call stack, defined if it is new, or -ENOMEM. It holds until the next flush. */
int64_t raw_writer_call_stack(struct raw_writer *writer, const struct tprof_frame *const *frames, size_t nr);

/* The frame, which a call stack has, is called so. */
int raw_writer_name(struct raw_writer *writer, const struct tprof_frame *frame, const char *symbol,
		    const char *object);

/* A sample whose call stack has that number; its own frames are not looked at. */
int raw_writer_add(struct raw_writer *writer, const struct tprof_raw_sample *sample, uint32_t call_stack);

/* The samples of a reading, and the account of what was sampled until then. Nothing once the file has its end. */
int raw_writer_flush(struct raw_writer *writer, const struct tprof_ledger *ledger, uint64_t period, uint64_t time_ns);

/* Behind the last flush. */
int raw_writer_end(struct raw_writer *writer, uint64_t time_ns);

#endif
