/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* What a raw recording is worth: its account, and what is wrong with it. */
#ifndef TPROF_RAW_ACCOUNT_H
#define TPROF_RAW_ACCOUNT_H

#include "raw_read.h"

/*
 * The last ledger of the file, as it has to be for what is in the file. @outside are samples that were read, and not
 * asked for.
 */
struct tprof_ledger raw_account(const struct raw_reader *reader, const struct tprof_tally *outside);

/* "x.traw: cut short: ..."; nothing if it is whole. */
void raw_reader_warn(const struct raw_reader *reader, const struct tprof_read_opts *opts);

/* Where nothing better is known. */
void raw_add_hint(struct tprof_error *error, int err);

#endif
