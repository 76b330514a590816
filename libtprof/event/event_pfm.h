/* SPDX-License-Identifier: (LGPL-2.1-only OR BSD-2-Clause) */
/* Events by the names of the CPU's manual, which libpfm4 knows: pfm:INST_RETIRED:ANY_P, pfm:skl::L2_RQSTS:MISS:u. */
#ifndef TPROF_EVENT_PFM_H
#define TPROF_EVENT_PFM_H

#include "event.h"

#define EVENT_PFM "pfm:"

/* Is it such a name? */
bool event_pfm_is_name(const char *name);
/*
 * Sets what the event counts, and where. Errors: EOPNOTSUPP (libpfm4 cannot be loaded), ENOENT (it knows no event of
 * this name for the CPUs of this machine), EINVAL (another error of libpfm4).
 */
int event_pfm_parse(struct event *event, const char *name, struct tprof_error *error);

#endif
