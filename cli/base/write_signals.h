/* SPDX-License-Identifier: GPL-2.0-only */
/* Ignores the signals of failed writes, so that write() returns an error that can be reported. */
#ifndef TPROF_WRITE_SIGNALS_H
#define TPROF_WRITE_SIGNALS_H

/*
 * Call this before writing anything. By default, SIGXFSZ (the file reached its size limit) and SIGPIPE (the reader
 * closed the pipe) would kill the process at once, leaving the launched command running and the temporary file in
 * place.
 */
void write_signals_ignore(void);

/*
 * Call this in a child before exec: restores the inherited actions, because ignored signals stay ignored across exec.
 */
void write_signals_give_back(void);

#endif
