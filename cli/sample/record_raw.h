/* SPDX-License-Identifier: GPL-2.0-only */
/* `tprof record --raw`: the file is written during sampling. */
#ifndef TPROF_RECORD_RAW_H
#define TPROF_RECORD_RAW_H

#include "file/output.h"
#include "file/profile_file.h"
#include "tprof.h"

#define RECORD_RAW_PATH PROFILE_RAW_FILE

/* Creates the file, before the session starts. 0, or the exit code after reporting an error. */
int record_raw_begin(struct output *output, struct tprof_session *session);

/*
 * Gives the file its name, right after the session has started, so that it exists even if tprof is killed. Returns like
 * record_raw_begin().
 */
int record_raw_started(struct output *output);

/*
 * Stops the session, writes the remaining samples, and prints the ledger. @err: the error that ended the wait, or 0.
 * Returns the exit code.
 */
int record_raw_end(struct output *output, struct tprof_session *session, int err);

#endif
