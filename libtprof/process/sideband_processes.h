/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Applies side-band records to processes: updates the address spaces and calls a listener.
 *
 * A process has ended when its first thread has exited and /proc shows no other thread. A process continues if only its
 * main thread exits early, or if another thread calls exec.
 */
#ifndef TPROF_SIDEBAND_PROCESSES_H
#define TPROF_SIDEBAND_PROCESSES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aspace.h"
#include "host/proc.h"
#include "sideband_record.h"

/* Called in addition to the address spaces: a process has started or ended, for the scope. */
struct sideband_listener {
	void (*forked)(void *ctx, pid_t parent_tgid, pid_t tgid);
	void (*exited)(void *ctx, pid_t tgid);
	/* A BPF program was loaded or unloaded. */
	void (*program)(void *ctx, const char *name, uint64_t start, uint64_t length, bool gone);
	void *ctx;
};

/* A process whose first thread has exited. It ends when the other threads exit. */
struct sideband_leaving {
	pid_t tgid;
	uint64_t time_ns;
};

/* Ready when all but the first two members are zeroed. */
struct sideband_processes {
	struct aspaces *aspaces;
	struct sideband_listener listener;
	struct sideband_leaving *leaving;
	size_t nr_leaving, leaving_capacity;
	struct proc_text text;
};

void sideband_processes_fini(struct sideband_processes *processes);
/* Records must be in order of time. The caller counts lost records. */
void sideband_processes_handle(struct sideband_processes *processes, const struct sideband_record *record);
/* Call it after all records up to @now_ns. Checks whether processes without their first thread have ended. */
void sideband_processes_check(struct sideband_processes *processes, uint64_t now_ns);

#endif
