// SPDX-License-Identifier: GPL-2.0-only
/* Does the filter of --filter count what --by groups by? */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_code.h"
#include "base/out.h"
#include "top.h"

/* Has a table of the filter a member of this type in its key? */
static bool has_key(const struct tprof_filter *filter, const char *type)
{
	for (size_t i = 0; i < tprof_filter__nr_tables(filter); i++) {
		struct tprof_table_info table = { .sz = sizeof(table) };

		if (!tprof_filter__table(filter, i, &table) && !table.stacks && strstr(table.key, type))
			return true;
	}
	return false;
}

/* The groups of which a filter may know nothing. The others fall back to the words of the key. */
static const struct {
	enum tprof_group group;
	const char *by, *type, *what, *example;
} needs[] = {
	{ TPROF_GROUP_OWNER, "owner", "tprof_owner_t", "owners", "owners" },
	{ TPROF_GROUP_CGROUP, "cgroup", "tprof_cgroup_t", "cgroups", "top" },
};

static int check_filter(const char *name, size_t need)
{
	struct tprof_error error = { 0 };
	struct tprof_filter *filter = tprof_filter__open(name, &error);
	char hint[128];
	bool has;

	if (!filter)
		return out_error_of(&error, errno);
	has = has_key(filter, needs[need].type);
	tprof_filter__free(filter);
	if (has)
		return EXIT_OK;
	snprintf(hint, sizeof(hint), "leave --filter out, or use a filter with %s in its key, such as %s",
		 needs[need].type, needs[need].example);
	return out_usage(hint, "--by %s: filter %s counts no %s", needs[need].by, name, needs[need].what);
}

int top_check_by(const struct top *top)
{
	for (size_t i = 0; i < ARRAY_SIZE(needs); i++) {
		if (top->sampling.filter && top->by == needs[i].group)
			return check_filter(top->sampling.filter, i);
	}
	return EXIT_OK;
}
