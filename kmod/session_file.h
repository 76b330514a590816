/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a session. */
#ifndef _TPROF_SESSION_FILE_H
#define _TPROF_SESSION_FILE_H

struct file_operations;
struct tprof_session;

extern const struct file_operations tprof_session_fops;

/*
 * Looks up a session by a file descriptor of the current process, and takes a reference on it. Returns ERR_PTR(-EBADF)
 * if the descriptor is not a session.
 */
struct tprof_session *tprof_session_from_fd(int fd);

#endif
