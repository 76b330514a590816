/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Finds the perf-PID.map of one process and decides whether to trust it.
 *
 * The file is in a world-writable directory, and its name is only a process id, which is reused. It is trusted if it is
 * a regular file, belongs to root or to the process's user, and was last written while the process was alive. Any other
 * file is refused with a reason.
 */
#ifndef TPROF_PERFMAP_FILE_H
#define TPROF_PERFMAP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "rights/broker.h"

enum perfmap_refusal {
	PERFMAP_ACCEPTED,
	PERFMAP_MISSING,
	PERFMAP_NO_FILE,	/* not a regular file: a pipe, a directory, a symbolic link */
	PERFMAP_OTHER_OWNER,
	PERFMAP_OLDER,		/* last written before the process started, or before its last exec */
	PERFMAP_LATER,		/* last written after the process ended */
	PERFMAP_TOO_LARGE,
	PERFMAP_TOTAL_TOO_LARGE,	/* too large together with the maps of other processes */
	PERFMAP_UNREADABLE,	/* read error or no memory */
};

/* The process that a map belongs to. Stays valid after the process has ended. */
struct perfmap_owner {
	pid_t tgid;
	pid_t number;		/* pid in the process's own pid namespace, as in the file name; 0: unknown */
	uid_t uid;
	uint64_t start_time;	/* clock ticks since boot; 0: the process was never seen alive */
	int64_t from_ns;	/* CLOCK_REALTIME: start of the process */
	int64_t to_ns;		/* CLOCK_REALTIME: end; INT64_MAX: still alive */
	struct broker *broker;	/* opens the process's root directory; may be NULL */
	int tmp_fd;		/* the process's own /tmp, held open; -1: same as ours, or gone */
};

/* Result of a search, with the facts for an error message. */
struct perfmap_found {
	enum perfmap_refusal refusal;
	pid_t number;		/* the pid in the file name */
	struct stat st;
	size_t max_bytes;	/* the limit */
};

int64_t perfmap_real_ns(void);

/*
 * Fills @owner from /proc, except to_ns. -ESRCH: the process is gone or its pid was reused; @owner is unchanged then.
 */
int perfmap_owner_read(struct perfmap_owner *owner);
/* Opens the process's own /tmp if it is not ours: its mount namespace may be gone before the map is read. */
void perfmap_owner_hold(struct perfmap_owner *owner);
void perfmap_owner_release(struct perfmap_owner *owner);

/* Opens the map for reading if it is trusted. Otherwise returns -1 and sets the reason in @found. */
int perfmap_file_open(const struct perfmap_owner *owner, struct perfmap_found *found);
/* Decides whether an open file is trusted. */
enum perfmap_refusal perfmap_file_judge(const struct perfmap_owner *owner, const struct stat *st);

/* Formats "perf-12.map: not read: it belongs to ...". Not for PERFMAP_ACCEPTED and PERFMAP_MISSING. */
void perfmap_found_text(const struct perfmap_found *found, const struct perfmap_owner *owner, char *text, size_t size);

/* Memory limit for all maps together: an eighth of the available memory, at least 128 MiB and at most 1 GiB. */
size_t perfmap_max_bytes(void);
/* The same, from the text of /proc/meminfo. */
size_t perfmap_max_bytes_of(const char *meminfo);

#endif
