/* SPDX-License-Identifier: GPL-2.0-only */
/* Source "uprobe": places in executable files. */
#ifndef _TPROF_UPROBE_SOURCE_H
#define _TPROF_UPROBE_SOURCE_H

#include "tprof_source.h"

extern const struct tprof_source_ops tprof_source_uprobe;

#endif
