// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/*
 * Directories of pins. The name PID-STARTTIME tells everyone whether the owner of a session is alive. Pins outlive a
 * killed process; the next session that pins removes them.
 */
#include "pin_directory.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "host/proc.h"

uint64_t pin_start_time(pid_t pid)
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
	started = pin_start_time(owner);
	/* If an offset is not a multiple of a tick, rounding can differ by one. */
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

void pin_remove_stale(const struct log *log)
{
	DIR *dir = opendir(PIN_ROOT);
	struct dirent *entry;
	char path[PATH_MAX];
	pid_t pid;

	while (dir && (entry = readdir(dir))) {
		if (!pin_is_stale(entry->d_name, &pid))
			continue;
		log_info(log, "removing the pins that session %s left behind", entry->d_name);
		snprintf(path, sizeof(path), PIN_ROOT "/%s", entry->d_name);
		remove_tree(path);
	}
	if (dir)
		closedir(dir);
}

void pin_remove_session(const char *path)
{
	remove_tree(path);
	rmdir(PIN_ROOT);
}
