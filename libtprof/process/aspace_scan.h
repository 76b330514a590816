/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Reads one process from /proc as the address spaces want it: its name and its executable mappings. */
#ifndef TPROF_ASPACE_SCAN_H
#define TPROF_ASPACE_SCAN_H

#include "host/proc.h"
#include "mappings.h"

struct process_state {
	char comm[PROC_COMM_LEN];
	struct mappings *mappings;	/* the caller's to put */
	bool dead;			/* a zombie */
	bool denied;			/* we may not read its mappings */
};

/*
 * The mappings are of @pool; @text is a buffer to read into. Errors: ENOENT and ESRCH (no such process), ENOMEM, E2BIG
 * (more mappings than a set may have), those of open(2) and read(2).
 */
int process_read(struct process_state *state, struct mappings_pool *pool, struct dsos *dsos, pid_t tgid,
		 struct proc_text *text);
/* Has it executable memory without a file, which a compiler may write code to? */
bool process_may_have_jit(const struct process_state *state);

#endif
