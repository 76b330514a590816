/* SPDX-License-Identifier: GPL-2.0-only */
/* The ioctls of a session's file. */
#ifndef _TPROF_SESSION_IOCTL_H
#define _TPROF_SESSION_IOCTL_H

struct tprof_session;

long tprof_session_ioctl(struct tprof_session *session, unsigned int cmd, unsigned long arg);

#endif
