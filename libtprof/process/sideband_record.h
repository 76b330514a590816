/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Records of the side-band events taken apart. Pure: looks at nothing but the bytes it is given, and trusts
 * none of them.
 */
#ifndef TPROF_SIDEBAND_RECORD_H
#define TPROF_SIDEBAND_RECORD_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dso/dso.h"

enum sideband_kind {
	SIDEBAND_OTHER,			/* of no interest; only time_ns is set */
	SIDEBAND_FORK,			/* a process */
	SIDEBAND_THREAD,		/* a thread within a process */
	SIDEBAND_EXIT,			/* a thread; of a process, if tid == pid */
	SIDEBAND_EXEC,
	SIDEBAND_COMM,
	SIDEBAND_MMAP,
	SIDEBAND_PROGRAM,		/* a BPF program was loaded, or removed */
	SIDEBAND_LOST,
};

struct sideband_record {
	enum sideband_kind kind;
	uint64_t time_ns;
	pid_t pid, tid;			/* process and thread the record is about */
	pid_t ppid, ptid;		/* FORK, THREAD: who made it */
	const char *comm;		/* EXEC, COMM, PROGRAM: the name; lies in the record */
	uint64_t start, length, pgoff;	/* MMAP; PROGRAM has the first two */
	bool gone;			/* PROGRAM */
	struct dso_id id;		/* MMAP; the path lies in the record */
	uint64_t nr_lost;		/* LOST */
};

/* @size: how many bytes there are. Errors: EINVAL (the record cannot be what it says it is). */
int sideband_parse(const struct perf_event_header *header, size_t size, struct sideband_record *out);

#endif
