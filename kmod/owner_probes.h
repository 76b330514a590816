/* SPDX-License-Identifier: GPL-2.0-only */
/* The probes of workqueues, which note for whom work items are queued and executed. */
#ifndef _TPROF_OWNER_PROBES_H
#define _TPROF_OWNER_PROBES_H

#include "owner.h"
#include "owner_work.h"

/* Process context. Errors: ENOMEM. */
int tprof_owner_probes_get(void);
/* The probes may be called for some seconds yet, and then find no tables. */
void tprof_owner_probes_put(void);

struct tprof_work_table *tprof_owners_works(const struct tprof_owners *owners);
/* A section or a work item does not fit. Any context. */
void tprof_owners_count_full(void);
/* Fills what is counted. */
void tprof_owner_probes_read(struct tprof_owners_info *info);

#endif
