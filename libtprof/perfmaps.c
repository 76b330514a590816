// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * The perf-PID.map files of processes.
 *
 * The file lies where everybody may write, and its name is only a number that is used again: it is believed
 * if it belongs to root or to the user of the process, and was written since the process started.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hash.h"
#include "perfmap.h"
#include "proc.h"

/* Node with a large application writes some 10 MB. */
#define MAX_FILE_BYTES (64 << 20)
#define MAX_UNUSED_AGES 2
/* File times come from a clock that ticks, and start times from one that counts 10 ms. */
#define CLOCK_SLACK_NS 100000000

struct process {
	struct hash_node node;		/* by tgid */
	pid_t tgid;
	uint64_t start_time;		/* clock ticks since boot; 0: never seen alive */
	struct perfmap *map;		/* NULL if it has none */
	struct stat st;			/* of the file when it was read, or could not be */
	size_t refused_bytes;		/* the room that was not enough for it */
	unsigned int unused_ages;
	bool is_fresh;			/* looked at since the last age */
};

struct perfmaps {
	struct hash by_tgid;
	size_t bytes;			/* of all maps */
	const struct log *log;
	int64_t created_ns;		/* CLOCK_REALTIME */
};

/* Who may have written the file, and since when. */
struct proof {
	uid_t uid;
	int64_t not_before_ns;		/* CLOCK_REALTIME */
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

struct perfmaps *perfmaps_new(const struct log *log)
{
	struct perfmaps *maps = calloc(1, sizeof(*maps));

	if (!maps)
		return NULL;
	maps->log = log;
	maps->created_ns = clock_ns(CLOCK_REALTIME);
	return maps;
}

static void forget_map(struct perfmaps *maps, struct process *process)
{
	if (process->map)
		maps->bytes -= perfmap_bytes(process->map);
	perfmap_free(process->map);
	process->map = NULL;
}

static bool free_process(void *ctx, struct hash_node *node)
{
	struct process *process = (struct process *)node;

	forget_map(ctx, process);
	free(process);
	return false;
}

void perfmaps_free(struct perfmaps *maps)
{
	if (!maps)
		return;
	hash_filter(&maps->by_tgid, free_process, maps);
	hash_fini(&maps->by_tgid);
	free(maps);
}

/* In the process's own root: links there must not lead out of it, and a pipe must not keep us waiting. */
static int open_in_root(pid_t tgid, pid_t ns_tgid)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char path[64];
	int root, fd;

	snprintf(path, sizeof(path), "/proc/%d/root", tgid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	snprintf(path, sizeof(path), "tmp/perf-%d.map", ns_tgid);
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	close(root);
	return fd;
}

static int open_here(pid_t tgid)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", tgid);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
}

/* Takes over @fd, and passes it on if the file can be believed. */
static int believe(int fd, const struct proof *proof, struct stat *st)
{
	int64_t written_ns;

	if (fd < 0)
		return -1;
	if (fstat(fd, st) || !S_ISREG(st->st_mode) || (st->st_uid && st->st_uid != proof->uid))
		goto no;
	written_ns = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec;
	if (written_ns >= proof->not_before_ns - CLOCK_SLACK_NS)
		return fd;
no:
	close(fd);
	return -1;
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static struct perfmap *read_map(int fd, const struct stat *st, size_t max_bytes)
{
	struct perfmap *map = NULL;
	char *text;
	ssize_t got;

	if (st->st_size > MAX_FILE_BYTES) {
		errno = EFBIG;
		return NULL;
	}
	/* Numbers take about as much in the file as in memory: what is too large is not even read. */
	if ((size_t)st->st_size > max_bytes) {
		errno = E2BIG;
		return NULL;
	}
	text = malloc(st->st_size + 1);
	if (!text)
		return NULL;
	got = pread(fd, text, st->st_size, 0);
	if (got >= 0)
		map = perfmap_parse(text, got, max_bytes);
	free(text);
	return map;
}

/* Is it still the process that we know? Fills in what its file has to look like. */
static int identify(struct perfmaps *maps, struct process *process, struct proof *proof, pid_t *ns_tgid)
{
	struct proc_text text = { 0 };
	struct proc_stat stat;
	struct proc_status status;
	int err;

	err = proc_read(&text, "%d/stat", process->tgid);
	if (!err)
		err = proc_parse_stat(text.text, &stat);
	if (!err)
		err = proc_read(&text, "%d/status", process->tgid);
	if (!err)
		err = proc_parse_status(text.text, &status);
	proc_text_fini(&text);
	if (err)
		return err;
	if (process->start_time && process->start_time != stat.start_time)
		forget_map(maps, process);
	process->start_time = stat.start_time;
	proof->uid = status.euid;
	proof->not_before_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) +
			       (int64_t)(stat.start_time * (1000000000ULL / sysconf(_SC_CLK_TCK)));
	*ns_tgid = status.ns_tgid;
	return 0;
}

/* One that did not fit is tried again when there is more room; else it would be read at each age. */
static bool is_known(const struct perfmaps *maps, const struct process *process, const struct stat *st)
{
	return same_file(st, &process->st) &&
	       (process->map || process->refused_bytes >= PERFMAPS_MAX_BYTES - maps->bytes);
}

/* What was there is forgotten even if it cannot be read any more: it may be wrong. @number: in the name of the file. */
static void read_again(struct perfmaps *maps, struct process *process, int fd, const struct stat *st, pid_t number)
{
	size_t room;

	forget_map(maps, process);
	room = PERFMAPS_MAX_BYTES - maps->bytes;
	process->st = *st;
	process->refused_bytes = 0;
	process->map = read_map(fd, st, room);
	if (process->map) {
		maps->bytes += perfmap_bytes(process->map);
		return;
	}
	if (errno != E2BIG) {
		log_info(maps->log, "perf-%d.map: not read: %s", number, strerror(errno));
		return;
	}
	process->refused_bytes = room;
	log_info(maps->log, "perf-%d.map: not read: all maps together would take more than %u MiB", number,
		 PERFMAPS_MAX_BYTES >> 20);
}

static void refresh(struct perfmaps *maps, struct process *process)
{
	struct proof proof = { .uid = geteuid(), .not_before_ns = maps->created_ns };
	struct stat st;
	pid_t number = process->tgid;
	int fd = -1;

	if (!identify(maps, process, &proof, &number))
		fd = believe(open_in_root(process->tgid, number), &proof, &st);
	else if (process->start_time)
		return;		/* gone; what it left may already be another's */
	if (fd < 0) {
		number = process->tgid;
		fd = believe(open_here(number), &proof, &st);
	}
	if (fd < 0)
		return;
	if (!is_known(maps, process, &st))
		read_again(maps, process, fd, &st, number);
	close(fd);
}

bool perfmaps_find(struct perfmaps *maps, pid_t tgid, uint64_t ip, const char **name, uint64_t *delta)
{
	struct process *process = (struct process *)hash_find(&maps->by_tgid, (uint32_t)tgid);

	if (!process) {
		process = calloc(1, sizeof(*process));
		if (!process)
			return false;
		process->tgid = tgid;
		if (hash_add(&maps->by_tgid, &process->node, (uint32_t)tgid)) {
			free(process);
			return false;
		}
	}
	/* What was compiled since the last age may be what is asked for, at a place where another function was. */
	if (!process->is_fresh)
		refresh(maps, process);
	process->is_fresh = true;
	process->unused_ages = 0;
	return process->map && perfmap_find(process->map, ip, name, delta);
}

static bool age_process(void *ctx, struct hash_node *node)
{
	struct process *process = (struct process *)node;

	process->is_fresh = false;
	if (process->unused_ages++ >= MAX_UNUSED_AGES)
		return free_process(ctx, node);
	/* It may be gone the next time, with its map. */
	if (process->unused_ages == 1)
		refresh(ctx, process);
	return true;
}

void perfmaps_age(struct perfmaps *maps)
{
	hash_filter(&maps->by_tgid, age_process, maps);
}
