/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The perf-PID.map files of processes.
 *
 * Samples are named some time after they were taken: what was counted between two swaps of the tables is one interval.
 * A name is told if the address had no other one in the whole interval, as far as the map says. Maps are appended to,
 * so the lines that were there when the interval began tell what was true then, and those behind them what changed.
 *
 *	session: perfmaps_mark()  swap  side-band  perfmaps_find()...  perfmaps_age()
 */
#ifndef TPROF_PERFMAPS_H
#define TPROF_PERFMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/log.h"
#include "rights/broker.h"

/* The maps of all processes that were asked for. */
struct perfmaps;

enum perfmaps_answer {
	PERFMAPS_NONE,		/* no line covers the address; one that is yet to be written may */
	PERFMAPS_FOUND,
	PERFMAPS_UNSURE,	/* it had several names in the interval, or that cannot be told */
	PERFMAPS_OVER,		/* none does, and no line will be written any more */
};

/* What side-band events told of the process, CLOCK_MONOTONIC of the kernel; 0: nothing. */
struct perfmaps_life {
	uint64_t exec_ns;	/* when it became the program that it is */
	uint64_t end_ns;
};

/* When something had no name yet. */
struct perfmaps_moment {
	uint32_t life, generation, reading;
	size_t old_bytes;
	bool is_behind;
};

struct perfmaps *perfmaps_new(const struct log *log);
void perfmaps_free(struct perfmaps *maps);
/* Has the roots of processes opened by a broker, which stays the caller's. Before any process is met. */
void perfmaps_use_broker(struct perfmaps *maps, struct broker *broker);
/* Instead of what perfmap_max_bytes() says: for all maps together. One may have half as much. */
void perfmaps_set_max_bytes(struct perfmaps *maps, size_t max_bytes);

/* The process has memory that a compiler may have written code to: from now on its map is held open. */
void perfmaps_meet(struct perfmaps *maps, pid_t tgid);

/* To be called now and then: holds the maps that are there by now, before they can be removed. */
void perfmaps_look(struct perfmaps *maps);

/* The tables are about to be swapped: what is in the maps now was there when the next interval began. */
void perfmaps_mark(struct perfmaps *maps);

/*
 * The function that covers @ip in the map of a process, read anew if it has changed: once for each interval, and once
 * more when the process has ended. @name lives until perfmaps_age().
 */
enum perfmaps_answer perfmaps_find(struct perfmaps *maps, pid_t tgid, const struct perfmaps_life *life, uint64_t ip,
				   const char **name, uint64_t *delta);

/* After PERFMAPS_NONE: what to pass to perfmaps_find_late(). */
struct perfmaps_moment perfmaps_moment(const struct perfmaps *maps, pid_t tgid);
/*
 * The same question for a sample of an earlier interval, to be asked in each one before perfmaps_age(). @life: as known
 * by now. PERFMAPS_NONE: ask again.
 */
enum perfmaps_answer perfmaps_find_late(struct perfmaps *maps, pid_t tgid, const struct perfmaps_life *life,
					struct perfmaps_moment *moment, uint64_t ip, const char **name);

/* The maps that were not read, with the reasons, separated by "; "; NULL if there is none. */
const char *perfmaps_refused(const struct perfmaps *maps);

/* The interval has been named. Forgets processes that nobody asked for in the last two. */
void perfmaps_age(struct perfmaps *maps);

#endif
