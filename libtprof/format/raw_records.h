/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * One record of each type, checked and taken in. They return 0; RAW_DAMAGED where a record makes no sense; or -errno
 * with a sentence: ENOMEM, EFBIG, EPROTONOSUPPORT.
 */
#ifndef TPROF_RAW_RECORDS_H
#define TPROF_RAW_RECORDS_H

#include "raw_read.h"

/* No value that a caller of the library may return: those of its callbacks are kept apart. */
#define RAW_DAMAGED INT32_MIN

/* Notes why; returns RAW_DAMAGED. */
int raw_damaged(struct raw_reader *reader, const char *how);

int raw_take_start(struct raw_reader *reader, const struct raw_record *record);
int raw_take_string(struct raw_reader *reader, const struct raw_record *record);
int raw_take_frame(struct raw_reader *reader, const struct raw_record *record);
int raw_take_name(struct raw_reader *reader, const struct raw_record *record);
int raw_take_call_stack(struct raw_reader *reader, const struct raw_record *record);
int raw_take_task(struct raw_reader *reader, const struct raw_record *record);
int raw_take_ledger(struct raw_reader *reader, const struct raw_record *record);
int raw_take_end(struct raw_reader *reader, const struct raw_record *record);

/* Whether samples fill the record; if not, the damage is noted. @stride: bytes of each. */
bool raw_samples_are_sound(struct raw_reader *reader, const struct raw_record *record, uint32_t *stride);
int raw_take_sample(struct raw_reader *reader, const uint8_t *bytes, struct raw_sample *sample);

#endif
