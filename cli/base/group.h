/* SPDX-License-Identifier: GPL-2.0-only */
/* The groups of rows that a view offers, one after the other. */
#ifndef TPROF_GROUP_H
#define TPROF_GROUP_H

#include "tprof.h"

/* True if the filter counted for whom the kernel worked. */
bool group_has_owners(const struct tprof_profile *profile);

/* The group after @group. @lines, @owners: whether there is anything to group by lines, by owners. */
enum tprof_group group_next(enum tprof_group group, bool lines, bool owners);

#endif
