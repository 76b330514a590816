/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The perf-PID.map files of all processes.
 *
 * Samples are symbolized some time after they were taken: the time between two swaps of the tables is one interval. A
 * name is used only if, according to the map, the address had no other name in the whole interval. Maps are appended
 * to, so the lines that existed at the start of the interval were valid then, and later lines are the changes.
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

/* The maps of all processes that were looked up. */
struct perfmaps;

enum perfmaps_answer {
	PERFMAPS_NONE,		/* no line covers the address yet; a later line may */
	PERFMAPS_FOUND,
	PERFMAPS_UNSURE,	/* the address had several names in the interval, or that is unknown */
	PERFMAPS_OVER,		/* no line covers the address, and no more lines will be written */
};

/* Process events from the side-band: kernel CLOCK_MONOTONIC, 0 if there was none. */
struct perfmaps_life {
	uint64_t exec_ns;	/* time of the last exec */
	uint64_t end_ns;
};

/* State of a map at the time when a lookup found no name. */
struct perfmaps_moment {
	uint32_t life, generation, reading;
	size_t old_bytes;
	bool is_behind;
};

struct perfmaps *perfmaps_new(const struct log *log);
void perfmaps_free(struct perfmaps *maps);
/* Opens the root directories of processes through the broker, which the caller owns. Call before perfmaps_meet(). */
void perfmaps_use_broker(struct perfmaps *maps, struct broker *broker);
/* Replaces perfmap_max_bytes() as the limit for all maps together. A single map is limited to half of it. */
void perfmaps_set_max_bytes(struct perfmaps *maps, size_t max_bytes);

/* The process has memory that may contain JIT code: its map is kept open from now on. */
void perfmaps_meet(struct perfmaps *maps, pid_t tgid);

/* Call regularly: opens the maps that exist by now, before they can be removed. */
void perfmaps_look(struct perfmaps *maps);

/*
 * Call right before the tables are swapped: the content of the maps now is the state at the start of the next interval.
 */
void perfmaps_mark(struct perfmaps *maps);

/*
 * Finds the function that covers @ip in the map of a process. The map is read again if it has changed: once for each
 * interval, and once more when the process has ended. @name is valid until perfmaps_age().
 */
enum perfmaps_answer perfmaps_find(struct perfmaps *maps, pid_t tgid, const struct perfmaps_life *life, uint64_t ip,
				   const char **name, uint64_t *delta);

/* After PERFMAPS_NONE: the argument for perfmaps_find_late(). */
struct perfmaps_moment perfmaps_moment(const struct perfmaps *maps, pid_t tgid);
/*
 * perfmaps_find() for a sample of an earlier interval. Call it in each interval before perfmaps_age(), until the answer
 * is not PERFMAPS_NONE. @life: as known now.
 */
enum perfmaps_answer perfmaps_find_late(struct perfmaps *maps, pid_t tgid, const struct perfmaps_life *life,
					struct perfmaps_moment *moment, uint64_t ip, const char **name);

/* The maps that were not read and the reasons, separated by "; "; NULL if there is none. */
const char *perfmaps_refused(const struct perfmaps *maps);

/* The interval has been symbolized. Drops the processes that were not looked up in the last two intervals. */
void perfmaps_age(struct perfmaps *maps);

#endif
