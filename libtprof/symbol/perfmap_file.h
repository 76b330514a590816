/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The perf-PID.map of one process: where it is looked for, and whether it is believed.
 *
 * The file lies where everybody may write, and its name is only a number that is used again. It is believed if it is a
 * regular file of root or of the process's user, and was written last while the process was alive. All else is refused
 * with a reason.
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
	PERFMAP_NO_FILE,	/* a pipe, a directory, a link */
	PERFMAP_OTHER_OWNER,
	PERFMAP_OLDER,		/* than the process, or than the program that it is now */
	PERFMAP_LATER,		/* than the end of the process */
	PERFMAP_TOO_LARGE,
	PERFMAP_NO_ROOM,	/* beside the maps of other processes */
	PERFMAP_UNREADABLE,	/* an error of reading, or no memory */
};

/* Whose map it is. Kept when the process is gone. */
struct perfmap_owner {
	pid_t tgid;
	pid_t number;		/* in its own pid namespace, as in the name of the file; 0: not known */
	uid_t uid;
	uint64_t start_time;	/* clock ticks since boot; 0: never seen alive */
	int64_t from_ns;	/* CLOCK_REALTIME: when it started */
	int64_t to_ns;		/* and ended; INT64_MAX: it is alive */
	struct broker *broker;	/* opens its root; may be NULL */
	int tmp_fd;		/* its own /tmp, held; -1: as ours, or gone */
};

/* What was found, of whom and when, for the reason in words. */
struct perfmap_found {
	enum perfmap_refusal refusal;
	pid_t number;		/* in the name of the file */
	struct stat st;
	size_t max_bytes;	/* that were allowed */
};

int64_t perfmap_real_ns(void);

/*
 * Fills in what /proc says of the process, but for the end. -ESRCH: it is gone, or another one has its number, and
 * @owner stays as it is.
 */
int perfmap_owner_read(struct perfmap_owner *owner);
/* Keeps the process's own /tmp, if that is not ours: its mount namespace may be gone before the map is read. */
void perfmap_owner_hold(struct perfmap_owner *owner);
void perfmap_owner_release(struct perfmap_owner *owner);

/* Opens the map, for reading, if it is believed; else -1, and @found says why. */
int perfmap_file_open(const struct perfmap_owner *owner, struct perfmap_found *found);
/* Is a file that is open believed? */
enum perfmap_refusal perfmap_file_judge(const struct perfmap_owner *owner, const struct stat *st);

/* "perf-12.map: not read: it belongs to ..."; for all but PERFMAP_ACCEPTED and PERFMAP_MISSING. */
void perfmap_found_text(const struct perfmap_found *found, const struct perfmap_owner *owner, char *text, size_t size);

/* What all maps together may take of memory: an eighth of what is available, 128 MiB at least and 1 GiB at most. */
size_t perfmap_max_bytes(void);
/* The same from the text of /proc/meminfo. */
size_t perfmap_max_bytes_of(const char *meminfo);

#endif
