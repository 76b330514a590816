/* SPDX-License-Identifier: GPL-2.0-only */
/* Source "uprobe": places in executable files. */
#ifndef _TPROF_UPROBE_SOURCE_H
#define _TPROF_UPROBE_SOURCE_H

#include "probe.h"

extern const struct tprof_probe_source tprof_source_uprobe;

#endif
