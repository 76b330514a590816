/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Code that a program moved out of the mapping of its file into memory of its own, at the same address: so it gets huge
 * pages (node --use-largepages, Chromium, HHVM). What is left of the file's mapping says where its code would be; that
 * it is there is proven byte for byte, a page at a time, by the memory of the process.
 */
#ifndef TPROF_MOVED_H
#define TPROF_MOVED_H

#include "base/hash.h"
#include "dso/dso.h"
#include "host/proc.h"

/* A zeroed struct is ready. */
struct moved {
	struct hash processes;		/* whose mappings were read since the last age */
	struct hash pages;		/* that were proven, for when the process has ended */
	struct proc_text text;
	uint32_t age, nr_proofs;	/* how many were tried in this age */
};

/*
 * Which byte of which file is at @ip of the process @tgid, where no file is mapped. False if nothing is sure.
 */
bool moved_find(struct moved *moved, struct dsos *dsos, pid_t tgid, uint64_t ip, struct dso **dso, uint64_t *offset);

/* Forgets what may have changed, and what was proven two ages ago. */
void moved_age(struct moved *moved);
void moved_fini(struct moved *moved);

#endif
