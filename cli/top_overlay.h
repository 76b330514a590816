/* SPDX-License-Identifier: GPL-2.0-only */
/* The boxes that `tprof top` draws over its table. */
#ifndef TPROF_TOP_OVERLAY_H
#define TPROF_TOP_OVERLAY_H

#include "tprof.h"

void overlay_help(void);
/* The account of what is shown; profile may be NULL. */
void overlay_ledger(const struct tprof_profile *profile);

#endif
