/* SPDX-License-Identifier: GPL-2.0-only */
/* The source "wakeup": who ends the waits of threads. */
#ifndef _TPROF_WAKE_SOURCE_H
#define _TPROF_WAKE_SOURCE_H

#include "tprof_source.h"

extern const struct tprof_source_ops tprof_source_wakeup;

#endif
