/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The meaning of side-band records for processes: each is told to the address spaces and to a listener.
 *
 * A process has ended when its first thread has and /proc shows no other: so one whose main thread ends early
 * goes on, and one in which another thread calls exec does too.
 */
#ifndef TPROF_SIDEBAND_PROCESSES_H
#define TPROF_SIDEBAND_PROCESSES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "aspace.h"
#include "host/proc.h"
#include "sideband_record.h"

/* Called besides the address spaces: a process was born or died, for the scope. */
struct sideband_listener {
	void (*forked)(void *ctx, pid_t parent_tgid, pid_t tgid);
	void (*exited)(void *ctx, pid_t tgid);
	/* A BPF program was loaded, or has gone. */
	void (*program)(void *ctx, const char *name, uint64_t start, uint64_t length, bool gone);
	void *ctx;
};

/* A process whose first thread has ended; it has ended itself when the others have. */
struct sideband_leaving {
	pid_t tgid;
	uint64_t time_ns;
};

/* Ready with all but the first two members zeroed. */
struct sideband_processes {
	struct aspaces *aspaces;
	struct sideband_listener listener;
	struct sideband_leaving *leaving;
	size_t nr_leaving, room_leaving;
	struct proc_text text;
};

void sideband_processes_fini(struct sideband_processes *processes);
/* Records have to come in order of time; of lost ones the caller takes note. */
void sideband_processes_handle(struct sideband_processes *processes, const struct sideband_record *record);
/* To be called after all records up to @now_ns: have those ended whose first thread has? */
void sideband_processes_check(struct sideband_processes *processes, uint64_t now_ns);

#endif
