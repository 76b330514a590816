/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Address spaces: which process had which file mapped where, now and a moment ago.
 *
 * Filled from /proc once at the start, then by side-band events in order of time. Tables are read some time
 * after the samples were taken, so what ends (a process, an image replaced by exec) is kept until the reading
 * after its end is done: aspaces_age(). A child shares its parent's mappings until one of them changes.
 *
 * Pure bookkeeping but for the scans: testable without root. A question about a process that no event told
 * of, or not of its birth, leads to a scan of that process, once per aspaces_age().
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
	uint64_t pgoff;			/* file offset of start, bytes */
	struct dso *dso;
};

struct aspaces *aspaces_new(struct dsos *dsos, const struct log *log);
void aspaces_free(struct aspaces *aspaces);

/* Reads all of /proc: names and executable mappings of all processes alive. Returns how many, or -errno. */
int aspaces_scan(struct aspaces *aspaces);
/* The same for one process. */
int aspaces_scan_process(struct aspaces *aspaces, pid_t tgid);

/* What side-band events tell; ids in the initial pid namespace, time_ns in CLOCK_MONOTONIC. */
void aspaces_fork(struct aspaces *aspaces, pid_t parent_tgid, pid_t tgid, uint64_t time_ns);
/* A new thread: it has the name of the one that made it, until told otherwise. */
void aspaces_thread_fork(struct aspaces *aspaces, pid_t tgid, pid_t parent_tid, pid_t tid);
void aspaces_exec(struct aspaces *aspaces, pid_t tgid, const char *comm, uint64_t time_ns);
void aspaces_comm(struct aspaces *aspaces, pid_t tgid, pid_t tid, const char *comm);
void aspaces_mmap(struct aspaces *aspaces, pid_t tgid, uint64_t start, uint64_t length, uint64_t pgoff,
		  const struct dso_id *id, uint64_t time_ns);
/* A thread ended, or a process if @tid is the id of one. */
void aspaces_exit(struct aspaces *aspaces, pid_t tid, uint64_t time_ns);

/*
 * The ids that are asked for are not those of /proc and of events, but of another pid namespace: from now on nothing is
 * known of any process.
 */
void aspaces_blind(struct aspaces *aspaces);

/*
 * The mapping that held @ip in the image @exec_id of a process (tprof_sample.exec_id; 0: not known). Of several
 * images the one is meant that has @exec_id << 12 in its text; where none has, the newest with @ip mapped. Where
 * several have (programs that are not position independent), all of them have to say the same of @ip.
 * NULL if none, or if other code got in the place of that at @ip a moment ago, for two ages. Valid until the next call
 * that changes anything.
 */
const struct mapping *aspaces_find(struct aspaces *aspaces, pid_t tgid, uint32_t exec_id, uint64_t ip);

/*
 * Which byte of which file is at @ip where no file is mapped, because the process moved its code (moved.h). False if
 * that is not sure.
 */
bool aspaces_find_moved(struct aspaces *aspaces, pid_t tgid, uint64_t ip, struct dso **dso, uint64_t *offset);

/*
 * Name of the process at the time of that image, "[empty]" if it has none; NULL if the process was never heard of, or
 * if several images that could be the one have different names. Names live until the second aspaces_age() from now at
 * least, longer only as long as they are in use.
 */
const char *aspaces_process_name(struct aspaces *aspaces, pid_t tgid, uint32_t exec_id);
/* Name of a thread, or of its process if it has none; NULL if never heard of. Lives as long as the above. */
const char *aspaces_thread_name(struct aspaces *aspaces, pid_t tid);

/* The program of a process, and whether it had another in the time of which images are kept. */
struct aspace_program {
	uint64_t exec_ns;		/* when it became its program, by the kernel's clock; 0: before we looked */
	uint64_t end_ns;		/* 0: it goes on, or that is not known */
	bool had_another;		/* another program of it had the address mapped */
	bool is_moved;			/* what is at the address, if anything, was moved there: nobody told of it */
};
struct aspace_program aspaces_program(const struct aspaces *aspaces, pid_t tgid, uint64_t ip);

/* @fn is called when a process is found to have executable memory without a file: a compiler may write code there. */
void aspaces_watch_jit(struct aspaces *aspaces, void (*fn)(void *ctx, pid_t tgid), void *ctx);

/* All tables were read: forget what had ended before the reading before this one. */
void aspaces_age(struct aspaces *aspaces);

/* For tests and the log: how many process images are held, dead ones included. */
size_t aspaces_nr_images(const struct aspaces *aspaces);

#endif
