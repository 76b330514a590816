/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* The ledger of a raw recording, and warnings about a damaged one. */
#ifndef TPROF_RAW_LEDGER_H
#define TPROF_RAW_LEDGER_H

#include "raw_read.h"

/*
 * The last ledger of the file, adjusted to the samples that the file has. @outside: samples that were read but not
 * requested, of each event.
 */
struct tprof_ledger raw_ledger(const struct raw_reader *reader, const struct tprof_tally *outside);
/* The same of one of several events. @outside: its own. */
struct tprof_ledger raw_event_ledger(const struct raw_reader *reader, size_t event, const struct tprof_tally *outside);

/* Warns "x.traw: cut short: ..."; nothing if the file is complete. */
void raw_reader_warn(const struct raw_reader *reader, const struct tprof_read_opts *opts);

/* Adds a general hint if the error has none. */
void raw_add_hint(struct tprof_error *error, int err);

#endif
