/* SPDX-License-Identifier: GPL-2.0-only */
/* `tprof record --raw`: the file is written while the session runs. */
#ifndef TPROF_RECORD_RAW_H
#define TPROF_RECORD_RAW_H

#include "file/output.h"
#include "tprof.h"

#define RECORD_RAW_PATH "tprof.traw"

/* Before the session starts: makes the file. 0, or the exit code after having said why not. */
int record_raw_begin(struct output *output, struct tprof_session *session);

/* Once it has started: gives the file its name, for it is to be there whatever becomes of us. Likewise. */
int record_raw_started(struct output *output);

/*
 * Stops the session, writes what is left, and says what became of the samples. @err: what waiting ended with, or 0.
 * Returns the exit code.
 */
int record_raw_end(struct output *output, struct tprof_session *session, int err);

#endif
