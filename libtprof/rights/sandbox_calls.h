/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Limits the system calls of this process with a seccomp filter; all others fail with EPERM. Requires no_new_privs. */
#ifndef TPROF_SANDBOX_CALLS_H
#define TPROF_SANDBOX_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

struct sandbox_calls {
	int broker_fd;
	pid_t command;			/* process that may be signalled; 0: none */
	bool writes;			/* may open files for writing; Landlock limits where */
	bool opens_as_told;		/* Landlock limits openat2(), as seccomp cannot read its arguments */
	bool attaches;			/* attaches its BPF programs to events that the broker opens */
	bool network;			/* asks debuginfod servers, by a library that loads others */
};

/* Both return 0 or -errno; -EOPNOTSUPP: the kernel has no seccomp filters. */
int sandbox_limit_calls(const struct sandbox_calls *calls);
int sandbox_limit_broker(int fd);

#endif
