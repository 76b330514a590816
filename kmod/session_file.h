/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a session. */
#ifndef _TPROF_SESSION_FILE_H
#define _TPROF_SESSION_FILE_H

struct file_operations;
struct tprof_session;

extern const struct file_operations tprof_session_fops;

/* Takes it from a descriptor of this process, with a reference; EBADF if that is no session. */
struct tprof_session *tprof_session_from_fd(int fd);

#endif
