/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The sandbox: drops privileges of the process before it reads files and memory of other processes, which may be
 * crafted to exploit a reader. Not included by tprof.h.
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

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct tprof_sandbox_opts - what the process may still do in the sandbox; every member is optional
 * @sz:          set by the caller to sizeof(struct tprof_sandbox_opts)
 * @temporary:   path of a file that is open already, and that tprof_session__publish() renames to @name. If that is not
 *               called before the session is closed, the file is removed, however the process ends
 * @name:        final path of the file. NULL: the file at @temporary is only removed
 * @writable:    directories below which the process may create, write and remove files, at most 63. If the kernel has
 *               no Landlock, one directory is enough to permit writing everywhere
 * @nr_writable: number of elements in @writable
 * @command:     the only process that may be signaled; 0: none
 * @network:     sockets stay permitted. They also are if the session asks debuginfod servers
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
 * tprof_session__sandbox() - drop all privileges that sampling does not need, permanently
 * @session: any session that is not in a sandbox; prepared by this call if necessary. Call tprof_session__pin() before
 * @opts:    NULL for defaults
 *
 * The sandbox holds for the whole process with all its sessions. Afterwards no session can be opened, prepared or
 * pinned, and other sessions cannot symbolize what they sample. The process cannot execute programs, trace, mount, load
 * modules, open sockets, open files for writing, make memory executable, or signal other processes. Of BPF, it can only
 * read and write maps that are open. `tprof doctor` lists the capabilities that remain. The sandbox consists of
 * no_new_privs, seccomp and, if the kernel has it, Landlock.
 *
 * A child process does what needs privileges later; it reads no data of other processes. It ends with the session, and
 * a wait for any child may return it.
 *
 * Errors: EINVAL (an option is invalid, a directory is NULL, or there are too many), EBUSY (the process has other
 * threads, which would keep their privileges; or the session is in a sandbox already), EAGAIN (the child process cannot
 * be created), EPERM, ENOMEM; those of open(2) for the directories in @writable, and those of tprof_session__prepare().
 * EINVAL, EBUSY and errors of the directories change nothing; after another error, some privileges may have been
 * dropped.
 */
TPROF_API int tprof_session__sandbox(struct tprof_session *session, const struct tprof_sandbox_opts *opts);

/**
 * tprof_session__publish() - rename the file of the sandbox's options to its final name, replacing an existing file
 * @session: in a sandbox, with @temporary and @name in its options
 *
 * Errors: EINVAL (no such file, or already published), ECHILD (the child process has ended), those of rename(2).
 */
TPROF_API int tprof_session__publish(struct tprof_session *session);

#ifdef __cplusplus
}
#endif

#endif
