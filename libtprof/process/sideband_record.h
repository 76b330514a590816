/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Parses records of the side-band events. Pure: reads only the given bytes, and does not trust them. */
#ifndef TPROF_SIDEBAND_RECORD_H
#define TPROF_SIDEBAND_RECORD_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "dso/dso.h"

enum sideband_kind {
	SIDEBAND_OTHER,			/* ignored; only time_ns is set */
	SIDEBAND_FORK,			/* a process */
	SIDEBAND_THREAD,		/* a new thread in a process */
	SIDEBAND_EXIT,			/* a thread; the process, if tid == pid */
	SIDEBAND_EXEC,
	SIDEBAND_COMM,
	SIDEBAND_MMAP,
	SIDEBAND_PROGRAM,		/* a BPF program was loaded or unloaded */
	SIDEBAND_LOST,
};

struct sideband_record {
	enum sideband_kind kind;
	uint64_t time_ns;
	pid_t pid, tid;			/* process and thread that the record is about */
	pid_t ppid, ptid;		/* FORK, THREAD: the creator */
	const char *comm;		/* EXEC, COMM, PROGRAM: the name; points into the record */
	uint64_t start, length, pgoff;	/* MMAP; PROGRAM uses the first two */
	bool gone;			/* PROGRAM */
	struct dso_id id;		/* MMAP; the path points into the record */
	uint64_t nr_lost;		/* LOST */
};

/* @size: number of available bytes. Errors: EINVAL (malformed record). */
int sideband_parse(const struct perf_event_header *header, size_t size, struct sideband_record *out);

#endif
