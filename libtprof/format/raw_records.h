/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Validates and reads one record of each type. Functions return 0; RAW_DAMAGED for an invalid record; or -errno with a
 * sentence: ENOMEM, EFBIG, EPROTONOSUPPORT.
 */
#ifndef TPROF_RAW_RECORDS_H
#define TPROF_RAW_RECORDS_H

#include "raw_read.h"

/* Not a value that a callback of the library's caller may return. */
#define RAW_DAMAGED INT32_MIN

/* Stores the reason. Returns RAW_DAMAGED. */
int raw_damaged(struct raw_reader *reader, const char *how);

int raw_take_start(struct raw_reader *reader, const struct raw_record *record);
int raw_take_string(struct raw_reader *reader, const struct raw_record *record);
int raw_take_frame(struct raw_reader *reader, const struct raw_record *record);
int raw_take_name(struct raw_reader *reader, const struct raw_record *record);
int raw_take_call_stack(struct raw_reader *reader, const struct raw_record *record);
int raw_take_task(struct raw_reader *reader, const struct raw_record *record);
int raw_take_ledger(struct raw_reader *reader, const struct raw_record *record);
int raw_take_event(struct raw_reader *reader, const struct raw_record *record);
int raw_take_event_ledger(struct raw_reader *reader, const struct raw_record *record);
/* The text of the note is reader->note_text, valid until the next note. */
int raw_take_note(struct raw_reader *reader, const struct raw_record *record, struct tprof_raw_note *note);
int raw_take_end(struct raw_reader *reader, const struct raw_record *record);

/* True if the record consists of whole samples; otherwise stores the damage. @stride: bytes of each sample. */
bool raw_samples_are_sound(struct raw_reader *reader, const struct raw_record *record, uint32_t *stride);
/* @stride: bytes of the sample. */
int raw_take_sample(struct raw_reader *reader, const uint8_t *bytes, uint32_t stride, struct raw_sample *sample);

#endif
