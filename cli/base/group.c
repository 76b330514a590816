// SPDX-License-Identifier: GPL-2.0-only
/* The groups of rows that a view offers. */
#include "group.h"

bool group_has_owners(const struct tprof_profile *profile)
{
	size_t nr = tprof_profile__nr_entries(profile);

	for (size_t i = 0; i < nr; i++) {
		if (tprof_profile__entry(profile, i)->owner[0])
			return true;
	}
	return false;
}

enum tprof_group group_next(enum tprof_group group, bool lines, bool owners)
{
	do
		group = (group + 1) % TPROF_NR_GROUPS;
	while ((group == TPROF_GROUP_LINE && !lines) || (group == TPROF_GROUP_OWNER && !owners));
	return group;
}
