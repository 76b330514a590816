// SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause)
/* Groups the entries of a profile by function, line, process, object, cgroup or owner. */
#include <errno.h>
#include <stdio.h>

#include "profile.h"

static const char *const group_names[] = {
	[TPROF_GROUP_FUNCTION] = "function",
	[TPROF_GROUP_PROCESS] = "process",
	[TPROF_GROUP_OBJECT] = "object",
	[TPROF_GROUP_CGROUP] = "cgroup",
	[TPROF_GROUP_LINE] = "line",
	[TPROF_GROUP_OWNER] = "owner",
};

const char *tprof_group__name(enum tprof_group group)
{
	return (unsigned int)group < TPROF_NR_GROUPS ? group_names[group] : NULL;
}

/* The entry's fields that identify its group. The group's name is in @symbol. */
static struct tprof_entry group_key(const struct tprof_entry *entry, enum tprof_group group)
{
	struct tprof_entry key = {
		.pid = -1,
		.cpu = -1,
		.samples = entry->samples,
		.weight = entry->weight,
	};

	switch (group) {
	case TPROF_GROUP_LINE:
		key.file = entry->file;
		key.line = entry->line;
		__attribute__((fallthrough));
	case TPROF_GROUP_FUNCTION:
		key.inlined = entry->inlined;
		key.symbol = entry->symbol;
		key.object = entry->object;
		key.mode = entry->mode;
		break;
	case TPROF_GROUP_PROCESS:
		key.symbol = entry->comm && entry->comm[0] ? entry->comm : entry->symbol;
		key.comm = entry->comm;
		key.pid = entry->pid;
		break;
	case TPROF_GROUP_OBJECT:
		/* Marks such as "[stack cut off]" and idle time have no object: they keep their own name. */
		key.symbol = entry->mode == TPROF_MODE_USER || entry->mode == TPROF_MODE_KERNEL ? "[unknown]" :
												  entry->symbol;
		if (entry->object && entry->object[0])
			key.symbol = entry->object;
		key.object = entry->object;
		key.mode = entry->mode;
		break;
	case TPROF_GROUP_OWNER:
		key.symbol = entry->owner && entry->owner[0] ? entry->owner : "[unknown]";
		key.owner = entry->owner;
		break;
	default:
		key.symbol = entry->cgroup && entry->cgroup[0] ? entry->cgroup : "[unknown]";
		key.cgroup = entry->cgroup;
		break;
	}
	return key;
}

/* Adds the entry to its group, and notes whether all entries of the group have the same process. */
static int add_to_group(struct tprof_profile *grouped, const struct profile_entry *from, enum tprof_group group)
{
	const struct tprof_entry *entry = &from->entry;
	struct tprof_entry key = group_key(entry, group);
	struct profile_entry *into;

	if (profile_add_all(grouped, &key, from))
		return -ENOMEM;
	into = profile_find(grouped, &key);
	if (!into)
		return -ENOMEM;
	if (into->one) {
		into->several_pids |= into->one->pid != entry->pid;
		into->several_names |= into->one->comm != entry->comm;
	}
	into->one = entry;
	return 0;
}

/* A function that only one process ran keeps the pid; one that only processes of one name ran keeps the name. */
static int name_processes(struct tprof_profile *grouped)
{
	for (size_t i = 0; i < grouped->nr; i++) {
		struct profile_entry *entry = grouped->entries[i];

		if (!entry->several_pids)
			entry->entry.pid = entry->one->pid;
		if (entry->several_names)
			continue;
		entry->entry.comm = intern_name(grouped->strings, entry->one->comm);
		if (!entry->entry.comm)
			return -ENOMEM;
	}
	return 0;
}

struct tprof_profile *tprof_profile__group(const struct tprof_profile *profile, enum tprof_group group)
{
	struct tprof_profile *grouped;
	int err;

	if (profile->grouped || (unsigned int)group >= TPROF_NR_GROUPS) {
		errno = EINVAL;
		return NULL;
	}
	grouped = profile_new();
	err = grouped ? profile_set_info(grouped, &profile->info) : -ENOMEM;
	if (!err)
		err = profile_copy_events(grouped, profile);
	for (size_t i = 0; i < profile->nr && !err; i++)
		err = add_to_group(grouped, profile->entries[i], group);
	if (!err && (group == TPROF_GROUP_FUNCTION || group == TPROF_GROUP_LINE))
		err = name_processes(grouped);
	if (err) {
		tprof_profile__free(grouped);
		errno = ENOMEM;
		return NULL;
	}
	grouped->ledger = profile->ledger;
	grouped->duration_ns = profile->duration_ns;
	grouped->grouped = true;
	grouped->group = group;
	profile_finish(grouped);
	return grouped;
}
