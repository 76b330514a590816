/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Address spaces: which process had which file mapped where, now and in the recent past.
 *
 * Filled once from /proc at the start, then from side-band events in order of time. Tables are read some time after the
 * samples were taken. Therefore ended processes, and images replaced by exec, are kept until the tables have been read
 * once more after their end: see aspaces_age(). A child shares its parent's mappings until one of them changes.
 *
 * Pure bookkeeping except for the scans, so it can be tested without root. A lookup for a process without events, or
 * whose start was not reported, or that the scan deferred, scans that process in /proc, at most once per aspaces_age().
 */
#ifndef TPROF_ASPACE_H
#define TPROF_ASPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/log.h"
#include "dso/dso.h"

struct aspaces;

/* Executable memory of one process image. */
struct mapping {
	uint64_t start, end;		/* [start, end) */
	uint64_t pgoff;			/* file offset of start, in bytes */
	struct dso *dso;
};

struct aspaces *aspaces_new(struct dsos *dsos, const struct log *log);
void aspaces_free(struct aspaces *aspaces);

/* The number of processes that a scan reads, unless aspaces_set_scan_max() was called. */
#define ASPACES_SCAN_MAX 1024
void aspaces_set_scan_max(struct aspaces *aspaces, size_t max);

/*
 * Reads the names and executable mappings of the youngest processes from /proc, and only the ids of the others, which
 * are read when they are looked up or fork. Returns the number of processes that were read, or -errno.
 */
int aspaces_scan(struct aspaces *aspaces);
/* The same for one process. */
int aspaces_scan_process(struct aspaces *aspaces, pid_t tgid);

/* The same if the process was not read yet, and its start was not reported. */
void aspaces_look_up(struct aspaces *aspaces, pid_t tgid);

/* Input from side-band events. Ids are those of the initial pid namespace; time_ns is CLOCK_MONOTONIC. */
void aspaces_fork(struct aspaces *aspaces, pid_t parent_tgid, pid_t tgid, uint64_t time_ns);
/* A new thread. It has the name of its creator until it is renamed. */
void aspaces_thread_fork(struct aspaces *aspaces, pid_t tgid, pid_t parent_tid, pid_t tid);
void aspaces_exec(struct aspaces *aspaces, pid_t tgid, const char *comm, uint64_t time_ns);
void aspaces_comm(struct aspaces *aspaces, pid_t tgid, pid_t tid, const char *comm);
void aspaces_mmap(struct aspaces *aspaces, pid_t tgid, uint64_t start, uint64_t length, uint64_t pgoff,
		  const struct dso_id *id, uint64_t time_ns);
/* A thread has exited, or a process if @tid is its process id. */
void aspaces_exit(struct aspaces *aspaces, pid_t tid, uint64_t time_ns);

/* Disables all lookups: the ids in samples are of another pid namespace than those in /proc and in events. */
void aspaces_blind(struct aspaces *aspaces);

/*
 * The mapping that held @ip in the image @exec_id of a process (tprof_sample.exec_id; 0: unknown). An image matches if
 * the page at @exec_id << 12 is in its text. If no image matches, the newest one with @ip mapped is used. If several
 * match (programs that are not position independent), all must agree on @ip. Returns NULL if there is no mapping, or if
 * the code at @ip was replaced within the last two ages. Valid until the next call that changes anything.
 */
const struct mapping *aspaces_find(struct aspaces *aspaces, pid_t tgid, uint32_t exec_id, uint64_t ip);

/*
 * Finds the file offset of @ip where no file is mapped because the process moved its code (see moved.h). Returns false
 * unless it is proven.
 */
bool aspaces_find_moved(struct aspaces *aspaces, pid_t tgid, uint64_t ip, struct dso **dso, uint64_t *offset);

/*
 * Name of the process at the time of the image, "[empty]" if the name is empty. NULL if the process is unknown, or if
 * several images match and have different names. Names are valid at least until the second aspaces_age() from now, and
 * longer while they are in use.
 */
const char *aspaces_process_name(struct aspaces *aspaces, pid_t tgid, uint32_t exec_id);
/*
 * Name of a thread, or of its process if the thread has none; NULL if unknown. Valid as long as in
 * aspaces_process_name().
 */
const char *aspaces_thread_name(struct aspaces *aspaces, pid_t tid);

/* The program of a process, and whether it ran another one within the time for which images are kept. */
struct aspace_program {
	uint64_t exec_ns;		/* time of its exec, in the kernel's clock; 0: before the session */
	uint64_t end_ns;		/* 0: still running, or unknown */
	bool had_another;		/* an earlier program of the process had the address mapped */
	bool is_moved;			/* not in a reported mapping: code there was moved without an event */
};
struct aspace_program aspaces_program(const struct aspaces *aspaces, pid_t tgid, uint64_t ip);

/* @fn is called when a process has executable memory without a file: a JIT compiler may write code there. */
void aspaces_watch_jit(struct aspaces *aspaces, void (*fn)(void *ctx, pid_t tgid), void *ctx);

/* Call it after all tables were read. Frees what ended before the previous call. */
void aspaces_age(struct aspaces *aspaces);

/* For tests and the log: the number of process images, including ended ones. */
size_t aspaces_nr_images(const struct aspaces *aspaces);

#endif
