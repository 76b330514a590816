/* SPDX-License-Identifier: GPL-2.0-only */
/* The source "off-cpu": the waits of threads. */
#ifndef _TPROF_WAIT_SOURCE_H
#define _TPROF_WAIT_SOURCE_H

#include "tprof_source.h"

extern const struct tprof_source_ops tprof_source_wait;

#endif
