/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress line for operations that take longer than a second: if stderr is a terminal, a line there counts the
 * seconds, and is erased at the end. Meanwhile, call progress_clear() before other writes to stderr. One operation at a
 * time.
 */
#ifndef TPROF_PROGRESS_H
#define TPROF_PROGRESS_H

/* Starts an operation, such as "reading file.pb.gz", and ends the one before. */
void progress_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the operation, if one was started. */
void progress_end(void);

/* Erases the line so that other text can be written; the line reappears within a second. */
void progress_clear(void);

#endif
