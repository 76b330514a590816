/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Which system calls are left, by a seccomp filter: all others fail with EPERM. For processes with no_new_privs. */
#ifndef TPROF_SANDBOX_CALLS_H
#define TPROF_SANDBOX_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

struct sandbox_calls {
	int broker_fd;
	pid_t command;			/* may be signalled; 0: none */
	bool writes;			/* opens files to write; Landlock says where */
	bool opens_as_told;		/* Landlock sees to openat2(), for seccomp cannot look into that */
	bool network;			/* asks servers, by a library that loads others */
};

/* Both: 0 or -errno; -EOPNOTSUPP: the kernel has no seccomp filters. */
int sandbox_limit_calls(const struct sandbox_calls *calls);
int sandbox_limit_broker(int fd);

#endif
