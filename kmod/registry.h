/* SPDX-License-Identifier: GPL-2.0-only */
/* The registered kinds of sources: those of this module and of others. */
#ifndef _TPROF_REGISTRY_H
#define _TPROF_REGISTRY_H

#include "tprof_source.h"

/* Takes a reference on the module of the source. Returns NULL if no such source is registered. */
const struct tprof_source_ops *tprof_source_ops_get(const char *name);
void tprof_source_ops_put(const struct tprof_source_ops *ops);
unsigned int tprof_source_nr_ops(void);
/* Fills @info for the source with index info->index. Errors: ENOENT. */
int tprof_source_describe(struct tprof_source_info *info);

#endif
