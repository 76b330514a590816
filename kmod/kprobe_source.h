/* SPDX-License-Identifier: GPL-2.0-only */
/* Source "kprobe": places in the kernel's code. */
#ifndef _TPROF_KPROBE_SOURCE_H
#define _TPROF_KPROBE_SOURCE_H

#include "tprof_source.h"

extern const struct tprof_source_ops tprof_source_kprobe;

#endif
