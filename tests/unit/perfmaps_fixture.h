/* SPDX-License-Identifier: GPL-2.0-only */
/* Perf maps of this process and of its children, and lookups in them. */
#ifndef PERFMAPS_FIXTURE_H
#define PERFMAPS_FIXTURE_H

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbol/perfmaps.h"

static char own_path[64];

static inline void path_of(pid_t pid, char path[64])
{
	snprintf(path, 64, "/tmp/perf-%d.map", pid);
}

static inline int remove_own_map(void **state)
{
	(void)state;
	unlink(own_path);
	return 0;
}

static inline int name_own_map(void **state)
{
	path_of(getpid(), own_path);
	return remove_own_map(state);
}

static inline void write_map(const char *path, const char *lines, const char *mode)
{
	FILE *file = fopen(path, mode);

	assert_non_null(file);
	fputs(lines, file);
	assert_int_equal(fclose(file), 0);
}

static inline enum perfmaps_answer ask(struct perfmaps *maps, pid_t pid, uint64_t ip, const char **name)
{
	const struct perfmaps_life nothing = { 0 };
	uint64_t delta;

	return perfmaps_find(maps, pid, &nothing, ip, name, &delta);
}

static inline bool finds(struct perfmaps *maps, pid_t pid, uint64_t ip, const char *expected)
{
	const char *name;

	return ask(maps, pid, ip, &name) == PERFMAPS_FOUND && !strcmp(name, expected);
}

static inline bool is_unsure(struct perfmaps *maps, pid_t pid, uint64_t ip)
{
	const char *name;

	return ask(maps, pid, ip, &name) == PERFMAPS_UNSURE;
}

static inline bool has_none(struct perfmaps *maps, pid_t pid, uint64_t ip)
{
	const char *name;

	return ask(maps, pid, ip, &name) == PERFMAPS_NONE;
}

/* Ends the interval. The next one began at the mark, before the lookups for the previous one. */
static inline void next_interval(struct perfmaps *maps)
{
	perfmaps_mark(maps);
	perfmaps_age(maps);
}

static inline pid_t start_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	return pid;
}

static inline void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

#endif
