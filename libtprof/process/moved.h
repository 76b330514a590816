/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Code that a program moved from the file mapping to anonymous memory at the same address, to get huge pages (node
 * --use-largepages, Chromium, HHVM). The remaining mapping of the file determines where its code would be. The code is
 * verified byte by byte, one page at a time, in the memory of the process.
 */
#ifndef TPROF_MOVED_H
#define TPROF_MOVED_H

#include "base/hash.h"
#include "dso/dso.h"
#include "host/proc.h"

/* A zeroed struct is ready. */
struct moved {
	struct hash processes;		/* processes whose mappings were read in this age */
	struct hash pages;		/* verified pages, kept for processes that have exited */
	struct proc_text text;
	uint32_t age, nr_proofs;	/* current age; attempts to verify a page in this age */
};

/*
 * Finds the file and offset for @ip of the process @tgid, where no file is mapped. Returns false unless it is proven.
 */
bool moved_find(struct moved *moved, struct dsos *dsos, pid_t tgid, uint64_t ip, struct dso **dso, uint64_t *offset);

/* Drops what may have changed, and pages that were verified two ages ago. */
void moved_age(struct moved *moved);
void moved_fini(struct moved *moved);

#endif
