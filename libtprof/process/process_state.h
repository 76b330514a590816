/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Reads the name and the executable mappings of one process from /proc, for aspace.h. */
#ifndef TPROF_PROCESS_STATE_H
#define TPROF_PROCESS_STATE_H

#include "host/proc.h"
#include "mappings.h"

struct process_state {
	char comm[PROC_COMM_LEN];
	struct mappings *mappings;	/* owned by the caller */
	bool dead;			/* a zombie */
	bool denied;			/* no permission to read its mappings */
};

/*
 * The mappings belong to @pool; @time_ns is now, @text a read buffer. Errors: ENOENT and ESRCH (no such process),
 * ENOMEM, E2BIG (more mappings than a set may have), those of open(2) and read(2).
 */
int process_read(struct process_state *state, struct mappings_pool *pool, struct dsos *dsos, pid_t tgid,
		 uint64_t time_ns, struct proc_text *text);
/* Does it have executable memory without a file, to which a JIT compiler may write code? */
bool process_may_have_jit(const struct process_state *state);

#endif
