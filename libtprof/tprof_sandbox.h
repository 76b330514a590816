/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * What a process gives up once it samples: it reads files and memory that others have written, and whoever takes it
 * over by one of them shall find nothing to do with it.
 *
 *	tprof_session__prepare(session);	// everything that needs privileges
 *	tprof_session__sandbox(session, NULL);
 *	tprof_session__start(session);
 */
#ifndef TPROF_SANDBOX_H
#define TPROF_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "tprof.h"

/**
 * struct tprof_sandbox_opts - what the process has to be able to do all the same; all of it may be left out
 * @sz:          set by the caller to sizeof(struct tprof_sandbox_opts)
 * @temporary:   path of a file that is open already and takes another name in the end, by tprof_session__publish(); it
 *               is removed if that is not called until the session is closed, however the process ends
 * @name:        path that it takes then; NULL with @temporary alone
 * @writable:    directories below which it goes on to make, write and remove files, 62 at most. Where the kernel has no
 *               Landlock, a process with any can write everywhere
 * @nr_writable: how many
 * @command:     the one process that it may signal; 0: none
 * @network:     it goes on to talk to others by sockets. So it may, too, if the session asks servers for debug files
 */
struct tprof_sandbox_opts {
	size_t sz;
	const char *temporary;
	const char *name;
	const char *const *writable;
	size_t nr_writable;
	pid_t command;
	bool network;
};

/**
 * tprof_session__sandbox() - give up what sampling does not need any more, for good
 * @session: prepared, or it is prepared by this; or started. Pinned, if it is to be
 * @opts:    NULL for defaults
 *
 * Holds for the whole process, with all its sessions: none can be opened, prepared or pinned any more, nor can others
 * name what they sample. Nothing is executed, traced, mounted or loaded; no socket is opened, no file is opened to
 * write; no memory becomes code, no process is signalled; of BPF, maps that are open can be read and written.
 * Capabilities are left as `tprof doctor` tells. By no_new_privs, seccomp and, where the kernel has it, Landlock.
 *
 * What needs rights later is asked of a child process, which reads nothing that others have written. It ends with the
 * session, and waiting for just any child may return it.
 *
 * Errors: EINVAL (an option makes no sense), EBUSY (the process has other threads, which would keep their rights; the
 * session is in a sandbox already), ENOMEM, EAGAIN (no process), EPERM; those of tprof_session__prepare(). After an
 * error, some rights may be gone.
 */
TPROF_API int tprof_session__sandbox(struct tprof_session *session, const struct tprof_sandbox_opts *opts);

/**
 * tprof_session__publish() - give the file of the sandbox's options its name, in place of what has it
 * @session: in a sandbox with such a file
 *
 * Errors: EINVAL (there is none, or it has its name), those of rename(2), EPIPE (the child process has ended).
 */
TPROF_API int tprof_session__publish(struct tprof_session *session);

#endif
