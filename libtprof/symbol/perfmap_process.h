/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * The perf-PID.map of one process: kept open, read again when it changes, and read a last time when the process ends.
 */
#ifndef TPROF_PERFMAP_PROCESS_H
#define TPROF_PERFMAP_PROCESS_H

#include "base/hash.h"
#include "perfmap.h"
#include "perfmap_file.h"
#include "perfmaps.h"

/*
 * Processes whose map or /tmp is kept open, two file descriptors each. Files of further processes are opened by path.
 */
#define PERFMAPS_MAX_HELD 1024
/* Bytes of the "maps not read" text in outputs. Further maps are reported to the log only. */
#define PERFMAPS_SAID_BYTES 1024

struct perfmaps {
	struct hash by_tgid;
	size_t bytes;			/* memory of all maps */
	size_t max_bytes;
	size_t nr_held, max_held;
	const struct log *log;
	struct broker *broker;
	char said[PERFMAPS_SAID_BYTES];
	int64_t created_ns;		/* CLOCK_REALTIME, as file times; likewise the two below */
	int64_t begin_ns;		/* start of the current interval, or slightly earlier */
	int64_t next_begin_ns;
};

struct perfmap_process {
	struct hash_node node;		/* by tgid */
	struct perfmap_owner owner;
	pid_t number;			/* pid in the file name */
	int fd;				/* the trusted map, kept open; -1: none */
	bool is_held;			/* included in nr_held */
	bool is_fresh;			/* checked since the last perfmap_process_age() */
	bool is_over;			/* the process has ended and its map was read for the last time */
	bool is_unsure;			/* names of this interval are ambiguous: two programs, or too many changes */
	bool is_behind;			/* the map has changed and was not read again */
	uint64_t exec_ns;		/* as in struct perfmaps_life */
	struct perfmap *map;		/* NULL if there is none */
	struct perfmap *previous;	/* the content before it was rewritten in this interval; or NULL */
	struct stat st;			/* of the file when it was read or refused */
	size_t size;			/* bytes read */
	uint64_t hash;			/* of the content that was read */
	size_t old_bytes;		/* bytes of it that existed when the interval began */
	struct stat begin;		/* of the file at the start of this interval; st_ino 0: unknown */
	struct stat next;		/* of the file at the start of the next interval; st_ino 0: unknown */
	bool was_rewritten;		/* the map was rewritten in this interval */
	size_t refused_bytes;		/* the limit that it exceeded; 0: it did not */
	uint64_t next_read_ns;		/* clock_own_ns(): earliest time of the next reading, since the last was slow */
	uint32_t life;			/* incremented when the pid is reused and at each exec */
	uint32_t generation;		/* incremented when the map is rewritten */
	uint32_t nr_readings;
	unsigned int unused_ages;
	enum perfmap_refusal told;	/* the last one reported; each reason is reported once for a file */
	ino_t told_ino;
};

void perfmap_process_init(struct perfmaps *maps, struct perfmap_process *process, pid_t tgid);
void perfmap_process_fini(struct perfmaps *maps, struct perfmap_process *process);
/* Opens the map and keeps it open. */
void perfmap_process_meet(struct perfmaps *maps, struct perfmap_process *process);
/* Opens the map if it exists by now. */
void perfmap_process_look(struct perfmaps *maps, struct perfmap_process *process);
/* Call right before the tables are swapped: stores the state of the file at the start of the next interval. */
void perfmap_process_mark(struct perfmaps *maps, struct perfmap_process *process);
/* Reads the map if it has changed; for the last time if the process has ended. */
void perfmap_process_refresh(struct perfmaps *maps, struct perfmap_process *process,
			     const struct perfmaps_life *life);
/* Drops the parsed map. It is read again at the next lookup. */
void perfmap_process_forget(struct perfmaps *maps, struct perfmap_process *process);
/* The interval has been symbolized: the next one begins with the state that perfmap_process_mark() stored. */
void perfmap_process_age(struct perfmaps *maps, struct perfmap_process *process);

#endif
