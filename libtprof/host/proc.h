/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * Process information from /proc: parsers for text in memory, and functions that read the text.
 *
 * The line parsers take a NUL-terminated buffer, may modify it, and return strings that point into it.
 */
#ifndef TPROF_PROC_H
#define TPROF_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/* TASK_COMM_LEN is 16, but /proc shows the full names of kernel threads, 63 characters at most. */
#define PROC_COMM_LEN 64

/* One line of /proc/PID/maps. */
struct proc_map {
	uint64_t start, end;
	uint64_t pgoff;			/* in bytes; 0 for anonymous memory */
	uint32_t maj, min;
	uint64_t ino;			/* 0: no file */
	bool executable;
	const char *path;		/* "" if there is no name; line feeds in names are decoded */
};

/* Parses the line at *@at and advances *@at. Returns 1, 0 at the end of the text, or -EINVAL for a malformed line. */
int proc_parse_map(char **at, struct proc_map *map);

/* /proc/PID/stat, only the fields that are used. */
struct proc_stat {
	char comm[PROC_COMM_LEN];
	char state;			/* 'R', 'S', ..., 'Z': zombie */
	pid_t ppid;
	uint32_t flags;			/* PF_* */
	uint32_t nr_threads;
	uint64_t start_time;		/* clock ticks since boot */
};

#define PROC_PF_KTHREAD 0x00200000u

/* Errors: EINVAL. The name may contain any character, including parentheses and line feeds. */
int proc_parse_stat(const char *text, struct proc_stat *stat);
/* Has the thread exited, except that it was not yet reaped? The first thread of a process waits for all others. */
bool proc_stat_is_zombie(const struct proc_stat *stat);
/* Has the process exited completely, except that its parent has not yet reaped it? */
bool proc_stat_is_dead(const struct proc_stat *stat);

/* /proc/PID/status, only the fields that are used. */
struct proc_status {
	pid_t tgid, pid, ppid;
	uid_t euid;
	uint32_t nr_threads;
	pid_t ns_tgid, ns_pid;		/* in its innermost pid namespace */
};

/* Errors: EINVAL if Tgid or Pid is missing. */
int proc_parse_status(const char *text, struct proc_status *status);

/*
 * Converts the text of /proc/PID/comm, or the name in stat, to a name. Removes the final line feed, and from a kworker
 * the suffix for its current work ("kworker/0:1-events"), which is not part of the name.
 */
void proc_parse_comm(const char *text, char comm[PROC_COMM_LEN]);

/* A reusable, growing buffer for the text of a file. A zeroed struct is an empty one. */
struct proc_text {
	char *text;			/* NUL-terminated after proc_read() */
	size_t size;			/* without the NUL */
	size_t capacity;
};

void proc_text_fini(struct proc_text *text);
/* Reads an open file to its end. Returns 0 or -errno. */
int proc_text_read(struct proc_text *text, int fd);
/*
 * Reads /proc/@name to its end. Errors: those of open(2) and read(2) (ENOENT, ESRCH: the process has exited), ENOMEM.
 */
int proc_read(struct proc_text *text, const char *name, ...) __attribute__((format(printf, 2, 3)));
/*
 * Calls @fn for each process until it returns a nonzero value, and returns that value. Returns -errno if /proc cannot
 * be opened.
 */
int proc_each_process(int (*fn)(void *ctx, pid_t tgid), void *ctx);

/* The process or thread that was started last, from the text of /proc/loadavg; 0 if it does not say so. */
pid_t proc_parse_last(const char *loadavg);
/*
 * Finds the oldest of some processes, whose ids are in ascending order: ids are given in this order, and begin anew
 * after the largest one. Returns its index; the others follow by age, those before it after the last one.
 * @last: the one that was started last
 */
size_t proc_oldest(const pid_t *tgids, size_t nr, pid_t last);

/*
 * Checks that /proc is mounted; without it, processes cannot be found or named. Returns -ENOENT and sets the sentence
 * if not.
 */
int proc_require(struct tprof_error *error);

#endif
