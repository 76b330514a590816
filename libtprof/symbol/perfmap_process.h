/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* One process and its perf-PID.map: held open, read when it changes, and once more at the end. */
#ifndef TPROF_PERFMAP_PROCESS_H
#define TPROF_PERFMAP_PROCESS_H

#include "base/hash.h"
#include "perfmap.h"
#include "perfmap_file.h"
#include "perfmaps.h"

/* Processes whose map or /tmp is held open, two descriptors each; those beyond are looked up by path. */
#define PERFMAPS_MAX_HELD 1024
/* What outputs say of maps that were not read; more of them are told to the log only. */
#define PERFMAPS_SAID_BYTES 1024

struct perfmaps {
	struct hash by_tgid;
	size_t bytes;			/* of all maps */
	size_t max_bytes;
	size_t nr_held, max_held;
	const struct log *log;
	struct broker *broker;
	char said[PERFMAPS_SAID_BYTES];
	int64_t created_ns;		/* these are CLOCK_REALTIME, as file times */
	int64_t begin_ns;		/* of the interval at hand, or a bit before it */
	int64_t next_begin_ns;
};

struct perfmap_process {
	struct hash_node node;		/* by tgid */
	struct perfmap_owner owner;
	pid_t number;			/* in the name of the file */
	int fd;				/* the map that is believed, held; -1: none */
	bool is_held;			/* counts in nr_held */
	bool is_fresh;			/* looked at since the last age */
	bool is_over;			/* it has ended, and the map was read for the last time */
	bool is_unsure;			/* in this interval there were two programs, or the map changed too often */
	bool is_behind;			/* the map has changed, and was not read again */
	uint64_t exec_ns;		/* as perfmaps_life says */
	struct perfmap *map;		/* NULL if it has none */
	struct perfmap *previous;	/* what it said before it was rewritten in this interval; or NULL */
	struct stat st;			/* of the file when it was read, or refused */
	size_t size;			/* that was read */
	uint64_t hash;			/* of what was read */
	size_t old_bytes;		/* how much of that was there when the interval began */
	struct stat begin;		/* of the file when this interval began; st_ino 0: not known */
	struct stat next;		/* of the file when the next interval began; st_ino 0: not known */
	bool was_rewritten;		/* in this interval */
	size_t refused_bytes;		/* the room that was not enough for it; 0: it was */
	uint64_t next_read_ns;		/* clock_own_ns(): reading it took long, so not before */
	uint32_t life;			/* how many processes had the number, and programs the process */
	uint32_t generation;		/* how often the map was rewritten */
	uint32_t nr_readings;
	unsigned int unused_ages;
	enum perfmap_refusal told;	/* the last one; each is told once for a file */
	ino_t told_ino;
};

void perfmap_process_init(struct perfmaps *maps, struct perfmap_process *process, pid_t tgid);
void perfmap_process_fini(struct perfmaps *maps, struct perfmap_process *process);
/* Holds what it has of a map. */
void perfmap_process_meet(struct perfmaps *maps, struct perfmap_process *process);
/* Opens the map if it is there by now. */
void perfmap_process_look(struct perfmaps *maps, struct perfmap_process *process);
void perfmap_process_mark(struct perfmaps *maps, struct perfmap_process *process);
void perfmap_process_refresh(struct perfmaps *maps, struct perfmap_process *process,
			     const struct perfmaps_life *life);
/* What the map says; it will be read again if somebody asks. */
void perfmap_process_forget(struct perfmaps *maps, struct perfmap_process *process);
void perfmap_process_age(struct perfmaps *maps, struct perfmap_process *process);

#endif
