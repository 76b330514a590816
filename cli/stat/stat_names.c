// SPDX-License-Identifier: GPL-2.0-only
/* The words of `tprof stat` that all its outputs share. */
#include "stat.h"

const char *stat_per_name(const struct stat_options *options)
{
	if (options->per_cpu)
		return "cpu";
	if (options->per_process)
		return "process";
	if (options->per_thread)
		return "thread";
	return options->per_cgroup ? "cgroup" : "total";
}

const char *stat_scope_name(const struct stat_options *options)
{
	if (options->cgroups.nr)
		return "cgroups";
	if (options->pids.nr)
		return "processes";
	if (options->tids.nr)
		return "threads";
	return options->command && !options->all ? "command" : "machine";
}

const char *stat_time_name(enum stat_time which)
{
	static const char *const names[] = {
		[STAT_ELAPSED] = "elapsed", [STAT_USER] = "user", [STAT_SYSTEM] = "system",
	};

	return names[which];
}
