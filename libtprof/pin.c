// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Maps of a running session made visible below /sys/fs/bpf/tprof/SESSION/FILTER/, for bpftool.
 *
 * A session's directory is called PID-STARTTIME, by which everybody can tell whether its owner is alive: pins
 * outlive a process that is killed, and the next one that pins removes them.
 */
#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "clock.h"
#include "pin.h"
#include "proc.h"
#include "session.h"

#define BPFFS "/sys/fs/bpf"
#define ROOT BPFFS "/tprof"

/* In clock ticks since boot, in the initial time namespace: the name is read in others. 0: there is no such process. */
static uint64_t start_time(pid_t pid)
{
	int64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
	struct clock_offsets clocks;
	struct proc_text text = { 0 };
	struct proc_stat stat;
	uint64_t time = 0;

	if (proc_read(&text, "%d/stat", pid) == 0 && proc_parse_stat(text.text, &stat) == 0 &&
	    !proc_stat_is_dead(&stat))
		time = stat.start_time;
	proc_text_fini(&text);
	clock_offsets(&clocks);
	return time ? time - (uint64_t)(clocks.boottime_ns / tick_ns) : 0;
}

bool pin_is_stale(const char *name, pid_t *pid)
{
	uint64_t time, started;
	int owner;

	if (sscanf(name, "%d-%" SCNu64, &owner, &time) != 2)
		return false;
	*pid = owner;
	started = start_time(owner);
	/* An offset that is no multiple of a tick may round one up or down. */
	return !started || (started > time ? started - time : time - started) > 1;
}

static void remove_tree(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char below[PATH_MAX];

	while (dir && (entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
		    snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >= (int)sizeof(below))
			continue;
		if (entry->d_type == DT_DIR)
			remove_tree(below);
		else
			unlink(below);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

static void remove_stale(const struct log *log)
{
	DIR *dir = opendir(ROOT);
	struct dirent *entry;
	char path[PATH_MAX];
	pid_t pid;

	while (dir && (entry = readdir(dir))) {
		if (!pin_is_stale(entry->d_name, &pid))
			continue;
		log_info(log, "removing the pins that session %s left behind", entry->d_name);
		snprintf(path, sizeof(path), ROOT "/%s", entry->d_name);
		remove_tree(path);
	}
	if (dir)
		closedir(dir);
}

static int make_dir(const char *path, struct tprof_error *error)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	return error_set(error, errno, "%s: cannot be made: %s", path, strerror(errno));
}

/* A directory of its own, also for the second session of a process. */
static int make_session_dir(struct tprof_session *session)
{
	char path[PATH_MAX];

	for (int i = 0; i < 1000; i++) {
		int length = snprintf(path, sizeof(path), ROOT "/%d-%" PRIu64, getpid(), start_time(getpid()));

		if (i)
			snprintf(path + length, sizeof(path) - (size_t)length, "-%d", i);
		if (mkdir(path, 0700) == 0) {
			session->pin_path = strdup(path);
			return session->pin_path ? 0 : error_set(&session->error, ENOMEM, "pins: no memory");
		}
		if (errno != EEXIST)
			break;
	}
	return error_set(&session->error, errno, "%s: cannot be made: %s", path, strerror(errno));
}

static int pin_filter(struct tprof_session *session, struct tprof_filter *filter)
{
	char dir[PATH_MAX], path[PATH_MAX + TPROF_NAME_MAX + 2];
	struct bpf_map *map;
	int err;

	snprintf(dir, sizeof(dir), "%s/%s", session->pin_path, tprof_filter__name(filter));
	err = make_dir(dir, &session->error);
	if (err)
		return err;
	bpf_object__for_each_map(map, filter->object) {
		/* Not those that libbpf made of the constants (they have a dot), nor those of the other engine. */
		if (!bpf_map__autocreate(map) || strchr(bpf_map__name(map), '.'))
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, bpf_map__name(map));
		err = bpf_obj_pin(bpf_map__fd(map), path);
		if (err)
			return error_set(&session->error, -err, "%s: cannot be pinned: %s", path, strerror(-err));
	}
	return 0;
}

int tprof_session__pin(struct tprof_session *session)
{
	struct statfs fs;
	int err;

	if (session->state == SESSION_OPEN || session->pin_path || session->broker)
		return error_set(&session->error, EBUSY, "pins: the session %s",
				 session->pin_path ? "has them already" :
				 session->broker ? "is in a sandbox" : "has not been prepared");
	if (statfs(BPFFS, &fs) || fs.f_type != BPF_FS_MAGIC) {
		error_set(&session->error, ENOENT, "pins: no bpf file system is mounted at " BPFFS);
		error_hint(&session->error, "mount -t bpf bpf " BPFFS);
		return -ENOENT;
	}
	remove_stale(&session->log);
	err = make_dir(ROOT, &session->error);
	if (!err)
		err = make_session_dir(session);
	for (size_t i = 0; i < session->nr_filters && !err; i++)
		err = pin_filter(session, session->filters[i]);
	if (err)
		pin_remove(session);
	return err;
}

const char *tprof_session__pin_path(const struct tprof_session *session)
{
	return session->pin_path;
}

void pin_remove_session(const char *path)
{
	remove_tree(path);
	rmdir(ROOT);
}

void pin_remove(struct tprof_session *session)
{
	if (!session->pin_path)
		return;
	/* In a sandbox, the broker does at its end. */
	if (!session->broker)
		pin_remove_session(session->pin_path);
	free(session->pin_path);
	session->pin_path = NULL;
}
