/* SPDX-License-Identifier: GPL-2.0-only */
/* Source "kprobe": places in the kernel's code. */
#ifndef _TPROF_KPROBE_SOURCE_H
#define _TPROF_KPROBE_SOURCE_H

#include "probe.h"

extern const struct tprof_probe_source tprof_source_kprobe;

#endif
