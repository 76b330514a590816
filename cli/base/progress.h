/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What takes longer than a second says so on stderr, if that is a terminal: a line that counts the seconds, and goes
 * away when it is done. Nothing else may write to stderr meanwhile without progress_clear(). One at a time.
 */
#ifndef TPROF_PROGRESS_H
#define TPROF_PROGRESS_H

/* "reading file.pb.gz". What was begun before is done with. */
void progress_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* If anything was begun. */
void progress_end(void);

/* Takes the line away for other words; it comes again a second later. */
void progress_clear(void);

#endif
