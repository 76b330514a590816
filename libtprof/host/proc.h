/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/*
 * What /proc says of processes: parsers that work on text in memory, and readers that fetch the text.
 *
 * Parsers of lines take a NUL-terminated buffer, may change it, and leave their strings in it.
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
	uint64_t pgoff;			/* bytes; 0 for memory without a file */
	uint32_t maj, min;
	uint64_t ino;			/* 0: no file */
	bool executable;
	const char *path;		/* "" for memory without a name; line feeds in names are decoded */
};

/*
 * Takes a line off the text at *@at. Returns 1, 0 at the end of the text, or -EINVAL for a line that
 * is none.
 */
int proc_parse_map(char **at, struct proc_map *map);

/* /proc/PID/stat, as far as it is used. */
struct proc_stat {
	char comm[PROC_COMM_LEN];
	char state;			/* 'R', 'S', ..., 'Z': zombie */
	pid_t ppid;
	uint32_t flags;			/* PF_* */
	uint32_t nr_threads;
	uint64_t start_time;		/* clock ticks since boot */
};

#define PROC_PF_KTHREAD 0x00200000u

/* Errors: EINVAL. The name may hold any character, parentheses and line feeds too. */
int proc_parse_stat(const char *text, struct proc_stat *stat);
/* Has it ended but for a parent that has yet to ask how? */
bool proc_stat_is_dead(const struct proc_stat *stat);

/* /proc/PID/status, as far as it is used. */
struct proc_status {
	pid_t tgid, pid, ppid;
	uid_t euid;
	uint32_t nr_threads;
	pid_t ns_tgid, ns_pid;		/* in its innermost pid namespace */
};

/* Errors: EINVAL if there is no Tgid or Pid. */
int proc_parse_status(const char *text, struct proc_status *status);

/*
 * Text of /proc/PID/comm or the name in stat -> name. Cuts off the final line feed, and what a kworker is
 * working on at the moment ("kworker/0:1-events"), which is no part of its name.
 */
void proc_parse_comm(const char *text, char comm[PROC_COMM_LEN]);

/* A text that was read; grows and is used again. A zeroed struct is an empty one. */
struct proc_text {
	char *text;			/* NUL-terminated after proc_read() */
	size_t size;			/* without the NUL */
	size_t capacity;
};

void proc_text_fini(struct proc_text *text);
/* All of a file that is open. 0 or -errno. */
int proc_text_read(struct proc_text *text, int fd);
/* Reads /proc/@name whole. Errors: those of open(2) and read(2) (ENOENT, ESRCH: process gone), ENOMEM. */
int proc_read(struct proc_text *text, const char *name, ...) __attribute__((format(printf, 2, 3)));
/* Calls @fn for each process until it returns something else than 0, and returns that. */
int proc_each_process(int (*fn)(void *ctx, pid_t tgid), void *ctx);

/* Is it there? Without it nothing can be named, and little be found. -ENOENT with the sentence if not. */
int proc_require(struct tprof_error *error);

#endif
