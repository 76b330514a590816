/* SPDX-License-Identifier: GPL-2.0-only */
/* The signals that come with a write that fails: ignored, so that the write fails with an error that can be told. */
#ifndef TPROF_WRITE_SIGNALS_H
#define TPROF_WRITE_SIGNALS_H

/*
 * Before anything is written. A file that reaches the limit of its size (SIGXFSZ) and a reader that goes away (SIGPIPE)
 * would end the process where it stands: the command that it launched would go on, and a temporary file would stay.
 */
void write_signals_ignore(void);

/* In a child, before exec: as they were when the process was started, since what is ignored stays so across exec. */
void write_signals_give_back(void);

#endif
