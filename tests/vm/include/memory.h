/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory: cgroups that it is charged to, and what the kernel has in use. Include ktap.h and process.h first. */
#ifndef TPROF_TESTS_MEMORY_H
#define TPROF_TESTS_MEMORY_H

#include <sys/stat.h>

#define CGROUPS	"/sys/fs/cgroup/"

__attribute__((unused))
static void make_memory_cgroup(const char *name)
{
	char path[128];

	need(write_file(CGROUPS "cgroup.subtree_control", "+memory") == 0, "cgroups have a memory controller");
	snprintf(path, sizeof(path), CGROUPS "%s", name);
	need(mkdir(path, 0755) == 0, "the cgroup %s is made", name);
}

/* This process moves there; "" is the root. */
__attribute__((unused))
static void join_cgroup(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), CGROUPS "%s/cgroup.procs", name);
	need(write_file(path, "0") == 0, "%s is joined", path);
}

__attribute__((unused))
static void set_memory_max(const char *name, unsigned long bytes)
{
	char path[128], text[32];

	snprintf(path, sizeof(path), CGROUPS "%s/memory.max", name);
	snprintf(text, sizeof(text), "%lu", bytes);
	need(write_file(path, text) == 0, "%s has a limit", name);
}

/* The bytes that are charged to it. */
__attribute__((unused))
static long memory_of(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), CGROUPS "%s/memory.current", name);
	return strtol(read_file(path), NULL, 10);
}

/* How many processes of it the kernel has killed for memory. */
__attribute__((unused))
static long killed_in(const char *name)
{
	const char *line;
	char path[128];

	snprintf(path, sizeof(path), CGROUPS "%s/memory.events", name);
	line = strstr(read_file(path), "\noom_kill ");
	need(line, "memory.events has oom_kill");
	return strtol(line + strlen("\noom_kill "), NULL, 10);
}

/* Processes that have ended are in it for a moment. */
__attribute__((unused))
static void remove_cgroup(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), CGROUPS "%s", name);
	for (int tries = 0; rmdir(path); tries++) {
		need(errno == EBUSY && tries < 100, "the cgroup %s is removed", name);
		usleep(20000);
	}
}

/* A line of meminfo, in bytes, after the counts of all CPUs have been added up. */
__attribute__((unused))
static long meminfo(const char *name)
{
	char label[64];
	const char *line;

	snprintf(label, sizeof(label), "\n%s:", name);
	need(write_file("/proc/sys/vm/stat_refresh", "1") == 0, "counts are added up");
	line = strstr(read_file("/proc/meminfo"), label);
	need(line, "meminfo has %s", name);
	return strtol(line + strlen(label), NULL, 10) * 1024;
}

#endif
